// SPDX-License-Identifier: Apache-2.0
package dev.rabbitbridge.source;

import java.util.Map;

/** The source partitions and offsets that Connect keeps, as it keeps them. */
final class SourceOffsets {
  static final String QUEUE = "queue";
  static final String SEQUENCE = "sequence";
  static final String STREAM_OFFSET = "stream.offset";
  static final String FINGERPRINT = "fingerprint";

  private SourceOffsets() {}

  static Map<String, String> partition(String queue) {
    return Map.of(QUEUE, queue);
  }

  /** An offset that says nothing but differs from all others: the position lives in RabbitMQ. */
  static Map<String, Long> sequence(long number) {
    return Map.of(SEQUENCE, number);
  }
}
