// SPDX-License-Identifier: Apache-2.0
package dev.rabbitbridge.source;

import dev.rabbitbridge.failure.Fault;
import java.util.Map;
import org.apache.kafka.connect.errors.ConnectException;

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

  /**
   * Checks offsets that a person wants to set.
   *
   * @param stream whether the connector reads streams
   * @throws ConnectException with the reason, if it is not possible
   */
  static void check(boolean stream, Map<Map<String, ?>, Map<String, ?>> offsets) {
    offsets.forEach(
        (partition, offset) -> {
          if (offset == null) {
            return; // a reset is always possible
          }
          if (!stream) {
            throw Fault.OFFSET_OF_QUEUE.exception(
                "The position in a classic or quorum queue lives in RabbitMQ: it is what was not acked."
                    + " Offsets of this connector can be reset, which changes nothing there, but not set.",
                null);
          }
          boolean known = partition.size() == 1 && partition.get(QUEUE) instanceof String;
          if (!known || StreamCursor.Position.of(offset) == null) {
            throw Fault.OFFSET_OF_STREAM.exception(
                "A position in a stream is the partition {\"queue\": NAME} with the offset {\"stream.offset\": NUMBER}."
                    + " The next message read is the one after it.",
                null);
          }
        });
  }

  /** An offset that says nothing but differs from all others: the position lives in RabbitMQ. */
  static Map<String, Long> sequence(long number) {
    return Map.of(SEQUENCE, number);
  }
}
