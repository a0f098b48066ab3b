// SPDX-License-Identifier: Apache-2.0
package dev.rabbitbridge.harness.source;

import static dev.rabbitbridge.harness.source.Sources.awaitAll;
import static dev.rabbitbridge.harness.source.Sources.awaitEmpty;
import static dev.rabbitbridge.harness.source.Sources.ids;
import static dev.rabbitbridge.harness.source.Sources.unacked;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import dev.rabbitbridge.harness.Scenario;
import dev.rabbitbridge.harness.connect.RestException;
import dev.rabbitbridge.harness.connect.Worker;
import dev.rabbitbridge.harness.connect.WorkerSettings;
import dev.rabbitbridge.harness.rabbitmq.Amqp;
import dev.rabbitbridge.harness.rabbitmq.Management;
import dev.rabbitbridge.harness.rabbitmq.QueueKind;
import java.net.URI;
import java.time.Duration;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** The connector in a worker: REST calls, tasks, permissions, exactly-once mode. */
class SourceLifecycleIT {
  @RegisterExtension final Scenario scenario = new Scenario();

  @Test
  void pauseResumeRestartAndDeleteOfAnIdleConnectorTakeEffectAtOnce() { // F80
    String queue = scenario.queue(QueueKind.QUORUM);
    String topic = scenario.topic(1);
    Map<String, String> config = scenario.source(queue, topic);
    config.put("rabbitmq.connection.name", queue);
    String connector = scenario.running(config);
    await().until(() -> scenario.amqp().consumers(queue) == 1);

    within5s(
        () -> {
          scenario.worker().rest().pause(connector);
          scenario.worker().rest().awaitState(connector, "PAUSED");
        });
    within5s(
        () -> {
          scenario.worker().rest().resume(connector);
          scenario.worker().rest().awaitRunning(connector, 1);
        });
    within5s(
        () -> {
          scenario.worker().rest().restart(connector);
          scenario.worker().rest().awaitRunning(connector, 1);
        });
    scenario.amqp().publish(queue, ids(3));
    awaitAll(scenario, topic, ids(3));
    within5s(
        () -> {
          scenario.worker().rest().delete(connector);
          await()
              .pollInterval(Duration.ofMillis(50))
              .until(() -> scenario.amqp().consumers(queue) == 0);
        });
    await()
        .atMost(Duration.ofSeconds(15))
        .until(
            () ->
                scenario.rabbitMQ().management().connections().stream()
                    .noneMatch(connection -> connection.toString().contains(queue)));
  }

  @Test
  void offsetsOfAQueueCanBeResetButNotSet() { // F77
    String queue = scenario.queue(QueueKind.QUORUM);
    String topic = scenario.topic(1);
    scenario.amqp().publish(queue, ids(3));
    String connector = scenario.running(scenario.source(queue, topic));
    awaitAll(scenario, topic, ids(3));
    awaitEmpty(scenario, queue);
    scenario.worker().rest().stop(connector);
    scenario.worker().rest().awaitState(connector, "STOPPED");
    scenario.amqp().publish(queue, ids(3, 6));

    assertThatThrownBy(
            () ->
                scenario
                    .worker()
                    .rest()
                    .alterOffsets(
                        connector,
                        Map.of(
                            "offsets",
                            List.of(
                                Map.of(
                                    "partition", Map.of("queue", queue),
                                    "offset", Map.of("sequence", 1))))))
        .isInstanceOf(RestException.class)
        .hasMessageContaining("lives in RabbitMQ");
    scenario.worker().rest().resetOffsets(connector);

    assertThat(scenario.amqp().ready(queue)).isEqualTo(3);
    scenario.worker().rest().resume(connector);
    awaitAll(scenario, topic, ids(6));
    awaitEmpty(scenario, queue);
    assertThat(scenario.kafka().client().values(topic)).hasSize(6);
  }

  @Test
  void offsetsOfAStreamCanBeSetAndReset() {
    String stream = scenario.queue(QueueKind.STREAM);
    String topic = scenario.topic(1);
    scenario.amqp().publish(stream, ids(10));
    Map<String, String> config = scenario.source(stream, topic);
    config.put("rabbitmq.queue.type", "stream");
    String connector = scenario.running(config);
    awaitAll(scenario, topic, ids(10));
    scenario.worker().rest().stop(connector);
    scenario.worker().rest().awaitState(connector, "STOPPED");
    JsonNode stored = scenario.worker().rest().offsets(connector);
    assertThat(stored.toString()).contains("\"stream.offset\":9", stream);

    scenario
        .worker()
        .rest()
        .alterOffsets(
            connector,
            Map.of(
                "offsets",
                List.of(
                    Map.of(
                        "partition", Map.of("queue", stream),
                        "offset", Map.of("stream.offset", 6)))));
    scenario.worker().rest().resume(connector);
    await()
        .atMost(Duration.ofSeconds(60))
        .untilAsserted(() -> assertThat(scenario.kafka().client().values(topic)).hasSize(13));

    assertThat(scenario.kafka().client().values(topic).subList(10, 13))
        .containsExactlyElementsOf(ids(7, 10));
  }

  @Test
  void anExactlyOnceWorkerAcksWhatItsTransactionsCommittedAndPromisesNoMore() { // F78
    Map<String, String> config = scenario.source("q", "t");
    config.put("exactly.once.support", "required");
    Worker worker = scenario.newWorker(WorkerSettings.of(scenario.name("group")).exactlyOnce());

    assertThat(worker.rest().validate(config).errors())
        .containsOnlyKeys("exactly.once.support", "rabbitmq.deduplication");

    String queue = scenario.queue(QueueKind.QUORUM);
    String topic = scenario.topic(1);
    scenario.amqp().publish(queue, ids(50));
    Map<String, String> interval = scenario.source(queue, topic);
    interval.put("rabbitmq.prefetch.count", "5");
    interval.put("transaction.boundary", "interval");
    interval.put("transaction.boundary.interval.ms", "1000");
    worker.rest().put("interval", interval);
    awaitAll(scenario, topic, ids(50));
    awaitEmpty(scenario, queue);
    assertThat(scenario.kafka().client().readCommitted(topic)).hasSize(50);
    worker.rest().delete("interval");
    await().until(() -> scenario.amqp().consumers(queue) == 0);

    scenario.amqp().publish(queue, ids(20));
    String slow = scenario.topic(1);
    interval.put("kafka.topic", slow);
    interval.put("rabbitmq.prefetch.count", "500");
    interval.put("transaction.boundary.interval.ms", "60000");
    worker.rest().put("slow", interval);
    await()
        .atMost(Duration.ofSeconds(60))
        .until(() -> unacked(scenario, queue) == 20 && endOffset(slow) >= 20);

    worker.kill();
    await().untilAsserted(() -> assertThat(scenario.amqp().ready(queue)).isEqualTo(20));
    assertThat(scenario.kafka().client().readCommitted(slow)).isEmpty();
  }

  private long endOffset(String topic) {
    return scenario.kafka().client().endOffsets(topic).values().iterator().next();
  }

  @Test
  void aUserWhoMayOnlyReadIsEnoughAndNothingIsCreated() { // F36
    Management vhost = scenario.vhost();
    String user = scenario.user("secret");
    vhost.grant(user, "^$", "^$", ".*");
    vhost.declareQueue(
        "orders",
        QueueKind.QUORUM,
        Map.of("x-dead-letter-exchange", "dlx", "x-max-length", 1000, "x-overflow", "drop-head"));
    String topic = scenario.topic(1);
    int exchanges = vhost.get("exchanges/" + encoded(vhost)).size();
    Map<String, String> config = scenario.source("orders", topic);
    config.put("rabbitmq.virtual.host", vhost.vhost());
    config.put("rabbitmq.username", user);
    config.put("rabbitmq.password", "secret");
    String connector = scenario.running(config);
    await().atMost(Duration.ofSeconds(20)).until(() -> vhost.counts("orders").consumers() == 1);

    publish(vhost, "orders", ids(3));
    awaitAll(scenario, topic, ids(3));
    await().until(() -> vhost.counts("orders").total() == 0);
    scenario.worker().rest().awaitRunning(connector, 1);
    assertThat(vhost.get("queues/" + encoded(vhost))).hasSize(1);
    assertThat(vhost.get("exchanges/" + encoded(vhost))).hasSize(exchanges);
    scenario.worker().rest().delete(connector);
  }

  private void publish(Management vhost, String queue, List<String> bodies) {
    String uri = scenario.rabbitMQ().uri().toString();
    URI there = URI.create(uri.substring(0, uri.lastIndexOf('/') + 1) + encoded(vhost));
    try (Amqp amqp = Amqp.connect(there)) {
      amqp.publish(queue, bodies);
    }
  }

  private static String encoded(Management vhost) {
    return vhost.vhost().replace("/", "%2F");
  }

  @Test
  void oneTaskKeepsTheOrderOfAQueueAcrossReconnects() { // F35
    String queue = scenario.queue(QueueKind.QUORUM);
    String topic = scenario.topic(1);
    List<String> ids = ids(10_000);
    scenario.running(scenario.source(queue, topic));
    for (int i = 0; i < 10; i++) {
      scenario.amqp().publish(queue, ids.subList(i * 1000, (i + 1) * 1000));
      if (i % 3 == 2) {
        scenario.rabbitMQ().closeConnections();
      }
    }

    awaitAll(scenario, topic, ids);
    awaitEmpty(scenario, queue);

    assertThat(new LinkedHashSet<>(scenario.kafka().client().values(topic)))
        .containsExactlyElementsOf(ids);
  }

  @Test
  void inSharedModeThreeTasksReadOneQueue() { // F35
    String queue = scenario.queue(QueueKind.QUORUM);
    String topic = scenario.topic(1);
    Map<String, String> config = scenario.source(queue, topic);
    config.put("tasks.max", "3");
    config.put("rabbitmq.queue.consumer.mode", "shared");
    String connector = scenario.put(config);
    scenario.worker().rest().awaitRunning(connector, 3);
    await().until(() -> scenario.amqp().consumers(queue) == 3);
    scenario.amqp().publish(queue, ids(1000));

    awaitAll(scenario, topic, ids(1000));
    awaitEmpty(scenario, queue);
  }

  @Test
  void aSingleActiveConsumerQueueIsReadByOneTaskAndTakenOverByTheNext() { // F30
    String queue = scenario.queue(QueueKind.QUORUM, Map.of("x-single-active-consumer", true));
    scenario.amqp().publish(queue, ids(10));
    try (TaskDriver active = TaskDriver.start(Sources.config(scenario, queue))) {
      active.poll(10);
      try (TaskDriver waiting = TaskDriver.start(Sources.config(scenario, queue))) {
        for (int i = 0; i < 10; i++) {
          assertThat(waiting.poll()).isEmpty();
        }
        active.stop();
        assertThat(waiting.poll(10)).hasSize(10);
      }
    }
  }

  @Test
  void anExclusiveConsumerKeepsTheNextOneOut() {
    String queue = scenario.queue(QueueKind.CLASSIC);
    scenario.amqp().publish(queue, ids(1));
    Map<String, String> config = Sources.config(scenario, queue);
    config.put("rabbitmq.consumer.exclusive", "true");
    try (TaskDriver first = TaskDriver.start(config)) {
      first.poll(1);
      try (TaskDriver second = TaskDriver.start(config)) {
        await()
            .atMost(Duration.ofSeconds(30))
            .untilAsserted(
                () -> assertThatThrownBy(second::poll).hasMessageContaining("exclusive use"));
      }
    }
  }

  private static void within5s(Runnable action) {
    long before = System.nanoTime();
    action.run();
    assertThat(Duration.ofNanos(System.nanoTime() - before)).isLessThan(Duration.ofSeconds(5));
  }
}
