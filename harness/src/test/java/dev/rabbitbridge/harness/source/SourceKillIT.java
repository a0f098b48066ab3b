// SPDX-License-Identifier: Apache-2.0
package dev.rabbitbridge.harness.source;

import static dev.rabbitbridge.harness.source.Sources.ids;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.rabbitbridge.harness.Scenario;
import dev.rabbitbridge.harness.rabbitmq.QueueCounts;
import dev.rabbitbridge.harness.rabbitmq.QueueKind;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
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
            () ->
                // With the consumer: without it the statistics may be of before it came.
                assertThat(scenario.rabbitMQ().management().counts(queue))
                    .isEqualTo(new QueueCounts(0, 0, 1)));
    List<String> values = scenario.kafka().client().values(topic);
    Set<String> missing = new HashSet<>(ids(COUNT));
    missing.removeAll(new HashSet<>(values));
    assertThat(missing).as("acked and not in Kafka").isEmpty();
    assertThat(values.size() - COUNT).as("duplicates").isBetween(0, PREFETCH + POLL);
  }
}
