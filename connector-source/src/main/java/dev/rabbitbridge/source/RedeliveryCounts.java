// SPDX-License-Identifier: Apache-2.0
package dev.rabbitbridge.source;

import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Counts how often messages of queues that do not count themselves came back, for as long as the
 * task runs. Knows the messages that came back last, so its size is bounded.
 *
 * <p>Not thread safe: for the task's thread.
 */
final class RedeliveryCounts {
  private final Map<String, Integer> counts;

  RedeliveryCounts(int most) {
    counts =
        new LinkedHashMap<>(16, 0.75f, true) {
          @Override
          protected boolean removeEldestEntry(Map.Entry<String, Integer> eldest) {
            return size() > most;
          }
        };
  }

  /** Notes a delivery and returns how often the message came back, this time included. */
  int of(Delivery delivery) {
    if (!delivery.redelivered()) {
      return 0;
    }
    String id = delivery.properties().getMessageId();
    String message = delivery.queue() + ' ' + (id == null ? delivery.fingerprint() : id);
    return counts.merge(message, 1, Integer::sum);
  }
}
