// SPDX-License-Identifier: Apache-2.0
package dev.rabbitbridge.harness.source;

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
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.IntBinaryOperator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Streams and queues into Kafka, each message once, read with read_committed. {@code -Dfull} takes
 * the numbers that were promised.
 */
class ExactlyOnceIT {
  private static final int MESSAGES = Scale.of(20_000, 200_000);
  private static final int WORKER_KILLS = Scale.of(2, 10);
  private static final int RABBITMQ_KILLS = Scale.of(1, 3);
  // Seldom, and by itself, a Kafka of one broker comes back with a transaction that never ends.
  private static final int KAFKA_RESTARTS = Scale.of(0, 2);
  private static final Duration LONG = Duration.ofSeconds(Scale.of(180, 600));

  @RegisterExtension final Scenario scenario = new Scenario();

  private final long seed = Long.getLong("seed", System.nanoTime());
  private final Random random = new Random(seed);
  private final String group = scenario.name("group");

  @Test
  void aStreamArrivesOnceAndInOrderWhateverDies() throws Exception {
    String stream = scenario.queue(QueueKind.STREAM);
    String topic = scenario.topic(1);
    List<String> ids = ids(MESSAGES);
    // Not bit by bit: right after its start RabbitMQ 3.10 confirms what no stream takes.
    scenario.amqp().publish(stream, ids);
    Worker worker = worker();
    Map<String, String> config = required(stream, topic);
    config.put("rabbitmq.queue.type", "stream");
    // Slow enough to last until the last fault.
    config.put("rabbitmq.poll.max.records", "20");
    assertThat(worker.rest().validate(config).errors()).isEmpty();
    worker.rest().put("once", config);

    faultsUnderLoad(worker, topic, (fault, faults) -> MESSAGES);

    await().atMost(LONG).until(() -> committed(topic).size() >= MESSAGES);
    assertThat(committed(topic)).as("seed %d", seed).isEqualTo(ids);
    worker.rest().delete("once");
  }

  @ParameterizedTest
  @EnumSource(names = {"QUORUM", "CLASSIC"})
  void aQueueArrivesOnceWhateverDies(QueueKind kind) throws Exception {
    String queue = scenario.queue(kind, Map.of("x-single-active-consumer", true));
    String topic = scenario.topic(1);
    List<String> ids = ids(MESSAGES);
    Worker worker = worker();
    Map<String, String> config = deduplicating(queue, topic);
    assertThat(worker.rest().validate(config).errors()).isEmpty();
    worker.rest().put("once", config);

    faultsUnderLoad(
        worker,
        topic,
        (fault, faults) -> {
          int from = fault * MESSAGES / faults;
          int to = (fault + 1) * MESSAGES / faults;
          scenario.amqp().publishWithIds(queue, ids.subList(from, to));
          return to;
        });

    assertEachOnce(queue, topic, ids);
    worker.rest().delete("once");
  }

  @Test
  void aWorkerKilledBetweenKafkasCommitAndTheAckRepeatsNothing() {
    int kills = Scale.of(3, 50);
    String queue = scenario.queue(QueueKind.QUORUM, Map.of("x-single-active-consumer", true));
    String topic = scenario.topic(1);
    List<String> ids = ids(kills * 100 + 100);
    TcpProxy proxy = scenario.proxy();
    Worker worker = worker();
    Map<String, String> config = deduplicating(queue, topic);
    config.putAll(scenario.broker(proxy.endpointFromWorker()));
    worker.rest().put("once", config);
    for (int kill = 0; kill < kills; kill++) {
      await().atMost(LONG).until(() -> scenario.amqp().consumers(queue) == 1);
      // From now on no ack reaches RabbitMQ.
      proxy.delay(Duration.ofHours(1), Duration.ZERO);
      scenario.amqp().publishWithIds(queue, ids.subList(kill * 100, kill * 100 + 100));
      int after = kill * 100 + 100;
      await().atMost(LONG).until(() -> committed(topic).size() >= after);

      worker.kill();
      proxy.cut();
      proxy.heal();
      worker.start();
      // The redeliveries are acked at last.
      await().atMost(LONG).untilAsserted(() -> awaitEmpty(scenario, queue));
    }
    scenario.amqp().publishWithIds(queue, ids.subList(kills * 100, kills * 100 + 100));

    assertEachOnce(queue, topic, ids);
    worker.rest().delete("once");
  }

  @Test
  void aWorkerThatWakesUpAfterItsTaskMovedOnRepeatsNothing() throws Exception {
    String queue = scenario.queue(QueueKind.QUORUM, Map.of("x-single-active-consumer", true));
    String topic = scenario.topic(1);
    List<String> ids = ids(20_000);
    scenario.amqp().publishWithIds(queue, ids.subList(0, 10_000));
    Worker worker = worker();
    Worker other = worker();
    Map<String, String> config = deduplicating(queue, topic);
    config.put("rabbitmq.requested.heartbeat.seconds", "2");
    worker.rest().put("once", config);
    await().atMost(LONG).until(() -> !committed(topic).isEmpty());
    Worker zombie = runsTask(worker) ? worker : other;

    zombie.pause();
    scenario.amqp().publishWithIds(queue, ids.subList(10_000, 20_000));
    await().atMost(LONG).until(() -> committed(topic).size() >= 20_000);
    zombie.resume();
    pause(5000);

    assertEachOnce(queue, topic, ids);
    (zombie == worker ? other : worker).rest().delete("once");
  }

  private static boolean runsTask(Worker worker) {
    String here = worker.restEndpoint().toString();
    return worker.rest().status("once").at("/tasks/0/worker_id").asText().equals(here);
  }

  /**
   * Lets all faults happen, each while records move.
   *
   * @param load publishes for a fault, of so many, and returns how many messages are published then
   */
  private void faultsUnderLoad(Worker worker, String topic, IntBinaryOperator load)
      throws Exception {
    List<Runnable> faults = new ArrayList<>();
    for (int i = 0; i < WORKER_KILLS; i++) {
      faults.add(
          () -> {
            worker.kill();
            worker.start();
          });
    }
    for (int i = 0; i < RABBITMQ_KILLS; i++) {
      faults.add(
          () -> {
            scenario.rabbitMQ().kill();
            scenario.rabbitMQ().start();
          });
    }
    for (int i = 0; i < KAFKA_RESTARTS; i++) {
      faults.add(
          () -> {
            // Not stopped in order: that leaves a transaction without an end more often.
            scenario.kafka().kill();
            scenario.kafka().start();
          });
    }
    Collections.shuffle(faults, random);
    for (int i = 0; i < faults.size(); i++) {
      long before = end(topic);
      int published = load.applyAsInt(i, faults.size());
      await().atMost(LONG).until(() -> end(topic) > before + MESSAGES / 500);
      pause(random.nextInt(100));
      assertThat(committed(topic)).as("records before the fault").hasSizeLessThan(published);
      faults.get(i).run();
    }
  }

  private void assertEachOnce(String queue, String topic, List<String> ids) {
    await()
        .atMost(LONG)
        .untilAsserted(() -> assertThat(committed(topic)).hasSizeGreaterThanOrEqualTo(ids.size()));
    awaitEmpty(scenario, queue);
    assertThat(committed(topic)).as("seed %d", seed).containsExactlyInAnyOrderElementsOf(ids);
  }

  private Worker worker() {
    return scenario.newWorker(WorkerSettings.of(group).exactlyOnce());
  }

  private Map<String, String> required(String queue, String topic) {
    Map<String, String> config = scenario.source(queue, topic);
    config.put("exactly.once.support", "required");
    // A worker that starts waits for the end of a transaction that a killed one left open.
    config.put("producer.override.transaction.timeout.ms", "10000");
    return config;
  }

  private Map<String, String> deduplicating(String queue, String topic) {
    Map<String, String> config = required(queue, topic);
    config.put("rabbitmq.deduplication", "message-id");
    config.put("rabbitmq.prefetch.count", "200");
    return config;
  }

  private List<String> committed(String topic) {
    return scenario.kafka().client().readCommitted(topic).stream()
        .map(record -> new String(record.value(), StandardCharsets.UTF_8))
        .toList();
  }

  private long end(String topic) {
    return scenario.kafka().client().endOffsets(topic).values().iterator().next();
  }

  private static void pause(long millis) throws InterruptedException {
    new CountDownLatch(1).await(millis, TimeUnit.MILLISECONDS);
  }
}
