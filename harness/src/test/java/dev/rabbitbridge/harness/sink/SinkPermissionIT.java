// SPDX-License-Identifier: Apache-2.0
package dev.rabbitbridge.harness.sink;

import static dev.rabbitbridge.harness.sink.Sinks.awaitAllCommitted;
import static dev.rabbitbridge.harness.sink.Sinks.committed;
import static dev.rabbitbridge.harness.sink.Sinks.ids;
import static dev.rabbitbridge.harness.sink.Sinks.record;
import static dev.rabbitbridge.harness.sink.Sinks.texts;
import static dev.rabbitbridge.harness.sink.Sinks.withDeadLetters;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.rabbitbridge.harness.Scenario;
import dev.rabbitbridge.harness.rabbitmq.Amqp;
import dev.rabbitbridge.harness.rabbitmq.Management;
import dev.rabbitbridge.harness.rabbitmq.QueueKind;
import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** A permission that is taken away while the sink runs, and given back. */
class SinkPermissionIT {
  private static final String NOTHING = "^$";

  /**
   * RabbitMQ remembers what a channel may do until the channel has been idle for a second or so.
   */
  private static final Duration UNTIL_THE_CHANNEL_ASKS_AGAIN = Duration.ofSeconds(5);

  @RegisterExtension final Scenario scenario = new Scenario();
  private Management vhost;
  private String user;

  @BeforeEach
  void ownVirtualHost() {
    vhost = scenario.vhost();
    vhost.grant(scenario.rabbitMQ().username(), ".*", ".*", ".*");
    user = scenario.user("secret");
    mayWriteTo(".*");
  }

  @Test
  void theTaskFailsOverAFixedExchangeAndGoesOnWhereItWasWhenThePermissionIsBack() { // F55
    exchangeWithQueue("orders");
    String topic = scenario.topic(1);
    Map<String, String> config = sink(topic, "orders");
    config.put("rabbitmq.routing.key", "${key}");
    String deadLetters = withDeadLetters(scenario, config);
    String sink = scenario.running(config);
    scenario.kafka().client().produce(records(topic, "k", ids(10)));
    awaitAllCommitted(scenario, sink, topic);

    mayWriteTo(NOTHING);
    scenario.kafka().client().produce(records(topic, "k", ids(10, 110)));

    String trace = scenario.worker().rest().awaitFailed(sink);
    assertThat(trace.lines().filter(line -> line.contains("403")).findFirst())
        .hasValueSatisfying(
            line ->
                assertThat(line)
                    .contains("exchange 'orders'")
                    .contains(user)
                    .contains("write permission")
                    .contains("rabbitmq.exchange"));
    assertThat(committed(scenario, sink)).isEqualTo(10);
    assertThat(delivered("orders")).isEqualTo(ids(10));

    mayWriteTo(".*");
    scenario.worker().rest().restart(sink);
    awaitAllCommitted(scenario, sink, topic);
    assertThat(Set.copyOf(delivered("orders"))).isEqualTo(Set.copyOf(ids(10, 110)));
    assertThat(scenario.kafka().client().values(deadLetters)).isEmpty();
  }

  @Test
  void onlyTheRecordsForTheClosedOneOfManyExchangesAreReported() { // F55
    exchangeWithQueue("open");
    exchangeWithQueue("closed");
    String topic = scenario.topic(1);
    Map<String, String> config = sink(topic, "${key}");
    String deadLetters = withDeadLetters(scenario, config);
    String sink = scenario.running(config);
    scenario.kafka().client().produce(records(topic, "closed", List.of("before")));
    awaitAllCommitted(scenario, sink, topic);

    mayWriteTo("open");
    List<ProducerRecord<byte[], byte[]>> mixed = new ArrayList<>();
    for (int i = 0; i < 60; i++) {
      mixed.add(record(topic, i % 20 == 10 ? "closed" : "open", "id-" + i));
    }
    scenario.kafka().client().produce(mixed);
    awaitAllCommitted(scenario, sink, topic);
    assertThat(scenario.kafka().client().values(deadLetters))
        .containsExactly("id-10", "id-30", "id-50");
    // What was in flight when the channel closed may be there twice.
    assertThat(Set.copyOf(delivered("open"))).hasSize(57).doesNotContain("id-10", "id-30", "id-50");
    assertThat(scenario.worker().logLines(sink + "-0: .*exchange 'closed'.*403")).isNotEmpty();

    mayWriteTo(".*");
    scenario.kafka().client().produce(records(topic, "closed", List.of("after")));
    awaitAllCommitted(scenario, sink, topic);
    assertThat(delivered("closed")).containsExactly("before", "after");
    scenario.worker().rest().awaitRunning(sink, 1);
  }

  private Map<String, String> sink(String topic, String exchange) {
    Map<String, String> config = scenario.sink(topic, "");
    config.put("key.converter", "org.apache.kafka.connect.storage.StringConverter");
    config.put("rabbitmq.virtual.host", vhost.vhost());
    config.put("rabbitmq.username", user);
    config.put("rabbitmq.password", "secret");
    config.put("rabbitmq.exchange", exchange);
    return config;
  }

  private void exchangeWithQueue(String name) {
    vhost.declareExchange(name, "fanout", Map.of());
    vhost.declareQueue(name, QueueKind.QUORUM, Map.of());
    vhost.bind(name, name, "");
  }

  private void mayWriteTo(String exchanges) {
    vhost.grant(user, NOTHING, exchanges, NOTHING);
    await().pollDelay(UNTIL_THE_CHANNEL_ASKS_AGAIN).until(() -> true);
  }

  private static List<ProducerRecord<byte[], byte[]>> records(
      String topic, String key, List<String> values) {
    return values.stream().map(value -> record(topic, key, value)).toList();
  }

  private List<String> delivered(String queue) {
    URI ours = scenario.rabbitMQ().uri();
    URI theirs = URI.create("amqp://" + ours.getRawAuthority() + "/" + vhost.vhost());
    try (Amqp amqp = Amqp.connect(theirs)) {
      return texts(amqp.drain(queue));
    }
  }
}
