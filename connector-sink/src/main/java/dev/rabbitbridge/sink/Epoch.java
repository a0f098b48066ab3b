// SPDX-License-Identifier: Apache-2.0
package dev.rabbitbridge.sink;

import dev.rabbitbridge.confirm.ConfirmTracker;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * What is in flight on the present channel, and what the broker has said of it. All of it ends with
 * the channel: words that carry an older epoch change nothing.
 *
 * <p>Not thread safe: guarded by the outbox's lock.
 */
final class Epoch {
  private final ConfirmTracker<InFlight> tracker = new ConfirmTracker<>();
  private long lastReturned;
  private @Nullable Throwable lost;

  /** Whether the broker has confirmed or nacked anything, and whether the writer knows. */
  private boolean heard;

  private boolean heardTold;

  int number() {
    return tracker.epoch();
  }

  int pending() {
    return tracker.pending();
  }

  /**
   * Returns how many numbers there are from the oldest that is not settled to the last: what is
   * after it cannot be let go of before it.
   */
  int span() {
    return (int) (tracker.next() - 1 - tracker.prefix());
  }

  void track(InFlight item, long now) {
    item.returned = null;
    item.publishedAt = now;
    tracker.track(item, now);
  }

  /** Ends the epoch unless a channel gives the numbers that the last so many records got here. */
  boolean isInStepWith(PublishChannel channel, int count) {
    if (channel.nextPublishSeqNo() == tracker.next() - count) {
      return true;
    }
    lost = new IllegalStateException("publish sequence numbers are out of step");
    return false;
  }

  /**
   * Applies a confirm or a nack.
   *
   * @param each called for each record that it settles
   * @return whether it was a word of this epoch
   */
  boolean settle(int epoch, long number, boolean multiple, Consumer<InFlight> each) {
    if (epoch != tracker.epoch()) {
      return false;
    }
    heard = true;
    if (multiple) {
      tracker.settleThrough(epoch, number, each);
    } else {
      InFlight item = tracker.settle(epoch, number);
      if (item != null) {
        each.accept(item);
      }
    }
    tracker.release(item -> {});
    return true;
  }

  /**
   * Notes that a record came back. Returns come in the order of their publishes, so the search goes
   * on where the last one ended.
   */
  void returned(int epoch, @Nullable Object id, String reason) {
    long first = tracker.prefix() + 1;
    long end = tracker.next();
    long number = Math.max(lastReturned + 1, first);
    for (long tries = end - first; tries > 0; tries--, number++) {
      if (number >= end) {
        number = first;
      }
      InFlight item = tracker.peek(epoch, number);
      if (item != null && id instanceof Long wanted && item.message().id() == wanted) {
        item.returned = reason;
        lastReturned = number;
        return;
      }
    }
  }

  /** Tells, once, that the broker has confirmed or nacked something for the first time. */
  boolean takeFirstWord() {
    boolean first = heard && !heardTold;
    heardTold |= first;
    return first;
  }

  /** Returns what was published at or before a point in time and has no outcome, if not lost. */
  List<InFlight> overdue(long deadline) {
    return lost == null ? tracker.olderThan(deadline) : List.of();
  }

  /** Ends the epoch, whatever is known already. */
  void lose(Throwable cause) {
    lost = cause;
  }

  /** Returns why it is over, null while it is not. */
  @Nullable Throwable lostBecause() {
    return lost;
  }

  /** Begins the next one, and returns what has no outcome in this one, in order. */
  List<InFlight> abandon() {
    lastReturned = 0;
    lost = null;
    heard = false;
    heardTold = false;
    return tracker.abandon();
  }
}
