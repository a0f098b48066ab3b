// SPDX-License-Identifier: Apache-2.0
package dev.rabbitbridge.harness.source;

import static dev.rabbitbridge.harness.source.Sources.awaitEmpty;
import static dev.rabbitbridge.harness.source.Sources.ids;
import static dev.rabbitbridge.harness.source.Sources.unacked;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.rabbitbridge.harness.Scenario;
import dev.rabbitbridge.harness.connect.Worker;
import dev.rabbitbridge.harness.connect.WorkerSettings;
import dev.rabbitbridge.harness.rabbitmq.Message;
import dev.rabbitbridge.harness.rabbitmq.QueueCounts;
import dev.rabbitbridge.harness.rabbitmq.QueueKind;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import org.apache.kafka.connect.source.SourceRecord;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

class SourceAckIT {
  @RegisterExtension final Scenario scenario = new Scenario();

  @ParameterizedTest
  @EnumSource(
      value = QueueKind.class,
      names = {"CLASSIC", "QUORUM"})
  void onlyWhatKafkaCommittedIsAcked(QueueKind kind) throws Exception { // F10
    String queue = scenario.queue(kind);
    scenario.amqp().publish(queue, ids(100));
    try (TaskDriver task = TaskDriver.start(Sources.config(scenario, queue))) {
      List<SourceRecord> records = task.poll(100);

      records.subList(0, 30).forEach(task::commit);
      Thread committer = new Thread(() -> task.task().commit());
      committer.start();
      committer.join();
      task.poll();

      await().untilAsserted(() -> assertThat(unacked(scenario, queue)).isEqualTo(70));
      task.stop();
    }
    assertThat(scenario.amqp().drain(queue))
        .extracting(Message::text)
        .containsExactlyInAnyOrderElementsOf(ids(100).subList(30, 100));
  }

  @Test
  void whatCameOnALostConnectionIsAckedOnlyWhenItComesAgain() { // F16 F18
    String queue = scenario.queue(QueueKind.QUORUM);
    scenario.amqp().publish(queue, ids(5));
    Map<String, String> config = Sources.config(scenario, queue);
    config.put("rabbitmq.prefetch.count", "5");
    try (TaskDriver task = TaskDriver.start(config)) {
      List<SourceRecord> old = task.poll(5);

      scenario.rabbitMQ().closeConnections();
      await().until(() -> scenario.amqp().ready(queue) == 5);
      old.forEach(task::commit);
      scenario.amqp().publish(queue, ids(5, 25));
      List<SourceRecord> again = task.pollAndCommitAll(ids(25));

      awaitEmpty(scenario, queue);
      assertThat(again).hasSize(25).allSatisfy(record -> assertThat(old).doesNotContain(record));
      assertThat(again).extracting(TaskDriver::text).containsExactlyInAnyOrderElementsOf(ids(25));
    }
  }

  @Test
  void noAckOfTheOldChannelIsSentOnTheNew() throws Exception { // F17
    String queue = scenario.queue(QueueKind.CLASSIC);
    scenario.amqp().publish(queue, ids(3));
    try (TaskDriver task = TaskDriver.start(Sources.config(scenario, queue))) {
      List<SourceRecord> old = task.poll(3);
      scenario.rabbitMQ().closeConnections();
      await().until(() -> scenario.amqp().ready(queue) == 3);
      task.commit(old.get(0));
      List<SourceRecord> fresh = task.poll(3);

      task.commit(old.get(1));
      task.commit(old.get(2));
      task.poll();
      await().untilAsserted(() -> assertThat(unacked(scenario, queue)).isEqualTo(3));
      task.commit(fresh.get(0));

      await().untilAsserted(() -> assertThat(unacked(scenario, queue)).isEqualTo(2));
    }
    assertThat(scenario.amqp().drain(queue)).hasSize(2);
  }

  @Test
  void aCommitOnTheTasksOwnThreadProvesNothingUnlessAPollFollows() throws Exception { // F10 F13
    String queue = scenario.queue(QueueKind.QUORUM);
    scenario.amqp().publish(queue, ids(5));
    try (TaskDriver ending = TaskDriver.start(Sources.config(scenario, queue))) {
      ending.poll(5);
      ending.poll();
      ending.task().commit();
    }
    await().untilAsserted(() -> assertThat(scenario.amqp().ready(queue)).isEqualTo(5));

    try (TaskDriver exactlyOnce = TaskDriver.start(Sources.config(scenario, queue))) {
      exactlyOnce.poll(5);
      exactlyOnce.task().commit();
      exactlyOnce.poll();
      exactlyOnce.task().commit();
      exactlyOnce.poll();
      awaitEmpty(scenario, queue);
    }
  }

  @Test
  void whatATransactionDroppedOnALostConnectionDoesNotHoldUpTheNext() { // F11 F18
    String queue = scenario.queue(QueueKind.QUORUM);
    scenario.amqp().publish(queue, ids(5));
    try (TaskDriver exactlyOnce = TaskDriver.start(Sources.config(scenario, queue))) {
      List<SourceRecord> dropped = exactlyOnce.poll(5);
      scenario.rabbitMQ().closeConnections();
      await().until(() -> scenario.amqp().ready(queue) == 5);

      List<SourceRecord> again = new ArrayList<>();
      await()
          .atMost(Duration.ofSeconds(30))
          .pollDelay(Duration.ZERO)
          .pollInSameThread()
          .until(
              () -> {
                // The worker says no more about records that a transform dropped.
                exactlyOnce.task().commit();
                again.addAll(exactlyOnce.poll());
                return again.size() == 5;
              });

      assertThat(again).doesNotContainAnyElementsOf(dropped);
    }
  }

  @Test
  void equalMessagesAreAckedOneByOne() {
    String queue = scenario.queue(QueueKind.QUORUM);
    scenario.amqp().publish(queue, List.of("same", "same", "same"));
    try (TaskDriver task = TaskDriver.start(Sources.config(scenario, queue))) {
      List<SourceRecord> records = task.poll(3);
      assertThat(new HashSet<>(records)).hasSize(3);
      assertThat(records).extracting(SourceRecord::sourceOffset).doesNotHaveDuplicates();

      task.commit(records.get(0));
      task.commit(records.get(0));

      await().untilAsserted(() -> assertThat(unacked(scenario, queue)).isEqualTo(2));
    }
  }

  @Test
  void aWorkerKilledBetweenPollAndAckLosesNothing() { // F09
    String queue = scenario.queue(QueueKind.QUORUM);
    String topic = scenario.topic(4);
    Worker worker = scenario.newWorker(WorkerSettings.of(scenario.name("group")));
    scenario.amqp().publish(queue, ids(1000));
    Map<String, String> config = scenario.source(queue, topic);
    config.put("rabbitmq.ack.max.delay.ms", "2000");
    config.put("rabbitmq.ack.batch.size", "10000");
    worker.rest().put("source", config);
    await()
        .atMost(Duration.ofSeconds(60))
        .until(() -> !scenario.kafka().client().values(topic).isEmpty());

    worker.kill();
    worker.start();

    await()
        .atMost(Duration.ofSeconds(90))
        .untilAsserted(
            () ->
                assertThat(new HashSet<>(scenario.kafka().client().values(topic)))
                    .containsExactlyInAnyOrderElementsOf(ids(1000)));
    await()
        .atMost(Duration.ofSeconds(30))
        .untilAsserted(
            () ->
                assertThat(scenario.rabbitMQ().management().counts(queue))
                    .isEqualTo(new QueueCounts(0, 0, 1)));
    worker.rest().delete("source");
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void whatAFilterDropsIsAcked(boolean exactlyOnce) { // F11
    String queue = scenario.queue(QueueKind.QUORUM);
    String topic = scenario.topic(1);
    scenario.amqp().publish(queue, ids(1000));
    Map<String, String> config = scenario.source(queue, topic);
    config.put("rabbitmq.prefetch.count", "10");
    config.put("transforms", "drop");
    config.put("transforms.drop.type", "org.apache.kafka.connect.transforms.Filter");
    WorkerSettings settings = WorkerSettings.of(scenario.name("group"));
    Worker worker = exactlyOnce ? scenario.newWorker(settings.exactlyOnce()) : scenario.worker();
    String connector = scenario.name("filtered");
    worker.rest().put(connector, config);

    await()
        .atMost(Duration.ofSeconds(60))
        .untilAsserted(
            () ->
                assertThat(scenario.rabbitMQ().management().counts(queue))
                    .isEqualTo(new QueueCounts(0, 0, 1)));

    assertThat(scenario.kafka().client().values(topic)).isEmpty();
    worker.rest().awaitRunning(connector, 1);
    assertThat(worker.logLines("ERROR.*" + connector)).isEmpty();
    worker.rest().delete(connector);
  }
}
