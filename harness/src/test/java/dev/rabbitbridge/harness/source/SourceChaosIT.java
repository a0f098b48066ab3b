// SPDX-License-Identifier: Apache-2.0
package dev.rabbitbridge.harness.source;

import static dev.rabbitbridge.harness.source.Sources.awaitAll;
import static dev.rabbitbridge.harness.source.Sources.awaitEmpty;
import static dev.rabbitbridge.harness.source.Sources.ids;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.rabbitbridge.harness.Scale;
import dev.rabbitbridge.harness.Scenario;
import dev.rabbitbridge.harness.connect.Worker;
import dev.rabbitbridge.harness.connect.WorkerSettings;
import dev.rabbitbridge.harness.proxy.TcpProxy;
import dev.rabbitbridge.harness.rabbitmq.QueueKind;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Faults at random moments. */
class SourceChaosIT {
  @RegisterExtension final Scenario scenario = new Scenario();

  private final Random random = new Random();

  @Test
  void closedConnectionsAndChannelsAndAKilledWorkerLoseNothing() throws Exception { // F09 F16 F27
    List<String> ids = ids(Scale.of(10_000, 100_000));
    String queue = scenario.queue(QueueKind.QUORUM);
    String topic = scenario.topic(3);
    TcpProxy proxy = scenario.proxy();
    // So that the faults come while messages flow.
    proxy.limit(ids.size() * 3L);
    Worker worker = scenario.newWorker(WorkerSettings.of(scenario.name("group")));
    Map<String, String> config = scenario.source(queue, topic);
    config.putAll(scenario.broker(proxy.endpointFromWorker()));
    scenario.amqp().publish(queue, ids);
    worker.rest().put("source", config);
    for (int fault = 0; fault < 8; fault++) {
      long before = total(topic);
      await()
          .atMost(Duration.ofSeconds(60))
          .until(() -> total(topic) >= Math.min(before + ids.size() / 50, ids.size()));
      pause(random.nextInt(400));
      switch (fault) {
        case 2, 5 -> Sources.closeChannels(scenario);
        case 6 -> {
          worker.kill();
          worker.start();
        }
        default -> proxy.cut();
      }
    }
    proxy.limit(Long.MAX_VALUE);

    awaitAll(scenario, topic, ids);
    awaitEmpty(scenario, queue);
    worker.rest().awaitRunning("source", 1);
    System.out.printf(
        "%d ids, %d records%n", ids.size(), scenario.kafka().client().values(topic).size());
    worker.rest().delete("source");
  }

  @Test
  void aStreamReadAcrossTwoKillsOfTheWorkerSkipsNothingAndACleanRestartRepeatsNothing()
      throws Exception {
    List<String> ids = ids(Scale.of(20_000, 200_000));
    String stream = scenario.queue(QueueKind.STREAM);
    String topic = scenario.topic(1);
    scenario.amqp().publish(stream, ids);
    Worker worker = scenario.newWorker(WorkerSettings.of(scenario.name("group")));
    Map<String, String> config = scenario.source(stream, topic);
    config.put("rabbitmq.queue.type", "stream");
    config.put("rabbitmq.poll.max.records", "50");
    worker.rest().put("source", config);
    for (int kill = 0; kill < 2; kill++) {
      long before = endOffset(topic);
      await().atMost(Duration.ofSeconds(60)).until(() -> endOffset(topic) > before + 1000);
      pause(random.nextInt(300));
      worker.kill();
      worker.start();
    }
    awaitAll(scenario, topic, ids);
    List<String> values = scenario.kafka().client().values(topic);
    System.out.printf("%d offsets, %d records%n", ids.size(), values.size());
    assertThat(new HashSet<>(values)).hasSize(ids.size());

    worker.stop();
    worker.start();
    worker.rest().awaitRunning("source", 1);
    scenario.amqp().publish(stream, List.of("last"));
    awaitAll(scenario, topic, List.of("last"));
    assertThat(scenario.kafka().client().values(topic)).hasSize(values.size() + 1);
    worker.rest().delete("source");
  }

  @Test
  void cleanRestartsOfTaskAndWorkerWithKafkaAwayHalfOfTheTimeDropNothing() throws Exception { // F31
    int rounds = Scale.of(2, 25);
    List<String> ids = ids(600);
    String dead = scenario.queue(QueueKind.CLASSIC);
    String queue =
        scenario.queue(
            QueueKind.QUORUM,
            Map.of("x-dead-letter-exchange", "", "x-dead-letter-routing-key", dead));
    String topic = scenario.topic(1);
    Worker worker = scenario.newWorker(WorkerSettings.of(scenario.name("group")));
    Map<String, String> config = scenario.source(queue, topic);
    config.put("header.converter", "org.apache.kafka.connect.storage.SimpleHeaderConverter");
    worker.rest().put("source", config);
    worker.rest().awaitRunning("source", 1);
    for (int round = 0; round < 2 * rounds; round++) {
      boolean away = round % 2 == 1;
      if (away) {
        scenario.kafka().pause();
      }
      scenario.amqp().publish(queue, ids.subList(0, 10));
      pause(away ? 1000 : 300);
      if (round < rounds) {
        if (away) {
          scenario.kafka().resume();
        }
        worker.rest().restart("source");
      } else {
        worker.stop();
        if (away) {
          scenario.kafka().resume();
        }
        worker.start();
      }
      worker.rest().awaitRunning("source", 1);
    }
    scenario.amqp().publish(queue, ids);

    awaitAll(scenario, topic, ids);
    awaitEmpty(scenario, queue);
    assertThat(scenario.amqp().ready(dead)).isZero();
    long highest =
        scenario.kafka().client().read(topic).stream()
            .map(record -> record.headers().lastHeader("x-delivery-count"))
            .filter(header -> header != null)
            .mapToLong(
                header ->
                    Long.parseLong(
                        new String(header.value(), java.nio.charset.StandardCharsets.UTF_8)))
            .max()
            .orElse(0);
    String version =
        scenario.rabbitMQ().management().get("overview").path("rabbitmq_version").asText();
    System.out.printf(
        "RabbitMQ %s: highest x-delivery-count %d after %d clean restarts%n",
        version, highest, 2 * rounds);
    // Before 4.0 it counts what is given back, too.
    if (!version.startsWith("3.")) {
      assertThat(highest).as("no consumer crashed").isZero();
    }
    worker.rest().delete("source");
  }

  private long total(String topic) {
    return scenario.kafka().client().endOffsets(topic).values().stream()
        .mapToLong(Long::longValue)
        .sum();
  }

  private long endOffset(String topic) {
    return scenario.kafka().client().endOffsets(topic).values().iterator().next();
  }

  private static void pause(long millis) throws InterruptedException {
    new CountDownLatch(1).await(millis, TimeUnit.MILLISECONDS);
  }
}
