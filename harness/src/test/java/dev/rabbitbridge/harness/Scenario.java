// SPDX-License-Identifier: Apache-2.0
package dev.rabbitbridge.harness;

import dev.rabbitbridge.harness.connect.Worker;
import dev.rabbitbridge.harness.connect.WorkerSettings;
import dev.rabbitbridge.harness.kafka.Kafka;
import dev.rabbitbridge.harness.node.Endpoint;
import dev.rabbitbridge.harness.proxy.TcpProxy;
import dev.rabbitbridge.harness.rabbitmq.Amqp;
import dev.rabbitbridge.harness.rabbitmq.Management;
import dev.rabbitbridge.harness.rabbitmq.QueueKind;
import dev.rabbitbridge.harness.rabbitmq.RabbitMQ;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.BeforeEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/**
 * What one integration test works with. The servers are started once for all tests; queues, topics,
 * connectors and the like are a test's own and deleted after it. A server that the test killed,
 * stopped or paused runs again for the next one.
 *
 * <p>Use: {@code @RegisterExtension final Scenario scenario = new Scenario();}
 */
public final class Scenario implements BeforeEachCallback, AfterEachCallback {
  private final Deque<AutoCloseable> atEnd = new ArrayDeque<>();
  private @Nullable Harness harness;
  private @Nullable Amqp amqp;

  @Override
  public void beforeEach(ExtensionContext context) {
    // The root store is closed after the last test of the JVM, and the harness with it.
    harness =
        context
            .getRoot()
            .getStore(ExtensionContext.Namespace.GLOBAL)
            .getOrComputeIfAbsent(Harness.class, key -> Harness.open(), Harness.class);
    rabbitMQ();
  }

  @Override
  public void afterEach(ExtensionContext context) throws Exception {
    harness().heal();
    Exception failure = null;
    while (!atEnd.isEmpty()) {
      try {
        atEnd.pop().close();
      } catch (Exception e) {
        if (failure == null) {
          failure = e;
        } else {
          failure.addSuppressed(e);
        }
      }
    }
    if (failure != null) {
      throw failure;
    }
  }

  public Harness harness() {
    return Objects.requireNonNull(harness, "only within a test");
  }

  public RabbitMQ rabbitMQ() {
    return harness().rabbitMQ();
  }

  public Kafka kafka() {
    return harness().kafka();
  }

  /** Returns the shared worker; what a test does to it is undone after the test. */
  public Worker worker() {
    return harness().worker();
  }

  /** Starts a worker for this test alone. */
  public Worker newWorker(WorkerSettings settings) {
    return atEnd(harness().newWorker(settings));
  }

  /** Puts a proxy before the broker, for this test alone. */
  public TcpProxy proxy() {
    return atEnd(harness().newProxy());
  }

  /** Returns a name that no other test has. */
  public String name(String what) {
    return what + "-" + UUID.randomUUID().toString().substring(0, 8);
  }

  /**
   * Returns a connection to the broker that lasts until the end of the test, or until it breaks.
   */
  public Amqp amqp() {
    Amqp open = amqp;
    if (open == null || !open.channel().isOpen()) {
      open = atEnd(rabbitMQ().connect());
      amqp = open;
    }
    return open;
  }

  public String queue(QueueKind kind) {
    return queue(kind, Map.of());
  }

  public String queue(QueueKind kind, Map<String, Object> arguments) {
    String queue = name("queue");
    management().declareQueue(queue, kind, arguments);
    atEnd(() -> management().deleteQueue(queue));
    return queue;
  }

  public String exchange(String type) {
    String exchange = name("exchange");
    management().declareExchange(exchange, type, Map.of());
    atEnd(() -> management().deleteExchange(exchange));
    return exchange;
  }

  /** Creates a virtual host and returns the operations on it. */
  public Management vhost() {
    Management vhost = management().in(name("vhost"));
    vhost.createVhost();
    atEnd(vhost::deleteVhost);
    return vhost;
  }

  /** Creates a user without permissions and returns the name. */
  public String user(String password) {
    String user = name("user");
    management().createUser(user, password);
    atEnd(() -> management().deleteUser(user));
    return user;
  }

  public String topic(int partitions) {
    String topic = name("topic");
    kafka().client().createTopic(topic, partitions);
    atEnd(() -> kafka().client().deleteTopics(List.of(topic)));
    return topic;
  }

  /** Returns the settings that point a connector of the shared worker at the broker. */
  public Map<String, String> broker() {
    return broker(rabbitMQ().amqpFromWorker());
  }

  /** Returns the settings that point a connector at this address. */
  public Map<String, String> broker(Endpoint endpoint) {
    return Map.of(
        "rabbitmq.host", endpoint.host(),
        "rabbitmq.port", Integer.toString(endpoint.port()),
        "rabbitmq.username", rabbitMQ().username(),
        "rabbitmq.password", rabbitMQ().password());
  }

  /** Returns a sink from a topic to a queue through the default exchange, values as they are. */
  public Map<String, String> sink(String topic, String queue) {
    Map<String, String> config = new HashMap<>(broker());
    config.put("connector.class", "dev.rabbitbridge.sink.RabbitMQSinkConnector");
    config.put("tasks.max", "1");
    config.put("topics", topic);
    config.put("value.converter", "org.apache.kafka.connect.converters.ByteArrayConverter");
    config.put("rabbitmq.exchange", "");
    config.put("rabbitmq.routing.key", queue);
    return config;
  }

  /** Returns a source from a queue to a topic, values as they are. */
  public Map<String, String> source(String queue, String topic) {
    Map<String, String> config = new HashMap<>(broker());
    config.put("connector.class", "dev.rabbitbridge.source.RabbitMQSourceConnector");
    config.put("tasks.max", "1");
    config.put("value.converter", "org.apache.kafka.connect.converters.ByteArrayConverter");
    config.put("rabbitmq.queue", queue);
    config.put("kafka.topic", topic);
    return config;
  }

  /** Puts a connector on the shared worker, and waits until it and one task run. */
  public String running(Map<String, String> config) {
    String connector = put(config);
    worker().rest().awaitRunning(connector, 1);
    return connector;
  }

  /** Puts a connector on the shared worker. */
  public String put(Map<String, String> config) {
    String connector = name("connector");
    worker().rest().put(connector, config);
    atEnd(() -> worker().rest().delete(connector));
    return connector;
  }

  /** Closes something after the test, before what was made earlier. */
  public <T extends AutoCloseable> T atEnd(T resource) {
    atEnd.push(resource);
    return resource;
  }

  private Management management() {
    return rabbitMQ().management();
  }
}
