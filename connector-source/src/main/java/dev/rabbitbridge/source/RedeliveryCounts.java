// SPDX-License-Identifier: Apache-2.0
package dev.rabbitbridge.source;

import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Counts how often messages of queues that do not count themselves came back, for as long as the
 * task runs. Knows the messages that came back last, so its size is bounded.
 *
 * <p>A message comes back at most once on each channel. So of equal messages, which cannot be told
 * apart, any number on one channel is no more than one that came back.
 *
 * <h2>Threading</h2>
 *
 * Thread safe.
 */
final class RedeliveryCounts {
  private final Map<String, Count> counts;

  private record Count(int times, int epoch) {}

  RedeliveryCounts(int most) {
    counts =
        new LinkedHashMap<>(16, 0.75f, true) {
          @Override
          protected boolean removeEldestEntry(Map.Entry<String, Count> eldest) {
            return size() > most;
          }
        };
  }

  /** Notes a delivery and returns how often the message came back, this time included. */
  synchronized int of(Delivery delivery) {
    if (!delivery.redelivered()) {
      return 0;
    }
    int epoch = delivery.epoch();
    Count count =
        counts.compute(
            name(delivery),
            (message, before) -> {
              if (before == null) {
                return new Count(1, epoch);
              }
              return before.epoch == epoch ? before : new Count(before.times + 1, epoch);
            });
    return count.times;
  }

  /** Notes that Kafka has the message: whatever equals it and comes back later is another one. */
  synchronized void forget(Delivery delivery) {
    if (delivery.redelivered() && !counts.isEmpty()) {
      counts.remove(name(delivery));
    }
  }

  private static String name(Delivery delivery) {
    String id = delivery.messageId();
    return delivery.queue() + ' ' + (id == null ? delivery.fingerprint() : id);
  }
}
