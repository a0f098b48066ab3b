// SPDX-License-Identifier: Apache-2.0
package dev.rabbitbridge.source;

import com.rabbitmq.client.AMQP;
import com.rabbitmq.client.Channel;
import com.rabbitmq.client.ShutdownSignalException;
import dev.rabbitbridge.config.ConnectionConfig;
import dev.rabbitbridge.connection.BrokerConnection;
import dev.rabbitbridge.failure.Backoff;
import dev.rabbitbridge.failure.ErrorClassifier;
import dev.rabbitbridge.failure.Failure;
import dev.rabbitbridge.failure.FailureKind;
import dev.rabbitbridge.failure.Fault;
import dev.rabbitbridge.failure.Stage;
import java.io.IOException;
import java.time.Duration;
import java.util.HashSet;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Sends messages on a detour through a delay queue that dead-letters them back, and says so only
 * when RabbitMQ has confirmed the copy: until then the original stays unacked.
 *
 * <h2>Threading</h2>
 *
 * {@link #submit} may be called by any thread and never blocks. One thread runs it. It has a
 * connection of its own, since RabbitMQ stops reading from connections that publish when it is
 * short of memory, and acks must go on.
 */
final class RetryPublisher extends LinkWorker {
  private static final long CONFIRM_TIMEOUT_MS = 10_000;
  private static final Duration LOOK = Duration.ofMillis(100);

  private final long delayMs;
  private final Notices notices;
  private final Consumer<Delivery> confirmed;
  private final BiConsumer<Delivery, String> refused;
  private final Backoff backoff = new Backoff(Duration.ofMillis(100), Duration.ofSeconds(10));
  private final Queue<Delivery> waiting = new ConcurrentLinkedQueue<>();
  private final Set<String> declared = new HashSet<>();
  private int attempts; // owned by the thread that runs it

  /**
   * Creates a publisher that is not connected yet.
   *
   * @param confirmed told on the publisher's thread whose copy is safe
   * @param refused told on the publisher's thread of whom there can be no copy, and why
   * @param gaveUp told once, on the publisher's thread, why the task has to fail
   */
  RetryPublisher(
      Link link,
      Duration delay,
      Notices notices,
      Consumer<Delivery> confirmed,
      BiConsumer<Delivery, String> refused,
      Consumer<Throwable> gaveUp) {
    super(link, gaveUp);
    this.delayMs = delay.toMillis();
    this.notices = notices;
    this.confirmed = confirmed;
    this.refused = refused;
  }

  /** Takes a message in; the prefetch bounds how many there can be. */
  void submit(Delivery delivery) {
    waiting.add(delivery);
    wake();
  }

  /** Publishes until the channel is lost. */
  @Override
  void work(BrokerConnection connection) throws InterruptedException {
    try {
      Channel channel = connection.openChannel();
      try {
        publishAll(connection, channel);
      } finally {
        channel.abort();
      }
    } catch (IOException | TimeoutException | ShutdownSignalException e) {
      Failure failure = ErrorClassifier.classify(e, Stage.RUNNING);
      if (failure.isFatal()) {
        throw Fault.DELAY_QUEUE.exception(sentence(failure), e);
      }
      notices.warn(Notices.Kind.RETRY, failure::toString);
      pause(backoff.delay(++attempts));
    }
  }

  private void publishAll(BrokerConnection connection, Channel channel)
      throws IOException, TimeoutException, InterruptedException {
    channel.confirmSelect();
    AtomicBoolean returned = new AtomicBoolean();
    channel.addReturnListener(message -> returned.set(true));
    while (!isStopping() && channel.isOpen()) {
      Delivery next = waiting.poll();
      if (next == null) {
        await(LOOK.toNanos());
      } else {
        publish(connection, channel, next, returned);
      }
    }
  }

  private void publish(
      BrokerConnection connection, Channel channel, Delivery delivery, AtomicBoolean returned)
      throws IOException, TimeoutException, InterruptedException {
    boolean done = false;
    try {
      if (delivery.acknowledger().isCurrent(delivery)) {
        publishAndWait(declare(connection, delivery.queue()), channel, delivery, returned);
        confirmed.accept(delivery);
      }
      attempts = 0;
      done = true;
    } catch (IOException | ShutdownSignalException | IllegalArgumentException e) {
      String why = whyNever(e);
      if (why == null) {
        throw e;
      }
      done = true;
      refused.accept(delivery, why);
      // RabbitMQ has closed it, or waits for a message that the client has counted and not sent.
      channel.abort();
    } finally {
      if (!done) {
        waiting.add(delivery);
      }
    }
  }

  /** Returns why there can be no copy of a message, null when it may work later. */
  private static @Nullable String whyNever(Exception error) {
    if (error instanceof IllegalArgumentException) {
      // The client: with what is kept for the way back, the headers do not fit a frame.
      return Failure.messageOf(error);
    }
    Failure failure = ErrorClassifier.classify(error, Stage.RUNNING);
    return failure.kind() == FailureKind.RECORD ? failure.toString() : null;
  }

  private void publishAndWait(
      String delayQueue, Channel channel, Delivery delivery, AtomicBoolean returned)
      throws IOException, TimeoutException, InterruptedException {
    returned.set(false);
    channel.basicPublish("", delayQueue, true, RetryHeader.wrap(delivery), delivery.body());
    boolean acked = channel.waitForConfirms(CONFIRM_TIMEOUT_MS);
    if (!acked || returned.get()) {
      declared.remove(delayQueue);
      throw new IOException(
          "delay queue '" + delayQueue + "' " + (acked ? "is gone" : "refused a message"));
    }
  }

  /**
   * Makes sure that the delay queue exists. It is looked for first, so that a queue that a person
   * declared is taken as it is, and no permission to configure is needed.
   */
  private String declare(BrokerConnection connection, String queue) throws IOException {
    String delayQueue = delayQueue(queue, delayMs);
    if (declared.add(delayQueue) && !exists(connection, delayQueue)) {
      declared.remove(delayQueue);
      Channel declaring = connection.openChannel();
      declaring.queueDeclare(delayQueue, true, false, false, arguments(queue));
      declaring.abort();
      declared.add(delayQueue);
    }
    return delayQueue;
  }

  static String delayQueue(String queue, long delayMs) {
    return queue + ".retry." + delayMs;
  }

  private static boolean exists(BrokerConnection connection, String delayQueue) throws IOException {
    Channel looking = connection.openChannel();
    try {
      looking.queueDeclarePassive(delayQueue);
      looking.abort();
      return true;
    } catch (IOException e) {
      if (ErrorClassifier.classify(e, Stage.RUNNING).replyCode() == AMQP.NOT_FOUND) {
        return false;
      }
      throw e;
    }
  }

  /** A queue that forwards each message after the delay, and loses none on the way. */
  private Map<String, Object> arguments(String queue) {
    return Map.of(
        "x-queue-type", "quorum",
        "x-message-ttl", delayMs,
        "x-dead-letter-exchange", "",
        "x-dead-letter-routing-key", queue,
        "x-dead-letter-strategy", "at-least-once",
        "x-overflow", "reject-publish");
  }

  private String sentence(Failure failure) {
    return "A message cannot be published to its delay queue (QUEUE.retry."
        + delayMs
        + "): "
        + failure
        + ". Let "
        + ConnectionConfig.USERNAME_CONFIG
        + " configure and write such queues, declare them beforehand, or change "
        + RabbitMQSourceConfig.SKIPPED_RECORD_CONFIG
        + ".";
  }
}
