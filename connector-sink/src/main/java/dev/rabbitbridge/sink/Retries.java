// SPDX-License-Identifier: Apache-2.0
package dev.rabbitbridge.sink;

import dev.rabbitbridge.failure.Backoff;
import java.util.Comparator;
import java.util.PriorityQueue;
import org.jspecify.annotations.Nullable;

/**
 * Keeps nacked records until their back-off is over, and knows how often a record may be tried.
 *
 * <p>Not thread safe: guarded by the outbox's lock.
 */
final class Retries {
  private final int most;
  private final Backoff backoff;
  private final PriorityQueue<InFlight> delayed =
      new PriorityQueue<>(Comparator.comparingLong((InFlight item) -> item.dueAt));

  /**
   * Creates an empty one.
   *
   * @param most how often a record may be published again; negative for ever
   * @param backoff how long to wait before
   */
  Retries(int most, Backoff backoff) {
    this.most = most;
    this.backoff = backoff;
  }

  /** Tells whether a record has failed too often to be published again. */
  boolean areUsedUp(InFlight item) {
    return most >= 0 && item.retries > most;
  }

  void delay(InFlight item, long now) {
    item.dueAt = now + backoff.delay(item.retries).toNanos();
    delayed.add(item);
  }

  /** Returns a record whose time has come, or whose partition is gone; null while there is none. */
  @Nullable InFlight pollDue(long now) {
    InFlight first = delayed.peek();
    boolean due = first != null && (first.dueAt - now <= 0 || first.orphaned);
    return due ? delayed.poll() : null;
  }

  /** Returns how many nanoseconds to wait for the first one, at least 1; only if there is one. */
  long untilNext(long now) {
    return Math.max(1, delayed.element().dueAt - now);
  }

  boolean isEmpty() {
    return delayed.isEmpty();
  }

  int size() {
    return delayed.size();
  }
}
