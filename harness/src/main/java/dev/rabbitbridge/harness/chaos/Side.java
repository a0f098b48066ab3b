// SPDX-License-Identifier: Apache-2.0
package dev.rabbitbridge.harness.chaos;

/** Which connector a fault is tried on. */
enum Side {
  SINK,
  SOURCE;

  @Override
  public String toString() {
    return name().toLowerCase(java.util.Locale.ROOT);
  }
}
