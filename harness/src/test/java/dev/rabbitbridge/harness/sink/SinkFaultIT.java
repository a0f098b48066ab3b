// SPDX-License-Identifier: Apache-2.0
package dev.rabbitbridge.harness.sink;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.rabbitbridge.harness.Scenario;
import dev.rabbitbridge.harness.rabbitmq.Message;
import dev.rabbitbridge.harness.rabbitmq.QueueKind;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** What the sink keeps when RabbitMQ dies. */
class SinkFaultIT {
  private static final int WINDOW = 5000;
  private static final Duration LONG = Duration.ofMinutes(2);

  @RegisterExtension final Scenario scenario = new Scenario();

  @Test
  void nothingIsLostWhenRabbitMQIsKilledUnderLoad() { // F45, F49, F50
    int count = 50_000;
    String topic = scenario.topic(3);
    String queue = scenario.queue(QueueKind.QUORUM);
    String sink = scenario.running(scenario.sink(topic, queue));
    List<String> ids = ids(count);
    Thread producer = new Thread(() -> scenario.kafka().client().produce(topic, ids));
    producer.start();

    await().atMost(LONG).until(() -> scenario.amqp().ready(queue) > count / 10);
    scenario.rabbitMQ().kill();
    scenario.rabbitMQ().start();

    await().atMost(LONG).until(() -> !producer.isAlive());
    awaitAllCommitted(sink, topic);
    List<String> delivered = texts(scenario.amqp().drain(queue));
    assertThat(new HashSet<>(delivered)).isEqualTo(Set.copyOf(ids));
    assertThat(delivered.size() - count).as("duplicates").isBetween(0, WINDOW);
    assertThat(scenario.worker().rest().status(sink).at("/tasks/0/state").asText())
        .isEqualTo("RUNNING");
  }

  @Test
  void aRestartOfTheBrokerIsWaitedOutAndNamedInTheLog() { // F50, F57
    String topic = scenario.topic(1);
    String queue = scenario.queue(QueueKind.QUORUM);
    String sink = scenario.running(scenario.sink(topic, queue));
    scenario.kafka().client().produce(topic, ids(100));
    awaitAllCommitted(sink, topic);

    scenario.rabbitMQ().stop();
    scenario.kafka().client().produce(topic, List.of("meanwhile"));
    await()
        .until(() -> !scenario.worker().logLines(sink + "-0: no connection to RabbitMQ").isEmpty());
    scenario.rabbitMQ().start();

    awaitAllCommitted(sink, topic);
    List<Message> messages = scenario.amqp().drain(queue);
    assertThat(texts(messages)).contains("meanwhile").containsAll(ids(100));
    assertThat(messages).allMatch(m -> m.properties().getDeliveryMode() == 2);
  }

  @Test
  void offsetsOfATopicThatATransformRenamedAreCommitted() { // F71
    String topic = scenario.topic(1);
    String queue = scenario.queue(QueueKind.QUORUM);
    Map<String, String> config = scenario.sink(topic, queue);
    config.put("transforms", "rename");
    config.put("transforms.rename.type", "org.apache.kafka.connect.transforms.RegexRouter");
    config.put("transforms.rename.regex", ".*");
    config.put("transforms.rename.replacement", "renamed");
    String sink = scenario.running(config);
    scenario.kafka().client().produce(topic, ids(100));
    awaitAllCommitted(sink, topic);

    scenario.worker().rest().restart(sink);
    scenario.worker().rest().awaitRunning(sink, 1);
    scenario.kafka().client().produce(topic, List.of("last"));
    awaitAllCommitted(sink, topic);

    assertThat(scenario.amqp().ready(queue)).isEqualTo(101);
  }

  @Test
  void configurationErrorsAreOnExactlyTheirFields() { // F89, F90, F91
    Map<String, String> config = scenario.sink("t", "q");
    config.put("name", "invalid");
    config.remove("rabbitmq.exchange");
    config.put("rabbitmq.port", "70000");
    config.put("rabbitmq.virtualhost", "/");

    var validation = scenario.worker().rest().validate(config);

    assertThat(validation.errors().keySet())
        .isEqualTo(Set.of("rabbitmq.exchange", "rabbitmq.port", "rabbitmq.virtualhost"));
    assertThat(validation.errors().get("rabbitmq.virtualhost").get(0))
        .contains("rabbitmq.virtual.host");
  }

  private void awaitAllCommitted(String sink, String topic) {
    await()
        .atMost(LONG)
        .untilAsserted(
            () ->
                assertThat(scenario.kafka().client().committedBySink(sink))
                    .isEqualTo(scenario.kafka().client().endOffsets(topic)));
  }

  private static List<String> ids(int count) {
    return IntStream.range(0, count).mapToObj(i -> "id-" + i).toList();
  }

  private static List<String> texts(List<Message> messages) {
    return messages.stream().map(Message::text).toList();
  }
}
