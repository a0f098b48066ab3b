// SPDX-License-Identifier: Apache-2.0
package dev.rabbitbridge.sink;

import dev.rabbitbridge.failure.Failure;
import dev.rabbitbridge.message.ProtocolLimits;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import org.apache.kafka.connect.errors.DataException;
import org.jspecify.annotations.Nullable;

/**
 * Holds each record from its offer until its outcome is taken, and applies the broker's words to
 * it. Does no I/O.
 *
 * <p>Invariant: a record is in exactly one of four places - waiting, delayed after a nack, in
 * flight on the present channel, settled.
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

  private final int window;
  private final boolean strictOrder;
  private final LongSupplier nanoTime;

  private final ReentrantLock lock = new ReentrantLock();
  private final Condition work = lock.newCondition();
  private final Condition outcome = lock.newCondition();

  // All below is guarded by lock.
  private final Deque<InFlight> waiting = new ArrayDeque<>();
  private final Retries retries;
  private final Epoch epoch = new Epoch();
  private final Suspects suspects = new Suspects();
  private final Outcomes outcomes;
  private final Consumer<InFlight> onAck = this::acked;
  private final Consumer<InFlight> onNack = this::nacked;
  private List<InFlight> settled = new ArrayList<>();
  private boolean closed;

  /** When the word came that is being applied. */
  private long wordAt;

  Outbox(String name, RabbitMQSinkConfig config, SinkMetrics metrics, LongSupplier nanoTime) {
    this.window = config.maxInFlight();
    this.strictOrder = config.confirmMode() == RabbitMQSinkConfig.ConfirmMode.SINGLE;
    this.nanoTime = nanoTime;
    this.retries = new Retries(config.maxRetries(), config.retryBackoff());
    this.outcomes = new Outcomes(name, config.confirmTimeout(), metrics, nanoTime);
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
      return epoch.pending();
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
      List<InFlight> overdue = epoch.overdue(deadline);
      if (overdue.isEmpty()) {
        return false;
      }
      overdue.forEach(item -> item.retries++);
      outcomes.timedOut(overdue, nanoTime.getAsLong());
      epoch.lose(
          new ConfirmTimeoutException(
              "no confirm within "
                  + timeout.toMillis()
                  + " ms for "
                  + overdue.size()
                  + " of "
                  + epoch.pending()
                  + " pending messages"));
      work.signal();
      return true;
    } finally {
      lock.unlock();
    }
  }

  /** Logs what was counted since the last line of its kind. */
  void logCounted() {
    outcomes.flush();
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
      return epoch.number();
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
        if (epoch.takeFirstWord()) {
          return 0;
        }
        if (epoch.lostBecause() != null) {
          break;
        }
        int room = channel.isBlocked() ? 0 : Math.min(room(), batch.length);
        int count = fill(channel, batch, room);
        if (count > 0) {
          return count;
        }
        if (epoch.lostBecause() != null) {
          break;
        }
        if (room <= 0 || retries.isEmpty()) {
          // Without room only a word can help, however overdue a retry is.
          work.await();
        } else {
          work.awaitNanos(retries.untilNext(nanoTime.getAsLong()));
        }
      }
      return OVER;
    } finally {
      lock.unlock();
    }
  }

  private int room() {
    return (strictOrder || suspects.areLeft() ? 1 : window) - epoch.span();
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
      epoch.track(item, now);
      batch[count++] = item;
    }
    // A channel that counts otherwise than we do would confirm the wrong records.
    return count > 0 && !epoch.isInStepWith(channel, count) ? 0 : count;
  }

  private @Nullable InFlight nextDue(long now) {
    InFlight again = retries.pollDue(now);
    if (again != null) {
      return again;
    }
    return strictOrder && !retries.isEmpty() ? null : waiting.poll();
  }

  private static boolean isOverLimit(InFlight item, int frameMax) {
    try {
      ProtocolLimits.headerFrame(item.message().properties(), frameMax);
      return false;
    } catch (DataException e) {
      item.refusal = Failure.messageOf(e);
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
      epoch.lose(e);
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
      return epoch.lostBecause();
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
      boolean counted = epoch.lostBecause() instanceof ConfirmTimeoutException;
      List<InFlight> unknown = epoch.abandon();
      if (guilt != null) {
        suspects.search(unknown, guilt);
      }
      int again = 0;
      for (int i = unknown.size() - 1; i >= 0; i--) {
        InFlight item = unknown.get(i);
        if (item.refusal == null && retries.areUsedUp(item)) {
          item.refusal = "not confirmed by RabbitMQ in " + item.retries + " attempts";
        }
        if (item.refusal == null) {
          waiting.addFirst(item);
          again++;
        } else {
          settle(item);
        }
      }
      if (again > 0 && !counted) {
        outcomes.lost(again, waiting.element());
      }
    } finally {
      lock.unlock();
    }
  }

  // ---- the broker's words, on the connection's thread ----

  @Override
  public void confirmed(int epochOfWord, long number, boolean multiple) {
    apply(epochOfWord, number, multiple, onAck);
  }

  @Override
  public void nacked(int epochOfWord, long number, boolean multiple) {
    apply(epochOfWord, number, multiple, onNack);
  }

  private void apply(int epochOfWord, long number, boolean multiple, Consumer<InFlight> each) {
    lock.lock();
    try {
      wordAt = nanoTime.getAsLong();
      if (epoch.settle(epochOfWord, number, multiple, each)) {
        outcomes.endOfWord(wordAt);
        work.signal();
      }
    } finally {
      lock.unlock();
    }
  }

  @Override
  public void returned(int epochOfWord, @Nullable Object id, String reason) {
    lock.lock();
    try {
      epoch.returned(epochOfWord, id, reason);
    } finally {
      lock.unlock();
    }
  }

  @Override
  public void lost(int epochOfWord, Throwable cause) {
    lock.lock();
    try {
      if (epochOfWord == epoch.number() && epoch.lostBecause() == null) {
        epoch.lose(cause);
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
      outcomes.confirmed(item, wordAt);
    } else {
      item.refusal = "no queue takes it: " + item.returned + hint(item);
      outcomes.returned(item, wordAt);
    }
    settle(item);
  }

  private static String hint(InFlight item) {
    Map<String, Object> headers = item.message().properties().getHeaders();
    return headers != null && headers.containsKey("x-delay")
        ? ". An exchange of the type x-delayed-message returns what it delays; set "
            + RabbitMQSinkConfig.MANDATORY_CONFIG
            + " to false for it"
        : "";
  }

  private void nacked(InFlight item) {
    item.retries++;
    outcomes.nacked(item, wordAt);
    if (retries.areUsedUp(item)) {
      item.refusal = "nacked by RabbitMQ " + item.retries + " times";
      settle(item);
    } else {
      suspects.clear(item);
      retries.delay(item, wordAt);
    }
  }

  private void settle(InFlight item) {
    suspects.clear(item);
    settled.add(item);
    outcome.signal();
  }

  private int held() {
    return waiting.size() + retries.size() + epoch.pending();
  }
}
