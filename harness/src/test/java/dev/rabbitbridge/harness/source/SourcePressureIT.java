// SPDX-License-Identifier: Apache-2.0
package dev.rabbitbridge.harness.source;

import static dev.rabbitbridge.harness.source.Sources.awaitAll;
import static dev.rabbitbridge.harness.source.Sources.awaitEmpty;
import static dev.rabbitbridge.harness.source.Sources.ids;
import static dev.rabbitbridge.harness.source.Sources.unacked;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.rabbitbridge.harness.Scale;
import dev.rabbitbridge.harness.Scenario;
import dev.rabbitbridge.harness.connect.Worker;
import dev.rabbitbridge.harness.connect.WorkerSettings;
import dev.rabbitbridge.harness.rabbitmq.QueueKind;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.common.quota.ClientQuotaAlteration;
import org.apache.kafka.common.quota.ClientQuotaEntity;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** A deep queue in front of a Kafka that takes little or nothing. */
class SourcePressureIT {
  private static final int PREFETCH = 500;

  @RegisterExtension final Scenario scenario = new Scenario();

  @Test
  void aDeepQueueWaitsForASlowKafka() throws Exception { // F27
    List<String> ids = ids(Scale.of(20_000, 50_000));
    String queue = scenario.queue(QueueKind.QUORUM);
    String topic = scenario.topic(1);
    scenario.amqp().publish(queue, ids);
    String connector = scenario.name("slow");
    // Kafka lets ten seconds' worth through before it begins to throttle.
    quota("connector-producer-" + connector + "-0", 20_000.0);
    Map<String, String> config = scenario.source(queue, topic);
    config.put("rabbitmq.forward.properties", "false");
    config.put("header.converter", "org.apache.kafka.connect.storage.SimpleHeaderConverter");
    scenario.worker().rest().put(connector, config);
    scenario.atEnd(() -> scenario.worker().rest().delete(connector));
    long before = System.nanoTime();
    await()
        .atMost(Duration.ofMinutes(3))
        .pollInterval(Duration.ofMillis(500))
        .until(
            () -> {
              assertThat(unacked(scenario, queue)).isLessThanOrEqualTo(PREFETCH);
              return records(topic) >= ids.size();
            });

    assertThat(Duration.ofNanos(System.nanoTime() - before))
        .as("throttled")
        .isGreaterThan(Duration.ofSeconds(10));
    awaitAll(scenario, topic, ids);
    assertThat(scenario.kafka().client().values(topic)).as("none twice").hasSize(ids.size());
    assertThat(scenario.worker().logLines("(WARN|ERROR).*" + connector)).isEmpty();
  }

  @Test
  void aBacklogLargerThanTheHeapWaitsWhileKafkaIsAway() throws Exception { // F28
    int count = Scale.of(15_000, 42_000);
    String queue = scenario.queue(QueueKind.CLASSIC);
    String topic = scenario.topic(1);
    Worker worker =
        scenario.newWorker(WorkerSettings.of(scenario.name("group")).withJvmOption("-Xmx256m"));
    Map<String, String> config = scenario.source(queue, topic);
    worker.rest().put("source", config);
    worker.rest().awaitRunning("source", 1);
    scenario.amqp().publish(queue, List.of("first"));
    awaitAll(scenario, topic, List.of("first"));

    scenario.kafka().pause();
    List<String> some = Collections.nCopies(1000, "x".repeat(24 * 1024));
    for (int i = 0; i < count; i += some.size()) {
      scenario.amqp().publish(queue, some);
    }
    await().untilAsserted(() -> assertThat(unacked(scenario, queue)).isEqualTo(PREFETCH));
    assertThat(scenario.rabbitMQ().management().consumers())
        .filteredOn(consumer -> consumer.at("/queue/name").asText().equals(queue))
        .extracting(consumer -> consumer.path("prefetch_count").asInt())
        .containsExactly(PREFETCH);
    scenario.kafka().resume();

    awaitEmpty(scenario, queue);
    assertThat(records(topic)).isGreaterThan(count);
    assertThat(worker.logLines("OutOfMemoryError")).isEmpty();
    worker.rest().delete("source");
  }

  private long records(String topic) {
    return scenario.kafka().client().endOffsets(topic).values().stream()
        .mapToLong(Long::longValue)
        .sum();
  }

  private void quota(String clientId, double bytesPerSecond) throws Exception {
    ClientQuotaEntity entity = new ClientQuotaEntity(Map.of(ClientQuotaEntity.CLIENT_ID, clientId));
    Admin admin = scenario.kafka().client().admin();
    admin
        .alterClientQuotas(
            List.of(
                new ClientQuotaAlteration(
                    entity,
                    List.of(new ClientQuotaAlteration.Op("producer_byte_rate", bytesPerSecond)))))
        .all()
        .get();
    scenario.atEnd(
        () ->
            admin
                .alterClientQuotas(
                    List.of(
                        new ClientQuotaAlteration(
                            entity,
                            List.of(new ClientQuotaAlteration.Op("producer_byte_rate", null)))))
                .all()
                .get());
  }
}
