// SPDX-License-Identifier: Apache-2.0
package dev.rabbitbridge.sink;

import dev.rabbitbridge.confirm.ConfirmTracker;
import dev.rabbitbridge.failure.Backoff;
import dev.rabbitbridge.message.ProtocolLimits;
import dev.rabbitbridge.metrics.Tally;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Deque;
import java.util.List;
import java.util.PriorityQueue;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.LongSupplier;
import org.apache.kafka.connect.errors.DataException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Holds each record from its offer until its outcome is taken, and applies the broker's words to
 * it. Does no I/O.
 *
 * <p>Invariant: a record is in exactly one of four places - waiting, delayed after a nack, in the
 * tracker, settled.
 *
 * <h2>Threading</h2>
 *
 * The task thread offers records and takes settled ones, the writer thread takes what to publish,
 * the connection's thread brings the words. They meet under one lock, which nobody holds over a
 * call to the broker.
 */
final class Outbox implements PublishChannel.Words {
  /** What {@link #take} returns when there is nothing more to publish on a channel. */
  static final int OVER = -1;

  private static final Logger LOG = LoggerFactory.getLogger(Outbox.class);

  private final int window;
  private final boolean strictOrder;
  private final int maxRetries;
  private final Backoff backoff;
  private final LongSupplier nanoTime;
  private final SinkMetrics metrics;
  private final Tally nacks;
  private final Tally returns;
  private final Tally timeouts;
  private final Tally unknowns;

  private final ReentrantLock lock = new ReentrantLock();
  private final Condition work = lock.newCondition();
  private final Condition outcome = lock.newCondition();

  // All below is guarded by lock.
  private final Deque<InFlight> waiting = new ArrayDeque<>();
  private final PriorityQueue<InFlight> delayed =
      new PriorityQueue<>(Comparator.comparingLong((InFlight item) -> item.dueAt));
  private final ConfirmTracker<InFlight> tracker = new ConfirmTracker<>();
  private List<InFlight> settled = new ArrayList<>();
  private @Nullable Throwable lost;
  private long lastReturned;

  /** Whether the broker has confirmed or nacked anything in this epoch, and the writer knows. */
  private boolean heard;

  private boolean heardTold;

  /** When the word came that is being applied, and what it has confirmed so far. */
  private long wordAt;

  private int confirmedByWord;
  private boolean closed;

  /**
   * While some records may yet turn out to be what closed a channel, everything goes out one at a
   * time. A suspect carries the number of the present search.
   */
  private int suspects;

  private int search;

  Outbox(String name, RabbitMQSinkConfig config, SinkMetrics metrics, LongSupplier nanoTime) {
    this.window = config.maxInFlight();
    this.strictOrder = config.confirmMode() == RabbitMQSinkConfig.ConfirmMode.SINGLE;
    this.maxRetries = config.maxRetries();
    this.backoff = config.retryBackoff();
    this.nanoTime = nanoTime;
    this.metrics = metrics;
    this.nacks = new Tally(LOG, name, "nacked by RabbitMQ", nanoTime);
    this.returns = new Tally(LOG, name, "returned by RabbitMQ as unroutable", nanoTime);
    this.timeouts =
        new Tally(
            LOG,
            name,
            "without a confirm within "
                + config.confirmTimeout().toMillis()
                + " ms, published again on a new channel",
            nanoTime);
    this.unknowns = new Tally(LOG, name, "lost with their channel and published again", nanoTime);
  }

  // ---- task thread ----

  /** Takes over as many records as fit the window, in order, and no more than is said. */
  void offer(Deque<InFlight> from, int most) {
    lock.lock();
    try {
      int room = Math.min(most, window - held());
      for (; room > 0 && !from.isEmpty(); room--) {
        waiting.add(from.poll());
      }
      work.signal();
    } finally {
      lock.unlock();
    }
  }

  /** Hands over the records whose outcome became known since the last call. */
  List<InFlight> takeSettled() {
    lock.lock();
    try {
      List<InFlight> taken = settled;
      if (!taken.isEmpty()) {
        settled = new ArrayList<>();
      }
      return taken;
    } finally {
      lock.unlock();
    }
  }

  /** Waits until there is something to take, the outbox is closed, or the time is over. */
  void awaitSettled(Duration longest) throws InterruptedException {
    lock.lockInterruptibly();
    try {
      long left = longest.toNanos();
      while (settled.isEmpty() && !closed && left > 0) {
        left = outcome.awaitNanos(left);
      }
    } finally {
      lock.unlock();
    }
  }

  /** Returns how many records are published and have no outcome yet. */
  int inFlight() {
    lock.lock();
    try {
      return tracker.pending();
    } finally {
      lock.unlock();
    }
  }

  /** Returns how many records have no outcome yet. */
  int pending() {
    lock.lock();
    try {
      return held();
    } finally {
      lock.unlock();
    }
  }

  /**
   * Gives the epoch up if something published at or before a point in time has no confirm; returns
   * whether it did.
   */
  boolean loseIfOverdue(long deadline, Duration timeout) {
    lock.lock();
    try {
      List<InFlight> overdue = lost == null ? tracker.olderThan(deadline) : List.of();
      if (overdue.isEmpty()) {
        return false;
      }
      overdue.forEach(item -> item.retries++);
      metrics.timedOut.add(overdue.size(), nanoTime.getAsLong());
      timeouts.add(overdue.size(), overdue.get(0)::where);
      lost =
          new ConfirmTimeoutException(
              "no confirm within "
                  + timeout.toMillis()
                  + " ms for "
                  + overdue.size()
                  + " of "
                  + tracker.pending()
                  + " pending messages");
      work.signal();
      return true;
    } finally {
      lock.unlock();
    }
  }

  /** Logs what was counted since the last line of its kind. */
  void logCounted() {
    nacks.flush();
    returns.flush();
    timeouts.flush();
    unknowns.flush();
  }

  /** Wakes everybody who waits; nothing is taken to be published any more. */
  void close() {
    lock.lock();
    try {
      closed = true;
      work.signalAll();
      outcome.signalAll();
    } finally {
      lock.unlock();
    }
  }

  // ---- writer thread ----

  boolean isClosed() {
    lock.lock();
    try {
      return closed;
    } finally {
      lock.unlock();
    }
  }

  /** Returns the epoch that the next channel has. */
  int epoch() {
    lock.lock();
    try {
      return tracker.epoch();
    } finally {
      lock.unlock();
    }
  }

  /**
   * Waits for something to publish on a channel and gives it the channel's next numbers.
   *
   * @return how many records of the batch to publish, in order; 0 once, when the broker has
   *     confirmed or nacked something on this channel for the first time; {@link #OVER} when the
   *     epoch is lost or the outbox closed
   */
  int take(PublishChannel channel, InFlight[] batch) throws InterruptedException {
    lock.lockInterruptibly();
    try {
      while (!closed) {
        if (heard && !heardTold) {
          heardTold = true;
          return 0;
        }
        if (lost != null) {
          break;
        }
        int room = channel.isBlocked() ? 0 : Math.min(room(), batch.length);
        int count = fill(channel, batch, room);
        if (count > 0) {
          return count;
        }
        if (lost != null) {
          break;
        }
        if (room <= 0 || delayed.isEmpty()) {
          // Without room only a word can help, however overdue a retry is.
          work.await();
        } else {
          work.awaitNanos(Math.max(1, delayed.element().dueAt - nanoTime.getAsLong()));
        }
      }
      return OVER;
    } finally {
      lock.unlock();
    }
  }

  /**
   * Returns how many more may be published. Like the ledger's, the window is counted from the
   * oldest that is not confirmed: what is after it cannot be let go of before it.
   */
  private int room() {
    int limit = strictOrder || suspects > 0 ? 1 : window;
    return limit - (int) (tracker.next() - 1 - tracker.prefix());
  }

  private int fill(PublishChannel channel, InFlight[] batch, int room) {
    long now = nanoTime.getAsLong();
    int count = 0;
    while (count < room) {
      InFlight item = nextDue(now);
      if (item == null) {
        break;
      }
      if (item.orphaned || isOverLimit(item, channel.frameMax())) {
        settle(item);
        continue;
      }
      item.returned = null;
      item.publishedAt = now;
      tracker.track(item, now);
      batch[count++] = item;
    }
    // A channel that counts otherwise than the tracker would confirm the wrong records.
    if (count > 0 && channel.nextPublishSeqNo() != tracker.next() - count) {
      lost = new IllegalStateException("publish sequence numbers are out of step");
      return 0;
    }
    return count;
  }

  private @Nullable InFlight nextDue(long now) {
    InFlight first = delayed.peek();
    if (first != null && (first.dueAt - now <= 0 || first.orphaned)) {
      return delayed.poll();
    }
    return strictOrder && first != null ? null : waiting.poll();
  }

  private static boolean isOverLimit(InFlight item, int frameMax) {
    try {
      ProtocolLimits.headerFrame(item.message().properties(), frameMax);
      return false;
    } catch (DataException e) {
      item.refusal = e.getMessage();
      return true;
    }
  }

  /**
   * Notes that a record could not even be written. The client has used up a number for it that the
   * broker never saw, so the epoch ends.
   */
  void unwritable(InFlight item, Exception e) {
    lock.lock();
    try {
      item.refusal = "cannot be written: " + e;
      lost = e;
    } finally {
      lock.unlock();
    }
  }

  /** Waits, unless the outbox is closed. */
  void pause(Duration delay) throws InterruptedException {
    lock.lockInterruptibly();
    try {
      long left = delay.toNanos();
      while (!closed && left > 0) {
        left = work.awaitNanos(left);
      }
    } finally {
      lock.unlock();
    }
  }

  /** Returns why the epoch is lost, null while it is not. */
  @Nullable Throwable lostBecause() {
    lock.lock();
    try {
      return lost;
    } finally {
      lock.unlock();
    }
  }

  /**
   * Ends the epoch. What was in flight goes back to the front, in its order, because nobody knows
   * what the broker did with it.
   *
   * @param guilt why the broker closed the channel, if it was over one of these records; if there
   *     is just one, it is that one, else each is tried alone until it is found
   */
  void startOver(@Nullable String guilt) {
    lock.lock();
    try {
      List<InFlight> unknown = tracker.abandon();
      if (guilt != null) {
        suspect(unknown, guilt);
      }
      int again = 0;
      for (int i = unknown.size() - 1; i >= 0; i--) {
        InFlight item = unknown.get(i);
        if (item.refusal == null && isUsedUp(item)) {
          item.refusal = "not confirmed by RabbitMQ in " + item.retries + " attempts";
        }
        if (item.refusal == null) {
          waiting.addFirst(item);
          again++;
        } else {
          settle(item);
        }
      }
      if (again > 0 && !(lost instanceof ConfirmTimeoutException)) {
        unknowns.add(again, waiting.element()::where);
      }
      lost = null;
      lastReturned = 0;
      heard = false;
      heardTold = false;
    } finally {
      lock.unlock();
    }
  }

  private void suspect(List<InFlight> unknown, String guilt) {
    search++;
    suspects = 0;
    if (unknown.size() == 1) {
      unknown.get(0).refusal = guilt;
      return;
    }
    for (InFlight item : unknown) {
      item.suspectOf = search;
      suspects++;
    }
  }

  private void clear(InFlight item) {
    if (suspects > 0 && item.suspectOf == search) {
      item.suspectOf = 0;
      suspects--;
    }
  }

  // ---- the broker's words, on the connection's thread ----

  @Override
  public void confirmed(int epoch, long number, boolean multiple) {
    lock.lock();
    try {
      if (epoch != tracker.epoch()) {
        return;
      }
      wordAt = nanoTime.getAsLong();
      if (multiple) {
        tracker.settleThrough(epoch, number, this::acked);
      } else {
        InFlight item = tracker.settle(epoch, number);
        if (item != null) {
          acked(item);
        }
      }
      afterWord();
    } finally {
      lock.unlock();
    }
  }

  @Override
  public void nacked(int epoch, long number, boolean multiple) {
    lock.lock();
    try {
      if (epoch != tracker.epoch()) {
        return;
      }
      wordAt = nanoTime.getAsLong();
      if (multiple) {
        tracker.settleThrough(epoch, number, this::delay);
      } else {
        InFlight item = tracker.settle(epoch, number);
        if (item != null) {
          delay(item);
        }
      }
      afterWord();
    } finally {
      lock.unlock();
    }
  }

  /**
   * Returns come in the order of their publishes, so the search goes on where the last one ended.
   */
  @Override
  public void returned(int epoch, @Nullable Object id, String reason) {
    lock.lock();
    try {
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
    } finally {
      lock.unlock();
    }
  }

  @Override
  public void lost(int epoch, Throwable cause) {
    lock.lock();
    try {
      if (epoch == tracker.epoch() && lost == null) {
        lost = cause;
        work.signal();
      }
    } finally {
      lock.unlock();
    }
  }

  @Override
  public void stateChanged() {
    lock.lock();
    try {
      work.signal();
    } finally {
      lock.unlock();
    }
  }

  private void acked(InFlight item) {
    if (item.returned == null) {
      confirmedByWord++;
      metrics.confirmLatency.record(wordAt - item.publishedAt, wordAt);
    } else {
      item.refusal = "no queue takes it: " + item.returned;
      metrics.returned.add(1, wordAt);
      returns.add(item::where);
    }
    settle(item);
  }

  private void delay(InFlight item) {
    clear(item);
    item.retries++;
    metrics.nacked.add(1, wordAt);
    nacks.add(item::where);
    if (isUsedUp(item)) {
      item.refusal = "nacked by RabbitMQ " + item.retries + " times";
      settle(item);
    } else {
      item.dueAt = wordAt + backoff.delay(item.retries).toNanos();
      delayed.add(item);
    }
  }

  private void afterWord() {
    heard = true;
    if (confirmedByWord > 0) {
      metrics.confirmed.add(confirmedByWord, wordAt);
      confirmedByWord = 0;
    }
    tracker.release(item -> {});
    work.signal();
    outcome.signal();
  }

  private void settle(InFlight item) {
    clear(item);
    settled.add(item);
    outcome.signal();
  }

  private boolean isUsedUp(InFlight item) {
    return maxRetries >= 0 && item.retries > maxRetries;
  }

  private int held() {
    return waiting.size() + delayed.size() + tracker.pending();
  }
}
