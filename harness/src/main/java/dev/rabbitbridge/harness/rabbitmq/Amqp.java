// SPDX-License-Identifier: Apache-2.0
package dev.rabbitbridge.harness.rabbitmq;

import com.rabbitmq.client.AMQP;
import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import com.rabbitmq.client.ConnectionFactory;
import com.rabbitmq.client.GetResponse;
import com.rabbitmq.client.MessageProperties;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Function;

/**
 * One connection with one channel in confirm mode, for tests that put messages into RabbitMQ or
 * look at what is there. For one thread.
 */
public final class Amqp implements AutoCloseable {
  private static final int CONFIRM_TIMEOUT_MS = 60_000;
  private static final int PREFETCH = 1000;
  private static final int CONFIRM_EVERY = 1000;

  private final Connection connection;
  private Channel channel;

  private Amqp(Connection connection, Channel channel) {
    this.connection = connection;
    this.channel = channel;
  }

  /**
   * Connects.
   *
   * @param uri an amqp URI
   * @return the open connection
   * @throws UncheckedIOException if the broker cannot be reached or refuses
   */
  public static Amqp connect(URI uri) {
    try {
      ConnectionFactory factory = new ConnectionFactory();
      factory.setUri(uri);
      factory.setAutomaticRecoveryEnabled(false);
      Connection connection = factory.newConnection("harness");
      return new Amqp(connection, confirming(connection));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (TimeoutException | GeneralSecurityException e) {
      throw new IllegalStateException(e);
    }
  }

  /**
   * Returns the channel, for what this class does not do.
   *
   * @return an open channel in confirm mode
   */
  public Channel channel() {
    return channel;
  }

  /**
   * Publishes persistent messages to a queue and waits for the confirms.
   *
   * @param queue the queue, reached through the default exchange
   * @param bodies one text per message
   */
  public void publish(String queue, List<String> bodies) {
    publish("", queue, MessageProperties.MINIMAL_PERSISTENT_BASIC, bodies);
  }

  /**
   * Publishes and waits for the confirms.
   *
   * @param exchange the exchange, empty for the default one
   * @param routingKey the routing key of all of them
   * @param properties the properties of all of them
   * @param bodies one text per message
   * @throws IllegalStateException if a message is not confirmed within a minute
   */
  public void publish(
      String exchange, String routingKey, AMQP.BasicProperties properties, List<String> bodies) {
    publish(exchange, routingKey, body -> properties, bodies);
  }

  /**
   * Publishes persistent messages to a queue, each with its body as message-id, and waits for the
   * confirms.
   *
   * @param queue the queue, reached through the default exchange
   * @param bodies one text per message
   */
  public void publishWithIds(String queue, List<String> bodies) {
    publish(
        "",
        queue,
        body -> MessageProperties.MINIMAL_PERSISTENT_BASIC.builder().messageId(body).build(),
        bodies);
  }

  private void publish(
      String exchange,
      String routingKey,
      Function<String, AMQP.BasicProperties> properties,
      List<String> bodies) {
    try {
      int unconfirmed = 0;
      for (String body : bodies) {
        channel.basicPublish(
            exchange, routingKey, properties.apply(body), body.getBytes(StandardCharsets.UTF_8));
        if (++unconfirmed == CONFIRM_EVERY) {
          channel.waitForConfirmsOrDie(CONFIRM_TIMEOUT_MS);
          unconfirmed = 0;
        }
      }
      channel.waitForConfirmsOrDie(CONFIRM_TIMEOUT_MS);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (TimeoutException e) {
      throw new IllegalStateException("Not confirmed", e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException(e);
    }
  }

  /**
   * Takes one message and acks it.
   *
   * @param queue a classic or quorum queue
   * @return the message, or nothing if none is ready
   */
  public Optional<Message> get(String queue) {
    try {
      return get(channel, queue);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /**
   * Takes and acks messages until none is ready.
   *
   * @param queue a classic or quorum queue
   * @return the messages in the order of their delivery
   */
  public List<Message> drain(String queue) {
    try {
      BlockingQueue<Message> deliveries = new LinkedBlockingQueue<>();
      Channel consuming = connection.createChannel();
      consuming.basicQos(PREFETCH);
      String tag =
          consuming.basicConsume(
              queue,
              false,
              (consumer, d) ->
                  deliveries.add(new Message(d.getEnvelope(), d.getProperties(), d.getBody())),
              consumer -> {});
      List<Message> taken = new ArrayList<>();
      while (true) {
        Message message = deliveries.poll(200, TimeUnit.MILLISECONDS);
        if (message != null) {
          taken.add(message);
          consuming.basicAck(message.envelope().getDeliveryTag(), false);
          continue;
        }
        // Only the queue's own answer says that it is empty: counters lag after a restart.
        Optional<Message> rest = get(consuming, queue);
        rest.ifPresent(taken::add);
        if (rest.isEmpty() && deliveries.isEmpty()) {
          break;
        }
      }
      consuming.basicCancel(tag);
      consuming.close();
      return taken;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (TimeoutException e) {
      throw new IllegalStateException(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException(e);
    }
  }

  /**
   * Counts by asking the queue itself, not the statistics. Too low right after a broker's restart.
   *
   * @param queue the queue
   * @return messages ready for delivery
   */
  public long ready(String queue) {
    return ask(queue).getMessageCount();
  }

  /**
   * Counts by asking the queue itself, not the statistics.
   *
   * @param queue the queue
   * @return attached consumers
   */
  public long consumers(String queue) {
    return ask(queue).getConsumerCount();
  }

  @Override
  public void close() {
    connection.abort(5000);
  }

  private static Optional<Message> get(Channel channel, String queue) throws IOException {
    GetResponse got = channel.basicGet(queue, true);
    return Optional.ofNullable(got)
        .map(g -> new Message(g.getEnvelope(), g.getProps(), g.getBody()));
  }

  private AMQP.Queue.DeclareOk ask(String queue) {
    try {
      return channel.queueDeclarePassive(queue);
    } catch (IOException e) {
      reopen();
      throw new UncheckedIOException(e);
    }
  }

  /** A passive declare of what is not there costs the channel. */
  private void reopen() {
    try {
      channel = confirming(connection);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static Channel confirming(Connection connection) throws IOException {
    Channel channel = connection.createChannel();
    channel.confirmSelect();
    return channel;
  }
}
