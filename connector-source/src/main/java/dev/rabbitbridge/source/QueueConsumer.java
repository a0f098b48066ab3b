// SPDX-License-Identifier: Apache-2.0
package dev.rabbitbridge.source;

import com.rabbitmq.client.AMQP.BasicProperties;
import com.rabbitmq.client.Channel;
import com.rabbitmq.client.ChannelContinuationTimeoutException;
import com.rabbitmq.client.DefaultConsumer;
import com.rabbitmq.client.Envelope;
import com.rabbitmq.client.ShutdownSignalException;
import dev.rabbitbridge.connection.BrokerConnection;
import java.io.IOException;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Consumes one queue: subscribes on a channel of its own, sends the acks, and subscribes again
 * whenever the channel, the consumer or the connection is lost.
 *
 * <h2>Threading</h2>
 *
 * One thread of its own runs it and does all that can block on the socket, so that trouble with one
 * queue does not hold up the acks of another. The client's thread only takes note of what happened.
 */
final class QueueConsumer extends LinkWorker {
  private static final Logger LOG = LoggerFactory.getLogger(QueueConsumer.class);
  private static final Duration BETWEEN_LOOKS = Duration.ofMillis(100);
  private static final Duration SILENCE = Duration.ofSeconds(5);
  private static final Duration LONGEST_SILENCE = Duration.ofMinutes(10);
  // Each message that is lost with a channel comes nearer to a quorum queue's delivery limit.
  private static final int CAUTIOUS_AFTER = 2;
  private static final int CAUTIOUS_PREFETCH = 10;

  private final RabbitMQSourceConfig config;
  private final Inbox inbox;
  private final Acknowledger acknowledger;
  private final QueueOutage outage;
  private final @Nullable StreamCursor cursor;
  private final LongSupplier polls;
  private final SourceMetrics metrics;
  private volatile boolean subscribed;
  // Owned by the consumer's thread.
  private int fruitless; // epochs in a row
  private boolean saidUndeliverable;
  private Duration trusted = SILENCE;

  /**
   * Creates a consumer that has not subscribed yet.
   *
   * @param cursor where it is in the queue; null for a queue that is no stream
   * @param polls how often the task was polled
   * @param gaveUp told once, on the consumer's thread, why the task has to fail
   */
  QueueConsumer(
      RabbitMQSourceConfig config,
      Link link,
      Inbox inbox,
      Acknowledger acknowledger,
      QueueOutage outage,
      @Nullable StreamCursor cursor,
      SourceMetrics metrics,
      LongSupplier polls,
      Consumer<Throwable> gaveUp) {
    super(link, gaveUp);
    this.config = config;
    this.inbox = inbox;
    this.acknowledger = acknowledger;
    this.outage = outage;
    this.cursor = cursor;
    this.metrics = metrics;
    this.polls = polls;
  }

  @Nullable StreamCursor cursor() {
    return cursor;
  }

  /** Tells whether RabbitMQ delivers to it. */
  boolean isSubscribed() {
    return subscribed;
  }

  /** Returns how many messages it has that RabbitMQ has no word about. */
  int unacked() {
    return acknowledger.unacked();
  }

  @Override
  void work(BrokerConnection connection) throws InterruptedException {
    int epoch = acknowledger.beginEpoch();
    Throwable why;
    try {
      why = consume(connection, epoch);
    } catch (ChannelContinuationTimeoutException e) {
      // Whatever the broker answers later, the channel would not be ours any more.
      link().replace(connection, e);
      why = e;
    } catch (IOException | ShutdownSignalException e) {
      why = e;
    }
    if (subscribed && acknowledger.unacked() == 0) {
      outage.lostIdle();
    }
    subscribed = false;
    long pollsAtLoss = polls.getAsLong();
    long answersAtLoss = acknowledger.answers();
    acknowledger.beginEpoch();
    inbox.removeStale(acknowledger);
    if (!isStopping() && why != null) {
      fruitless++;
      if (!isOfConnection(why) && connection.isOpen()) {
        recover(connection, why);
      }
      awaitMovement(pollsAtLoss, answersAtLoss);
    }
  }

  private void recover(BrokerConnection connection, Throwable why) throws InterruptedException {
    Duration delay = outage.failed(why);
    if (cursor != null
        && config.connection().addresses().size() > 1
        && QueueOutage.isRefusedConsume(why)) {
      // This node has no replica of the stream; another may have.
      link().replace(connection, why);
    }
    pause(delay);
  }

  /** Returns why the channel is of no more use; null to subscribe again at once. */
  private @Nullable Throwable consume(BrokerConnection connection, int epoch)
      throws IOException, InterruptedException {
    if (cursor != null && cursor.mustPin()) {
      StreamEnd.Tail tail =
          StreamEnd.find(connection, acknowledger.queue(), Map.of(), Long.MAX_VALUE);
      if (tail != null) {
        cursor.pin(tail);
      }
    }
    Channel channel = connection.openChannel();
    Subscription subscription = new Subscription(channel, epoch);
    boolean cautious = cursor == null && fruitless >= CAUTIOUS_AFTER;
    String tag = subscribe(channel, subscription, cautious);
    outage.subscribed();
    subscribed = true;
    long lookedAt = System.nanoTime();
    boolean silent = false;
    while (!isStopping() && subscription.end == null && !silent && !mustRestart()) {
      if (acknowledger.untilDue() == 0) {
        if (cautious) {
          // On the same channel, so that what is unacked stays here: given back, it could come
          // again when nobody remembers it. Before the ack, so that nothing is under way to the
          // consumer that is cancelled, which a quorum queue would put behind everything else.
          channel.basicCancel(tag);
          cautious = false;
          tag = subscribe(channel, subscription, false);
        }
        send(channel, acknowledger.take(epoch));
      }
      if (cursor == null || !cursor.isWaiting()) {
        await(acknowledger.untilDue());
      } else if (System.nanoTime() - lookedAt < trusted.toNanos()) {
        await(Math.min(acknowledger.untilDue(), trusted.toNanos()));
      } else {
        silent = isSilent(connection);
        lookedAt = System.nanoTime();
      }
    }
    if (subscription.end == null) {
      channel.basicCancel(tag);
      send(channel, acknowledger.takeLast(epoch));
    }
    giveBack(channel);
    return subscription.end;
  }

  private boolean mustRestart() {
    return cursor != null && cursor.mustRestart();
  }

  private String subscribe(Channel channel, Subscription subscription, boolean cautious)
      throws IOException {
    Map<String, Object> arguments = new HashMap<>(config.consumerArguments());
    if (cursor != null) {
      arguments.put("x-stream-offset", cursor.subscribe(subscription.epoch));
    } else {
      // The default, so it changes nothing, but a stream refuses it: without an offset a stream
      // would be read from its end, and all it holds be left out.
      arguments.putIfAbsent("x-priority", 0);
    }
    // Per consumer, and before consuming: else RabbitMQ sends all it has.
    channel.basicQos(cautious ? Math.min(config.prefetch(), CAUTIOUS_PREFETCH) : config.prefetch());
    return channel.basicConsume(
        acknowledger.queue(),
        false,
        "",
        false,
        config.consumerExclusive(),
        arguments,
        subscription);
  }

  /**
   * Looks at the end of a stream that has delivered nothing yet: its position may lie beyond.
   *
   * <p>Silence alone says nothing, and neither does RabbitMQ's count: after retention has cut all
   * messages it still counts what is no message.
   *
   * @return true when another subscription got messages that should have come on this one, so that
   *     only a new one helps
   */
  private boolean isSilent(BrokerConnection connection) throws IOException, InterruptedException {
    if (acknowledger.pending() > 0) {
      // The task has not looked at what came: it is paused, or busy.
      return false;
    }
    Long awaited = cursor.awaited();
    StreamEnd.Tail end =
        StreamEnd.find(
            connection,
            acknowledger.queue(),
            config.consumerArguments(),
            awaited == null ? 0 : awaited);
    if (!cursor.isWaiting() || acknowledger.pending() > 0) {
      return false;
    }
    if (awaited != null && end != null && end.last() < awaited) {
      cursor.lost(
          end.last() < 0 ? "the stream is empty" : "the last message is at offset " + end.last());
      return false;
    }
    if (end != null && end.last() >= 0) {
      LOG.warn(
          "Stream '{}' has messages, but RabbitMQ delivered none for {} s; subscribing again",
          acknowledger.queue(),
          trusted.toSeconds());
      // What takes RabbitMQ long to find must not begin anew for ever.
      Duration longer = trusted.multipliedBy(2);
      trusted = longer.compareTo(LONGEST_SILENCE) < 0 ? longer : LONGEST_SILENCE;
      return true;
    }
    if (end == null && !saidUndeliverable) {
      saidUndeliverable = true;
      LOG.warn(
          "Stream '{}' is not empty, but RabbitMQ delivers nothing of it: all messages were cut off by retention, left out by a filter, or published in compressed batches, which it does not deliver over AMQP 0.9.1; waiting for others",
          acknowledger.queue());
    }
    return false;
  }

  private void send(Channel channel, List<Acknowledger.Word> words) throws IOException {
    for (Acknowledger.Word word : words) {
      if (word.ack()) {
        channel.basicAck(word.tag(), word.multiple());
        metrics.acked.add(word.messages(), System.nanoTime());
      } else {
        channel.basicReject(word.tag(), false);
        metrics.rejected.add(word.messages(), System.nanoTime());
      }
    }
    if (!words.isEmpty()) {
      outage.moved();
      fruitless = 0;
      trusted = SILENCE;
    }
  }

  /**
   * The orderly end. A channel that closes with messages unacked counts against the delivery limit
   * of each of them; messages that were given back do not.
   */
  private void giveBack(Channel channel) throws IOException {
    if (channel.isOpen()) {
      // A stream keeps its messages, and takes a nack for an error. In all other cases: messages
      // may have arrived that the client has not handed to the consumer yet.
      if (cursor == null) {
        channel.basicNack(0, true, true);
      }
      try {
        channel.close();
      } catch (TimeoutException e) {
        LOG.debug("no answer to the close of a channel", e);
      }
    }
  }

  /**
   * Subscribes again only when records move: each delivery that is lost unacked counts against a
   * quorum queue's delivery limit, and while the task is paused or Kafka is away it would be lost
   * again.
   */
  private void awaitMovement(long pollsAtLoss, long answersAtLoss) throws InterruptedException {
    while (!isStopping()
        && (polls.getAsLong() == pollsAtLoss
            || (acknowledger.handedOut() > 0 && acknowledger.answers() == answersAtLoss))) {
      await(BETWEEN_LOOKS.toNanos());
    }
  }

  private static boolean isOfConnection(@Nullable Throwable why) {
    for (Throwable t = why; t != null; t = t.getCause()) {
      if (t instanceof ShutdownSignalException signal) {
        return signal.isHardError();
      }
    }
    return false;
  }

  /** The consumer on one channel. Its methods run on the client's thread, and only take note. */
  private final class Subscription extends DefaultConsumer {
    private final int epoch;
    private volatile @Nullable Throwable end;

    Subscription(Channel channel, int epoch) {
      super(channel);
      this.epoch = epoch;
    }

    @Override
    public void handleDelivery(
        String consumerTag, Envelope envelope, BasicProperties properties, byte[] body) {
      Delivery delivery = acknowledger.delivered(epoch, consumerTag, envelope, properties, body);
      if (delivery != null) {
        inbox.put(delivery);
      }
    }

    @Override
    public void handleCancel(String consumerTag) {
      end =
          new IOException(
              "RabbitMQ cancelled the consumer: the queue was deleted, moved to another node, or waited for acks longer than RabbitMQ's consumer_timeout allows");
      wake();
    }

    @Override
    public void handleShutdownSignal(String consumerTag, ShutdownSignalException reason) {
      if (end == null) {
        end = reason;
      }
      wake();
    }
  }
}
