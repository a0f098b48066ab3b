// SPDX-License-Identifier: Apache-2.0
package dev.rabbitbridge.harness.source;

import static dev.rabbitbridge.harness.source.Sources.ids;
import static dev.rabbitbridge.harness.source.Sources.unacked;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeFalse;

import com.rabbitmq.client.MessageProperties;
import dev.rabbitbridge.harness.Scale;
import dev.rabbitbridge.harness.Scenario;
import dev.rabbitbridge.harness.proxy.TcpProxy;
import dev.rabbitbridge.harness.rabbitmq.Message;
import dev.rabbitbridge.harness.rabbitmq.QueueKind;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import org.apache.kafka.connect.errors.ConnectException;
import org.apache.kafka.connect.source.SourceRecord;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** What happens to a task when the broker, the connection, the channel or the queue goes away. */
class SourceRecoveryIT {
  @RegisterExtension final Scenario scenario = new Scenario();

  @Test
  void aBrokerThatRestartsThreeTimesFindsOneConsumerAndLosesNothing() { // F21
    String queue = scenario.queue(QueueKind.QUORUM);
    Map<String, String> config = Sources.config(scenario, queue);
    config.put("rabbitmq.connection.name", queue);
    try (TaskDriver task = TaskDriver.start(config)) {
      for (int restart = 0; restart < 3; restart++) {
        task.pollAndCommitUntil(() -> scenario.amqp().consumers(queue) == 1);
        scenario.rabbitMQ().kill();
        task.poll();
        scenario.rabbitMQ().start();
      }
      scenario.amqp().publish(queue, ids(300));

      List<SourceRecord> records = task.pollAndCommitAll(ids(300));

      assertThat(texts(records)).containsExactlyInAnyOrderElementsOf(ids(300));
      Sources.awaitEmpty(scenario, queue);
      assertThat(scenario.amqp().consumers(queue)).isEqualTo(1);
      await()
          .untilAsserted(
              () ->
                  assertThat(
                          scenario.rabbitMQ().management().connections().stream()
                              .filter(
                                  c ->
                                      queue.equals(
                                          c.path("client_properties")
                                              .path("connection_name")
                                              .asText())))
                      .hasSize(1));
    }
  }

  @Test
  void aTaskStartsAtOnceWithoutABrokerAndWorksWhenItComes() { // F26 F89
    String queue = scenario.queue(QueueKind.QUORUM);
    scenario.amqp().publish(queue, ids(3));
    scenario.rabbitMQ().stop();

    long before = System.nanoTime();
    try (TaskDriver task = TaskDriver.start(Sources.config(scenario, queue))) {
      assertThat(task.poll()).isEmpty();
      assertThat(Duration.ofNanos(System.nanoTime() - before)).isLessThan(Duration.ofSeconds(2));

      scenario.rabbitMQ().start();
      assertThat(texts(task.poll(3))).containsExactlyElementsOf(ids(3));
    }
  }

  @Test
  void aTaskThatNeverReachedItsBrokerLeavesNoThread() { // F26
    Map<String, String> config = Sources.config(scenario, "q");
    config.put("rabbitmq.port", "1");
    config.put("name", scenario.name("nobody"));

    TaskDriver task = TaskDriver.start(config);
    task.poll();
    task.stop();

    await()
        .untilAsserted(
            () ->
                assertThat(Thread.getAllStackTraces().keySet())
                    .noneMatch(thread -> thread.getName().contains(config.get("name"))));
  }

  @Test
  void wrongCredentialsFailTheTaskAndNameTheSetting() { // F87
    Map<String, String> config = Sources.config(scenario, "q");
    config.put("rabbitmq.password", "wrong");

    assertFails(config, "rabbitmq.password");
  }

  @Test
  void aMissingQueueFailsTheTaskAndIsNamed() { // F23
    assertFails(Sources.config(scenario, "nowhere"), "Queue 'nowhere'");
  }

  @Test
  void aQueueDeletedUnderATaskFailsItWithinHalfAMinute() { // F23
    String queue = scenario.queue(QueueKind.QUORUM);
    scenario.amqp().publish(queue, ids(3));
    try (TaskDriver task = TaskDriver.start(Sources.config(scenario, queue))) {
      List<SourceRecord> records = task.poll(3);
      scenario.rabbitMQ().management().deleteQueue(queue);

      await()
          .atMost(Duration.ofSeconds(30))
          .untilAsserted(
              () -> {
                records.forEach(task::commit);
                assertThatThrownBy(task::poll)
                    .isInstanceOf(ConnectException.class)
                    .hasMessageContaining("Queue '" + queue + "'");
              });
    }
  }

  @Test
  void aDeletedQueueIsWaitedForWhileTheOthersGoOn() { // F22 F23
    String lost = scenario.queue(QueueKind.QUORUM);
    String other = scenario.queue(QueueKind.CLASSIC);
    Map<String, String> config = Sources.config(scenario, lost + "," + other);
    config.put("rabbitmq.queue.failure.tolerance", "skip-and-continue");
    config.put("rabbitmq.reconnect.backoff.max.ms", "500");
    scenario.amqp().publish(lost, ids(2));
    try (TaskDriver task = TaskDriver.start(config)) {
      List<SourceRecord> handedOut = task.poll(2);
      scenario.rabbitMQ().management().deleteQueue(lost);
      handedOut.forEach(task::commit);
      scenario.amqp().publish(other, ids(10, 20));
      assertThat(texts(task.poll(10))).containsExactlyElementsOf(ids(10, 20));

      scenario.rabbitMQ().management().declareQueue(lost, QueueKind.CLASSIC, Map.of());
      scenario.amqp().publish(lost, ids(20, 30));

      assertThat(texts(task.poll(10))).containsExactlyElementsOf(ids(20, 30));
    }
  }

  @Test
  void aChannelClosedForLateAcksIsReplacedWhenRecordsMoveAgain() { // F19 F31
    String queue = scenario.queue(QueueKind.QUORUM, Map.of("x-delivery-limit", 3));
    shortAckTimeout(true);
    try {
      Map<String, String> config = Sources.config(scenario, queue);
      config.put("rabbitmq.prefetch.count", "10");
      scenario.amqp().publish(queue, ids(20));
      try (TaskDriver task = TaskDriver.start(config)) {
        List<SourceRecord> held = new ArrayList<>(task.poll(10));
        await()
            .atMost(Duration.ofSeconds(90))
            .until(
                () -> {
                  task.poll();
                  return scenario.amqp().ready(queue) == 20;
                });

        held.forEach(task::commit);
        List<SourceRecord> later = task.pollAndCommitAll(ids(20));

        held.addAll(later);
        assertThat(new HashSet<>(texts(held))).containsExactlyInAnyOrderElementsOf(ids(20));
      }
    } finally {
      shortAckTimeout(false);
    }
  }

  @Test
  void aChannelThatFailedIsReplacedAndItsMessagesComeAgain() { // F15 F17
    String queue = scenario.queue(QueueKind.QUORUM);
    scenario.amqp().publish(queue, ids(20));
    try (TaskDriver task = TaskDriver.start(Sources.config(scenario, queue))) {
      List<SourceRecord> old = task.poll(20);
      Sources.closeChannels(scenario);
      await().until(() -> scenario.amqp().ready(queue) == 20);

      old.forEach(task::commit);
      List<SourceRecord> again = task.pollAndCommitAll(ids(20));

      assertThat(again).hasSize(20);
      Sources.awaitEmpty(scenario, queue);
    }
  }

  @Test
  void aSilentBrokerIsNoticedByHeartbeats() { // F25
    String queue = scenario.queue(QueueKind.QUORUM);
    Map<String, String> config = Sources.config(scenario, queue);
    config.put("rabbitmq.requested.heartbeat.seconds", "1");
    TcpProxy proxy = scenario.proxy();
    config.putAll(scenario.broker(proxy.endpoint()));
    try (TaskDriver task = TaskDriver.start(config)) {
      task.pollAndCommitUntil(() -> scenario.amqp().consumers(queue) == 1);
      scenario.amqp().publish(queue, ids(5));
      List<SourceRecord> held = task.poll(5);

      proxy.drop();
      held.forEach(task::commit);
      // While the bytes get lost nobody resets anything: only missing heartbeats tell.
      await()
          .atMost(Duration.ofSeconds(10))
          .until(
              () -> {
                task.poll();
                return proxy.accepted() > 1;
              });
      proxy.heal();

      List<SourceRecord> again = task.pollAndCommitAll(ids(5));
      assertThat(texts(again)).containsExactlyInAnyOrderElementsOf(ids(5));
      Sources.awaitEmpty(scenario, queue);
    }
  }

  @Test
  void aTaskThatIsNotPolledKeepsItsConnectionAndItsMessages() throws Exception { // F29
    String queue = scenario.queue(QueueKind.QUORUM);
    scenario.amqp().publish(queue, ids(2000));
    Map<String, String> config = Sources.config(scenario, queue);
    config.put("rabbitmq.requested.heartbeat.seconds", "1");
    try (TaskDriver task = TaskDriver.start(config)) {
      await().untilAsserted(() -> assertThat(unacked(scenario, queue)).isEqualTo(500));
      new java.util.concurrent.CountDownLatch(1)
          .await(Scale.of(5, 300), java.util.concurrent.TimeUnit.SECONDS);

      List<SourceRecord> records = task.pollAndCommitAll(ids(2000));

      assertThat(texts(records)).containsExactlyElementsOf(ids(2000));
      assertThat(records)
          .allSatisfy(
              record ->
                  assertThat(record.headers().lastWithName("rabbitmq.redeliver").value())
                      .isEqualTo(false));
    }
  }

  @Test
  void aMessageOverTheCapFailsTheTaskAndIsDeliveredWithALargerOne() { // F33
    String queue = scenario.queue(QueueKind.QUORUM);
    Map<String, String> config = Sources.config(scenario, queue);
    config.put("rabbitmq.max.inbound.message.size", "1000");
    config.put("rabbitmq.reconnect.backoff.max.ms", "200");
    scenario.amqp().publish(queue, List.of("x".repeat(1001), "small"));

    assertFails(config, "1001", "rabbitmq.max.inbound.message.size", queue);

    config.put("rabbitmq.max.inbound.message.size", "1001");
    try (TaskDriver task = TaskDriver.start(config)) {
      assertThat(texts(task.poll(2))).containsExactlyInAnyOrder("x".repeat(1001), "small");
    }
  }

  @Test
  void aMessageOverTheCapFailsTheTaskAlsoWhileAnotherQueueMoves() { // F05 F33
    String queue = scenario.queue(QueueKind.CLASSIC);
    String busy = scenario.queue(QueueKind.CLASSIC);
    Map<String, String> config = Sources.config(scenario, busy + "," + queue);
    config.put("rabbitmq.max.inbound.message.size", "1000");
    config.put("rabbitmq.reconnect.backoff.max.ms", "200");
    scenario.amqp().publish(busy, ids(20_000));
    scenario.amqp().publish(queue, List.of("x".repeat(1001)));

    assertFails(config, "1001", "rabbitmq.max.inbound.message.size", queue);
  }

  @Test
  void aStopTakesEffectWithinFiveSecondsWhateverTheBrokerDoes() { // F80
    String queue = scenario.queue(QueueKind.QUORUM);
    scenario.amqp().publish(queue, ids(10));
    TaskDriver task = TaskDriver.start(Sources.config(scenario, queue));
    List<SourceRecord> records = task.poll(10);
    scenario.rabbitMQ().pause();
    records.forEach(task::commit);

    long before = System.nanoTime();
    task.stop();

    assertThat(Duration.ofNanos(System.nanoTime() - before)).isLessThan(Duration.ofSeconds(5));
    records.forEach(task::commit);
    records.forEach(task::drop);
    scenario.rabbitMQ().resume();
  }

  @Test
  void whatWasNotCommittedAtTheStopIsDeliveredToTheNextTask() { // F80
    String queue = scenario.queue(QueueKind.QUORUM);
    scenario.amqp().publish(queue, ids(10));
    TaskDriver task = TaskDriver.start(Sources.config(scenario, queue));
    List<SourceRecord> records = task.poll(10);
    // The first one is on its way to a partition that does not answer, say.
    records.subList(1, 5).forEach(task::commit);
    records.subList(8, 10).forEach(task::commit);

    task.stop();
    records.forEach(task::commit);

    await().untilAsserted(() -> assertThat(scenario.amqp().consumers(queue)).isZero());
    assertThat(scenario.amqp().drain(queue))
        .extracting(Message::text)
        .containsExactlyInAnyOrder("id-0", "id-5", "id-6", "id-7");
  }

  @Test
  void twentyFiveTasksThatEndInOrderLeaveTheDeliveryLimitAlone() { // F31
    String queue = scenario.queue(QueueKind.QUORUM);
    scenario.amqp().publish("", queue, MessageProperties.MINIMAL_PERSISTENT_BASIC, ids(600));
    for (int i = 0; i < 25; i++) {
      try (TaskDriver task = TaskDriver.start(Sources.config(scenario, queue))) {
        task.poll(500);
      }
    }
    try (TaskDriver task = TaskDriver.start(Sources.config(scenario, queue))) {
      List<SourceRecord> records = task.pollAndCommitAll(ids(600));
      assertThat(texts(records)).containsExactlyInAnyOrderElementsOf(ids(600));
      Sources.awaitEmpty(scenario, queue);
    }
  }

  @Test
  void tasksThatEndWhileTheirFirstMessagesArriveLeaveTheDeliveryLimitAlone()
      throws Exception { // F31
    assumeFalse(
        scenario.rabbitMQ().management().version().startsWith("3."),
        "before 4.0 a quorum queue counts what is given back, too");
    String queue = scenario.queue(QueueKind.QUORUM);
    scenario.amqp().publish(queue, Collections.nCopies(500, "x".repeat(2000)));
    for (int i = 0; i < 40; i++) {
      try (TaskDriver task = TaskDriver.start(Sources.config(scenario, queue))) {
        await()
            .pollDelay(Duration.ZERO)
            .pollInterval(Duration.ofMillis(1))
            .until(() -> scenario.amqp().ready(queue) < 500);
        task.stop();
      }
    }
    try (TaskDriver task = TaskDriver.start(Sources.config(scenario, queue))) {
      List<SourceRecord> records = task.poll(500);

      assertThat(records)
          .extracting(record -> record.headers().lastWithName("x-delivery-count"))
          .allMatch(header -> header == null || ((Number) header.value()).longValue() == 0);
    }
  }

  /** The broker looks only once a minute, unless told otherwise. */
  private void shortAckTimeout(boolean on) {
    scenario
        .rabbitMQ()
        .ctl(
            "eval",
            on
                ? "application:set_env(rabbit, consumer_timeout, 1500), application:set_env(rabbit, channel_tick_interval, 500)."
                : "application:set_env(rabbit, consumer_timeout, 1800000), application:set_env(rabbit, channel_tick_interval, 60000).");
  }

  private static void assertFails(Map<String, String> config, String... named) {
    try (TaskDriver task = TaskDriver.start(config)) {
      await()
          .atMost(Duration.ofSeconds(30))
          .untilAsserted(
              () ->
                  assertThatThrownBy(() -> task.poll().forEach(task::drop))
                      .isInstanceOf(ConnectException.class)
                      .hasMessageContainingAll(named));
    }
  }

  private static List<String> texts(List<SourceRecord> records) {
    return records.stream().map(TaskDriver::text).toList();
  }
}
