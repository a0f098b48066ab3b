// SPDX-License-Identifier: Apache-2.0
package dev.rabbitbridge.harness;

/**
 * How much a test does: every day a part that finds most mistakes soon, with {@code -Dfull} what
 * was promised.
 */
public final class Scale {
  private Scale() {}

  public static int of(int everyDay, int full) {
    return System.getProperty("full") == null ? everyDay : full;
  }
}
