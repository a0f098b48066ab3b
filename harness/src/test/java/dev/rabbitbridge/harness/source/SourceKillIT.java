// SPDX-License-Identifier: Apache-2.0
package dev.rabbitbridge.harness.source;

import static dev.rabbitbridge.harness.source.Sources.ids;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.rabbitbridge.harness.Scenario;
import dev.rabbitbridge.harness.rabbitmq.QueueKind;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** What the source keeps when RabbitMQ or its own worker dies under load. */
class SourceKillIT {
  private static final int COUNT = 50_000;
  private static final int PREFETCH = 500;
  private static final int POLL = 1024;
  private static final Duration LONG = Duration.ofMinutes(2);

  @RegisterExtension final Scenario scenario = new Scenario();

  @Test
  void nothingIsLostWhenRabbitMQIsKilledUnderLoad() { // F09, F16
    String topic = scenario.topic(1);
    String queue = queueOf(COUNT);
    String source = scenario.running(scenario.source(queue, topic));
    awaitProduced(topic, COUNT / 5);

    scenario.rabbitMQ().kill();
    scenario.rabbitMQ().start();

    assertAllArrive(queue, topic);
    assertThat(scenario.worker().rest().status(source).at("/tasks/0/state").asText())
        .isEqualTo("RUNNING");
  }

  @Test
  void nothingIsLostWhenTheWorkerIsKilledUnderLoad() { // F09
    String topic = scenario.topic(1);
    String queue = queueOf(COUNT);
    scenario.running(scenario.source(queue, topic));
    awaitProduced(topic, COUNT / 5);

    scenario.worker().kill();
    scenario.worker().start();

    assertAllArrive(queue, topic);
  }

  private String queueOf(int count) {
    String queue = scenario.queue(QueueKind.QUORUM);
    scenario.amqp().publish(queue, ids(count));
    return queue;
  }

  private void awaitProduced(String topic, long count) {
    await().atMost(LONG).until(() -> produced(topic) > count);
    assertThat(produced(topic)).as("killed while records flow").isLessThan(COUNT);
  }

  private long produced(String topic) {
    return scenario.kafka().client().endOffsets(topic).values().stream()
        .mapToLong(Long::longValue)
        .sum();
  }

  private void assertAllArrive(String queue, String topic) {
    await()
        .atMost(LONG)
        .untilAsserted(
            () -> assertThat(scenario.rabbitMQ().management().counts(queue).total()).isZero());
    List<String> values = scenario.kafka().client().values(topic);
    assertThat(new HashSet<>(values)).isEqualTo(new HashSet<>(ids(COUNT)));
    assertThat(values.size() - COUNT).as("duplicates").isBetween(0, PREFETCH + POLL);
  }
}
