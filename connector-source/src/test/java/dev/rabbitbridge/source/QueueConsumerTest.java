// SPDX-License-Identifier: Apache-2.0
package dev.rabbitbridge.source;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.rabbitmq.client.AMQP.BasicProperties;
import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Consumer;
import com.rabbitmq.client.Envelope;
import dev.rabbitbridge.connection.BrokerConnector;
import dev.rabbitbridge.connection.FakeConnection;
import dev.rabbitbridge.connection.Outage;
import dev.rabbitbridge.connection.Topology;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What a consumer says on its channel. */
@Timeout(30)
class QueueConsumerTest {
  private final List<String> said = new CopyOnWriteArrayList<>();
  private final Inbox inbox = new Inbox();
  private final SourceMetrics metrics = new SourceMetrics("orders", "0");
  private final Acknowledger acknowledger =
      new Acknowledger("q", 100, Duration.ofMillis(50), metrics, System::nanoTime);
  private volatile @Nullable Consumer consumer;

  @Test
  void atTheEndEachMessageThatKafkaHasIsAckedAndTheRestGivenBack() throws Exception { // F80
    QueueConsumer queue = consumer(Map.of(), null);
    Thread thread = start(queue);
    List<Delivery> delivered = deliver(6);
    acknowledger.ack(delivered.get(2));
    acknowledger.ack(delivered.get(4));
    acknowledger.reject(delivered.get(5));

    queue.stop();
    thread.join();

    assertThat(said)
        .containsExactly(
            "basicQos 500",
            "basicConsume",
            "basicCancel tag",
            "basicAck 3 false",
            "basicAck 5 false",
            "basicReject 6 false",
            "basicNack 0 true true",
            "close");
  }

  /** Messages that the client has read, and not handed to the consumer when that is cancelled. */
  @Test
  void atTheEndAlsoWhatTheClientStillHoldsIsGivenBack() throws Exception { // F31
    QueueConsumer queue = consumer(Map.of(), null);
    Thread thread = start(queue);

    queue.stop();
    thread.join();

    assertThat(said)
        .containsExactly(
            "basicQos 500", "basicConsume", "basicCancel tag", "basicNack 0 true true", "close");
  }

  @Test
  void aStreamIsGivenNothingBack() throws Exception {
    StreamCursor cursor = new StreamCursor("q", PositionLost.FAIL, "first", null);
    QueueConsumer queue = consumer(Map.of("rabbitmq.queue.type", "stream"), cursor);
    Thread thread = start(queue);
    deliver(2);

    queue.stop();
    thread.join();

    assertThat(said).containsExactly("basicQos 500", "basicConsume", "basicCancel tag", "close");
  }

  private Thread start(QueueConsumer queue) {
    Channel channel =
        (Channel)
            Proxy.newProxyInstance(
                getClass().getClassLoader(),
                new Class<?>[] {Channel.class},
                (proxy, method, arguments) -> {
                  if (method.getName().equals("isOpen")) {
                    return true;
                  }
                  say(method.getName(), arguments);
                  return method.getName().equals("basicConsume") ? "tag" : null;
                });
    Thread thread =
        new Thread(
            () -> {
              try {
                queue.work(FakeConnection.with(channel));
              } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
              }
            });
    thread.start();
    await().until(queue::isSubscribed);
    return thread;
  }

  private void say(String method, Object @Nullable [] arguments) {
    if (method.equals("basicConsume")) {
      consumer = (Consumer) arguments[arguments.length - 1];
      said.add(method);
    } else if (arguments == null) {
      said.add(method);
    } else {
      List<String> words = new ArrayList<>(List.of(method));
      Arrays.stream(arguments).map(String::valueOf).forEach(words::add);
      said.add(String.join(" ", words));
    }
  }

  private List<Delivery> deliver(int count) throws Exception {
    List<Delivery> delivered = new ArrayList<>();
    for (int tag = 1; tag <= count; tag++) {
      consumer.handleDelivery(
          "tag", new Envelope(tag, false, "", "q"), new BasicProperties(), new byte[] {1});
      delivered.add(inbox.poll());
    }
    return delivered;
  }

  private QueueConsumer consumer(Map<String, String> more, @Nullable StreamCursor cursor) {
    Map<String, String> props = new HashMap<>(Map.of("rabbitmq.queue", "q", "kafka.topic", "t"));
    props.putAll(more);
    RabbitMQSourceConfig config = new RabbitMQSourceConfig(props);
    Link link =
        new Link(
            new BrokerConnector(config.connection(), "orders", "0"),
            new Outage(config.connection(), "orders-0"),
            Topology.of(config.topology(), null, config.queues(), "#"),
            "queues",
            cursor != null,
            () -> 0,
            why -> {});
    return new QueueConsumer(
        config,
        link,
        inbox,
        acknowledger,
        new QueueOutage("task", "q", config, System::nanoTime),
        cursor,
        metrics,
        () -> 0,
        why -> {});
  }
}
