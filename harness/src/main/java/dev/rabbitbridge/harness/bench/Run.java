// SPDX-License-Identifier: Apache-2.0
package dev.rabbitbridge.harness.bench;

/** Messages on their way, from begin until close. */
interface Run extends AutoCloseable {
  /** Returns how many have arrived. */
  long arrived() throws Exception;

  /** Returns what has been used for it. */
  Usage usage();

  /** Throws when it is clear that no more will arrive. */
  default void check() {}

  @Override
  void close();
}
