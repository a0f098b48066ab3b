// SPDX-License-Identifier: Apache-2.0
package dev.rabbitbridge.source;

import com.rabbitmq.client.AMQP.BasicProperties;
import com.rabbitmq.client.Envelope;
import dev.rabbitbridge.confirm.ConfirmTracker;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Knows of every message of one queue that RabbitMQ delivered and has no word about yet, and says
 * which acks may be sent: only of what Kafka has, only in order of the delivery tags, only on the
 * channel that they came from.
 *
 * <p>Invariant: a tag is acked only when that delivery has been settled, and together with others
 * only when each one before it on its channel has. What stands behind one that has not waits for
 * it, until the channel ends in order.
 *
 * <h2>Threading</h2>
 *
 * Thread safe, one lock, no I/O inside it. The client's thread delivers, the task's thread hands
 * out, the producer's or the task's thread settles, the queue's thread takes the words and sends
 * them.
 */
final class Acknowledger {
  private final String queue;
  private final int batchSize;
  private final long maxDelay;
  private final SourceMetrics metrics;
  private final LongSupplier nanoTime;
  private final ConfirmTracker<Delivery> unacked = new ConfirmTracker<>();
  // Handed out on channels that were lost since, and not answered when they were.
  private final List<Delivery> strays = new ArrayList<>();
  private long taken;
  private int takenApart; // behind the prefix
  private long waitingSince;
  private int handedOut;
  private long answers;

  Acknowledger(
      String queue,
      int batchSize,
      Duration maxDelay,
      SourceMetrics metrics,
      LongSupplier nanoTime) {
    this.queue = queue;
    this.batchSize = batchSize;
    this.maxDelay = maxDelay.toNanos();
    this.metrics = metrics;
    this.nanoTime = nanoTime;
  }

  String queue() {
    return queue;
  }

  /**
   * Begins the epoch of a new channel. What was delivered on the one before belongs to RabbitMQ
   * again.
   */
  synchronized int beginEpoch() {
    int tracked = unacked();
    List<Delivery> abandoned = unacked.abandon();
    int settledInVain = tracked - abandoned.size();
    strays.addAll(abandoned);
    strays.removeIf(delivery -> delivery.answered || delivery.handedOutBy == 0);
    metrics.staleTags.add(settledInVain, nanoTime.getAsLong());
    taken = 0;
    takenApart = 0;
    return unacked.epoch();
  }

  /**
   * Takes in a message.
   *
   * @return null when it came on a channel that was given up
   * @throws IllegalStateException if the tag is not the next one, so that tags mean something else
   *     than this class thinks
   */
  synchronized @Nullable Delivery delivered(
      int epoch, String consumerTag, Envelope envelope, BasicProperties properties, byte[] body) {
    if (epoch != unacked.epoch()) {
      return null;
    }
    if (envelope.getDeliveryTag() != unacked.next()) {
      throw new IllegalStateException(
          "delivery tag "
              + envelope.getDeliveryTag()
              + " came when "
              + unacked.next()
              + " was due");
    }
    Delivery delivery = new Delivery(this, epoch, consumerTag, envelope, properties, body);
    long now = nanoTime.getAsLong();
    delivery.deliveredAt = now;
    unacked.track(delivery, now);
    metrics.delivered.add(1, now);
    metrics.redelivered.add(envelope.isRedeliver() ? 1 : 0, now);
    return delivery;
  }

  /** Tells whether the channel that a message came on is still in use. */
  synchronized boolean isCurrent(Delivery delivery) {
    return delivery.epoch() == unacked.epoch();
  }

  /**
   * Notes that a poll returns the record of a message.
   *
   * @param poll the number of that poll, above 0
   * @return false when the message has gone back to RabbitMQ and must not be handed out
   */
  synchronized boolean handOut(Delivery delivery, long poll) {
    if (!isCurrent(delivery)) {
      return false;
    }
    delivery.handedOutBy = poll;
    handedOut++;
    return true;
  }

  /**
   * Notes that the framework has said what became of a record, without settling the message yet.
   *
   * @return false when it had said so before
   */
  synchronized boolean answer(Delivery delivery) {
    if (delivery.answered) {
      return false;
    }
    delivery.answered = true;
    if (delivery.handedOutBy > 0) {
      handedOut--;
      answers++;
    }
    return true;
  }

  /** Settles a message that may be acked. A second word, and one for an old epoch, do nothing. */
  boolean ack(Delivery delivery) {
    return settle(delivery, false);
  }

  /** Settles a message that has to be rejected without requeue. */
  boolean reject(Delivery delivery) {
    return settle(delivery, true);
  }

  /** Returns whether whoever sends the words should look at once. */
  private synchronized boolean settle(Delivery delivery, boolean rejected) {
    answer(delivery);
    boolean nothingWaited = unacked.prefix() == taken;
    boolean repeated = delivery.settled;
    delivery.settled = true;
    if (unacked.settle(delivery.epoch(), delivery.tag()) == null) {
      metrics.staleTags.add(repeated || isCurrent(delivery) ? 0 : 1, nanoTime.getAsLong());
      return false;
    }
    delivery.rejected = rejected;
    if (unacked.prefix() == taken) {
      return false;
    }
    if (nothingWaited) {
      waitingSince = nanoTime.getAsLong();
    }
    return nothingWaited || isBatch();
  }

  private boolean isBatch() {
    return unacked.prefix() - taken >= batchSize || unacked.pending() == 0;
  }

  /**
   * Notes that the framework will say no more about what was handed out before a poll.
   *
   * @param lost told of those among these whose channel was lost
   * @return the messages among these that it said nothing about and that can be settled; those of
   *     lost channels come again
   */
  synchronized List<Delivery> unansweredBefore(long poll, Consumer<Delivery> lost) {
    for (Delivery stray : strays) {
      if (stray.handedOutBy < poll && answer(stray)) {
        lost.accept(stray);
      }
    }
    strays.removeIf(stray -> stray.answered);
    List<Delivery> found = new ArrayList<>();
    for (Delivery delivery : unacked.olderThan(nanoTime.getAsLong())) {
      if (!delivery.answered && delivery.handedOutBy > 0 && delivery.handedOutBy < poll) {
        found.add(delivery);
      }
    }
    return found;
  }

  /**
   * Returns how long the words can wait for others to join them.
   *
   * @return nanoseconds, 0 when they are due, {@link Long#MAX_VALUE} when there are none
   */
  synchronized long untilDue() {
    if (unacked.prefix() == taken) {
      return Long.MAX_VALUE;
    }
    return isBatch() ? 0 : Math.max(0, waitingSince + maxDelay - nanoTime.getAsLong());
  }

  /**
   * Takes the words to send, in order. The caller owns them: they are not given again.
   *
   * @param epoch the channel that they will be sent on
   */
  synchronized List<Word> take(int epoch) {
    List<Word> words = new ArrayList<>();
    if (epoch == unacked.epoch()) {
      unacked.release(delivery -> append(words, delivery));
      taken = unacked.prefix();
    }
    return words;
  }

  /**
   * Takes the last words on a channel: those that {@link #take} gives, and one each for what is
   * settled behind a message that is not, which would be delivered again otherwise.
   *
   * @param epoch the channel that they will be sent on; no words may be taken for it afterwards
   */
  synchronized List<Word> takeLast(int epoch) {
    List<Word> words = take(epoch);
    if (epoch == unacked.epoch()) {
      int inOrder = words.size();
      unacked.settledBehindPrefix(
          delivery -> {
            words.add(new Word(delivery.tag(), !delivery.rejected, 1));
            recordLatency(delivery);
          });
      takenApart = words.size() - inOrder;
    }
    return words;
  }

  private void append(List<Word> words, Delivery delivery) {
    recordLatency(delivery);
    int last = words.size() - 1;
    if (delivery.rejected) {
      words.add(new Word(delivery.tag(), false, 1));
    } else if (last >= 0 && words.get(last).ack()) {
      words.set(last, new Word(delivery.tag(), true, words.get(last).messages() + 1));
    } else {
      words.add(new Word(delivery.tag(), true, 1));
    }
  }

  private void recordLatency(Delivery delivery) {
    if (!delivery.rejected) {
      long now = nanoTime.getAsLong();
      metrics.ackLatency.record(now - delivery.deliveredAt, now);
    }
  }

  /** Returns how many records the framework has and has said nothing about, of all epochs. */
  synchronized int handedOut() {
    return handedOut;
  }

  /** Returns how often the framework has said what became of a record. */
  synchronized long answers() {
    return answers;
  }

  /** Returns how many messages RabbitMQ has no word about. */
  synchronized int unacked() {
    return (int) (unacked.next() - 1 - taken - takenApart);
  }

  /** Returns how many messages wait to be settled. */
  synchronized int pending() {
    return unacked.pending();
  }

  /**
   * What to tell RabbitMQ.
   *
   * @param tag the delivery tag
   * @param ack true for an ack, false to reject the message
   * @param messages how many messages it is about: one, or everything up to the tag that has no
   *     word yet
   */
  record Word(long tag, boolean ack, int messages) {
    boolean multiple() {
      return messages > 1;
    }
  }
}
