// SPDX-License-Identifier: Apache-2.0
package dev.rabbitbridge.harness.sink;

import static dev.rabbitbridge.harness.sink.Sinks.LONG;
import static dev.rabbitbridge.harness.sink.Sinks.awaitAllCommitted;
import static dev.rabbitbridge.harness.sink.Sinks.ids;
import static dev.rabbitbridge.harness.sink.Sinks.texts;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.rabbitbridge.harness.Scenario;
import dev.rabbitbridge.harness.rabbitmq.Message;
import dev.rabbitbridge.harness.rabbitmq.QueueKind;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** What the sink keeps when RabbitMQ dies. */
class SinkFaultIT {
  private static final int WINDOW = 5000;

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
    awaitAllCommitted(scenario, sink, topic);
    List<String> delivered = texts(scenario.amqp().drain(queue));
    assertThat(new HashSet<>(delivered)).isEqualTo(Set.copyOf(ids));
    assertThat(delivered.size() - count).as("duplicates").isBetween(0, WINDOW);
    assertThat(scenario.worker().rest().status(sink).at("/tasks/0/state").asText())
        .isEqualTo("RUNNING");
  }

  @Test
  void aRestartOfTheBrokerIsWaitedOutAndNamedInTheLog() { // F50
    String topic = scenario.topic(1);
    String queue = scenario.queue(QueueKind.QUORUM);
    String sink = scenario.running(scenario.sink(topic, queue));
    scenario.kafka().client().produce(topic, ids(100));
    awaitAllCommitted(scenario, sink, topic);

    scenario.rabbitMQ().stop();
    scenario.kafka().client().produce(topic, List.of("meanwhile"));
    await()
        .until(() -> !scenario.worker().logLines(sink + "-0: no connection to RabbitMQ").isEmpty());
    scenario.rabbitMQ().start();

    awaitAllCommitted(scenario, sink, topic);
    assertThat(texts(scenario.amqp().drain(queue))).contains("meanwhile").containsAll(ids(100));
  }

  @Test
  void confirmedMessagesOutliveARestartOfTheBroker() { // F57
    String topic = scenario.topic(1);
    String queue = scenario.queue(QueueKind.CLASSIC);
    String sink = scenario.running(scenario.sink(topic, queue));
    scenario.kafka().client().produce(topic, ids(100));
    awaitAllCommitted(scenario, sink, topic);

    // In order: a SIGKILL so soon after the declaration can make RabbitMQ 3.10 forget the queue
    // itself.
    scenario.rabbitMQ().stop();
    scenario.rabbitMQ().start();

    List<Message> messages = scenario.amqp().drain(queue);
    assertThat(texts(messages)).isEqualTo(ids(100));
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
    awaitAllCommitted(scenario, sink, topic);

    scenario.worker().rest().restart(sink);
    scenario.worker().rest().awaitRunning(sink, 1);
    scenario.kafka().client().produce(topic, List.of("last"));
    awaitAllCommitted(scenario, sink, topic);

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
}
