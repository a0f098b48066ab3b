// SPDX-License-Identifier: Apache-2.0
package dev.rabbitbridge.source;

import com.rabbitmq.client.AMQP.BasicProperties;
import com.rabbitmq.client.Channel;
import com.rabbitmq.client.DefaultConsumer;
import com.rabbitmq.client.Envelope;
import com.rabbitmq.client.ShutdownSignalException;
import dev.rabbitbridge.connection.BrokerConnection;
import java.io.IOException;
import java.time.Duration;
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
final class QueueConsumer implements Runnable {
  private static final Logger LOG = LoggerFactory.getLogger(QueueConsumer.class);
  private static final Duration BETWEEN_LOOKS = Duration.ofMillis(100);

  private final RabbitMQSourceConfig config;
  private final Link link;
  private final Inbox inbox;
  private final Acknowledger acknowledger;
  private final QueueOutage outage;
  private final LongSupplier polls;
  private final Consumer<Throwable> gaveUp;
  private final Wakeup wakeup = new Wakeup();
  private volatile boolean stopping;

  /**
   * Creates a consumer that has not subscribed yet.
   *
   * @param polls how often the task was polled
   * @param gaveUp told once, on the consumer's thread, why the task has to fail
   */
  QueueConsumer(
      RabbitMQSourceConfig config,
      Link link,
      Inbox inbox,
      Acknowledger acknowledger,
      QueueOutage outage,
      LongSupplier polls,
      Consumer<Throwable> gaveUp) {
    this.config = config;
    this.link = link;
    this.inbox = inbox;
    this.acknowledger = acknowledger;
    this.outage = outage;
    this.polls = polls;
    this.gaveUp = gaveUp;
  }

  Acknowledger acknowledger() {
    return acknowledger;
  }

  /** Makes the consumer look whether there is something to send. */
  void wake() {
    wakeup.signal();
  }

  /** Asks for the orderly end; the thread that runs it ends soon after. */
  void stop() {
    stopping = true;
    wakeup.signal();
  }

  @Override
  public void run() {
    try {
      while (!stopping) {
        BrokerConnection connection = link.await();
        if (connection != null) {
          serve(connection);
        }
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } catch (RuntimeException e) {
      gaveUp.accept(e);
    }
  }

  private void serve(BrokerConnection connection) throws InterruptedException {
    int epoch = acknowledger.beginEpoch();
    Throwable why;
    try {
      why = consume(connection.openChannel(), epoch);
    } catch (IOException | ShutdownSignalException e) {
      why = e;
    }
    long pollsAtLoss = polls.getAsLong();
    long answersAtLoss = acknowledger.answers();
    acknowledger.beginEpoch();
    inbox.removeStale(acknowledger);
    if (!stopping) {
      if (!isOfConnection(why) && connection.isOpen()) {
        pause(outage.failed(why));
      }
      awaitMovement(pollsAtLoss, answersAtLoss);
    }
  }

  /** Returns why the channel is of no more use. */
  private Throwable consume(Channel channel, int epoch) throws IOException, InterruptedException {
    Subscription subscription = new Subscription(channel, epoch);
    // Per consumer, and before consuming: else RabbitMQ sends all it has.
    channel.basicQos(config.prefetch());
    String tag =
        channel.basicConsume(
            acknowledger.queue(),
            false,
            "",
            false,
            config.consumerExclusive(),
            config.consumerArguments(),
            subscription);
    outage.subscribed();
    Throwable end = null;
    while (!stopping && end == null) {
      if (acknowledger.untilDue() == 0) {
        send(channel, epoch);
      }
      wakeup.await(acknowledger.untilDue());
      end = subscription.end;
    }
    if (stopping && end == null) {
      channel.basicCancel(tag);
      send(channel, epoch);
      end = new IOException("stopped");
    }
    giveBack(channel);
    return end;
  }

  private void send(Channel channel, int epoch) throws IOException {
    for (Acknowledger.Word word : acknowledger.take(epoch)) {
      if (word.ack()) {
        channel.basicAck(word.tag(), true);
      } else {
        channel.basicReject(word.tag(), false);
      }
      outage.moved();
    }
  }

  /**
   * The orderly end. A channel that closes with messages unacked counts against the delivery limit
   * of each of them; messages that were given back do not.
   */
  private void giveBack(Channel channel) throws IOException {
    if (channel.isOpen()) {
      if (acknowledger.pending() > 0) {
        channel.basicNack(0, true, true);
      }
      try {
        channel.close();
      } catch (TimeoutException e) {
        LOG.debug("no answer to the close of a channel", e);
      }
    }
  }

  private void pause(Duration delay) throws InterruptedException {
    long deadline = System.nanoTime() + delay.toNanos();
    long left = delay.toNanos();
    while (!stopping && left > 0) {
      wakeup.await(left);
      left = deadline - System.nanoTime();
    }
  }

  /**
   * Subscribes again only when records move: each delivery that is lost unacked counts against a
   * quorum queue's delivery limit, and while the task is paused or Kafka is away it would be lost
   * again.
   */
  private void awaitMovement(long pollsAtLoss, long answersAtLoss) throws InterruptedException {
    while (!stopping
        && (polls.getAsLong() == pollsAtLoss
            || (acknowledger.handedOut() > 0 && acknowledger.answers() == answersAtLoss))) {
      wakeup.await(BETWEEN_LOOKS.toNanos());
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
      end = new IOException("RabbitMQ cancelled the consumer");
      wakeup.signal();
    }

    @Override
    public void handleShutdownSignal(String consumerTag, ShutdownSignalException reason) {
      if (end == null) {
        end = reason;
      }
      wakeup.signal();
    }
  }
}
