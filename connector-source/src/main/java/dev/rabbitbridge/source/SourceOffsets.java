// SPDX-License-Identifier: Apache-2.0
package dev.rabbitbridge.source;

import dev.rabbitbridge.failure.Fault;
import java.util.Collections;
import java.util.HashMap;
import java.util.Map;
import java.util.TreeMap;
import org.apache.kafka.connect.errors.ConnectException;
import org.jspecify.annotations.Nullable;

/** The source partitions and offsets that Connect keeps, as it keeps them. */
final class SourceOffsets {
  static final String QUEUE = "queue";
  static final String CLUSTER = "cluster";
  static final String WINDOW = "window";
  static final String SEQUENCE = "sequence";
  static final String SETTLED = "settled";
  static final String STREAM_OFFSET = "stream.offset";
  static final String FINGERPRINT = "fingerprint";

  private SourceOffsets() {}

  /**
   * Names the source partition of a queue.
   *
   * @param cluster tells queues of the same name apart; null when there is no need
   */
  static Map<String, String> partition(String queue, @Nullable String cluster) {
    return cluster == null ? Map.of(QUEUE, queue) : sorted(Map.of(QUEUE, queue, CLUSTER, cluster));
  }

  /** Names the source partition of a part of what is remembered about a queue. */
  static Map<String, String> partition(Map<String, String> queue, int slot) {
    Map<String, String> partition = new HashMap<>(queue);
    partition.put(WINDOW, Integer.toString(slot));
    return sorted(partition);
  }

  /** Connect looks an offset up by the bytes of its partition, in which the order counts. */
  private static Map<String, String> sorted(Map<String, String> partition) {
    return Collections.unmodifiableMap(new TreeMap<>(partition));
  }

  /**
   * Where a record stands, as Connect keeps it.
   *
   * @param partition the source partition
   * @param offset the source offset, different from that of every other record of the partition
   */
  record Place(Map<String, String> partition, Map<String, ?> offset) {}

  /**
   * Checks offsets that a person wants to set.
   *
   * @param stream whether the connector reads streams
   * @param cluster as configured; null for none
   * @throws ConnectException with the reason, if it is not possible
   */
  static void check(
      boolean stream, @Nullable String cluster, Map<Map<String, ?>, Map<String, ?>> offsets) {
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
          boolean known =
              partition.get(QUEUE) instanceof String queue
                  && partition.equals(partition(queue, cluster));
          if (!known || StreamCursor.Position.of(offset) == null) {
            throw Fault.OFFSET_OF_STREAM.exception(
                "A position in a stream is the partition {\"queue\": NAME"
                    + (cluster == null ? "" : ", \"cluster\": \"" + cluster + "\"")
                    + "} with the offset {\"stream.offset\": NUMBER}."
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
