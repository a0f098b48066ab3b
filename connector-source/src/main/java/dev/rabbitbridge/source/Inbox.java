// SPDX-License-Identifier: Apache-2.0
package dev.rabbitbridge.source;

import java.time.Duration;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Messages on their way from the client's thread to the task's, in the order they came.
 *
 * <p>Never full: each queue's prefetch bounds what can be in it. So putting in never blocks. Thread
 * safe.
 */
final class Inbox {
  private final BlockingQueue<Delivery> waiting = new LinkedBlockingQueue<>();

  void put(Delivery delivery) {
    waiting.add(delivery);
  }

  @Nullable Delivery poll(Duration longest) throws InterruptedException {
    return waiting.poll(longest.toNanos(), TimeUnit.NANOSECONDS);
  }

  @Nullable Delivery poll() {
    return waiting.poll();
  }

  /** Forgets what belongs to RabbitMQ again since its channel was given up. */
  void removeStale(Acknowledger of) {
    waiting.removeIf(delivery -> delivery.acknowledger() == of && !of.isCurrent(delivery));
  }

  int size() {
    return waiting.size();
  }

  void clear() {
    waiting.clear();
  }
}
