// SPDX-License-Identifier: Apache-2.0
package dev.rabbitbridge.harness.rabbitmq;

import java.util.Locale;

/** The kinds of queue that RabbitMQ has. */
public enum QueueKind {
  /** Durable, on one node. */
  CLASSIC,
  /** Replicated; confirms mean "on disk on a majority". */
  QUORUM,
  /** An append-only log, read from a position. */
  STREAM;

  /**
   * Returns the name that RabbitMQ uses.
   *
   * @return the value of {@code x-queue-type}
   */
  public String wireName() {
    return name().toLowerCase(Locale.ROOT);
  }
}
