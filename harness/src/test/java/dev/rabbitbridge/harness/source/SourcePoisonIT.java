// SPDX-License-Identifier: Apache-2.0
package dev.rabbitbridge.harness.source;

import static dev.rabbitbridge.harness.source.Sources.awaitAll;
import static dev.rabbitbridge.harness.source.Sources.awaitEmpty;
import static dev.rabbitbridge.harness.source.Sources.ids;
import static dev.rabbitbridge.harness.source.Sources.unacked;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.rabbitmq.client.AMQP.BasicProperties;
import dev.rabbitbridge.harness.Scenario;
import dev.rabbitbridge.harness.proxy.TcpProxy;
import dev.rabbitbridge.harness.rabbitmq.Management;
import dev.rabbitbridge.harness.rabbitmq.Message;
import dev.rabbitbridge.harness.rabbitmq.QueueKind;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import org.apache.kafka.connect.errors.ConnectException;
import org.apache.kafka.connect.source.SourceRecord;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Messages that cannot become records, and records that nobody wants. */
class SourcePoisonIT {
  @RegisterExtension final Scenario scenario = new Scenario();

  @Test
  void oneOfFiveThatCannotBeConvertedFailsTheTaskAfterTheRestWasHandedOut() { // F08
    String queue = scenario.queue(QueueKind.QUORUM);
    scenario.amqp().publish(queue, List.of("1", "2", "{", "4", "5"));
    Map<String, String> config = json(queue, "fail");
    try (TaskDriver task = TaskDriver.start(config)) {
      List<SourceRecord> records = task.poll(2);
      records.forEach(task::commit);

      await()
          .untilAsserted(
              () ->
                  assertThatThrownBy(task::poll)
                      .isInstanceOf(ConnectException.class)
                      .hasMessageContainingAll(
                          queue, "not JSON", "rabbitmq.record.error.behavior"));
      assertThat(records).extracting(SourceRecord::value).containsExactly(1L, 2L);
    }
    assertThat(scenario.amqp().drain(queue))
        .extracting(Message::text)
        .containsExactlyInAnyOrder("{", "4", "5");
  }

  @ParameterizedTest
  @ValueSource(strings = {"reject", "ack", "raw"})
  void oneInAThousandIsSettledAsConfiguredAndTheOthersArrive(String behavior) { // F08 F32
    String dead = scenario.queue(QueueKind.CLASSIC);
    String queue =
        scenario.queue(
            QueueKind.QUORUM,
            Map.of("x-dead-letter-exchange", "", "x-dead-letter-routing-key", dead));
    List<String> bodies = new ArrayList<>();
    for (int i = 0; i < 3000; i++) {
      bodies.add(i % 1000 == 500 ? "{broken" : Integer.toString(i));
    }
    scenario.amqp().publish(queue, bodies);
    try (TaskDriver task = TaskDriver.start(json(queue, behavior))) {
      int expected = behavior.equals("raw") ? 3000 : 2997;
      List<SourceRecord> records = new ArrayList<>();
      while (records.size() < expected) {
        List<SourceRecord> some = task.poll(1);
        some.forEach(task::commit);
        records.addAll(some);
      }

      assertThat(records).hasSize(expected);
      assertThat(records.stream().filter(record -> record.value() instanceof Long)).hasSize(2997);
      task.pollAndCommitUntil(() -> unacked(scenario, queue) == 0);
      awaitEmpty(scenario, queue);
    }
    assertThat(scenario.amqp().drain(dead)).hasSize(behavior.equals("reject") ? 3 : 0);
  }

  @ParameterizedTest
  @ValueSource(strings = {"fail", "reject", "ack", "raw"})
  void oneInAThousandCostsTheWorkerNeitherCpuNorLog(String behavior) { // F32
    String dead = scenario.queue(QueueKind.CLASSIC);
    String queue =
        scenario.queue(
            QueueKind.QUORUM,
            Map.of("x-dead-letter-exchange", "", "x-dead-letter-routing-key", dead));
    String topic = scenario.topic(1);
    List<String> good = new ArrayList<>();
    List<String> bodies = new ArrayList<>();
    for (int i = 0; i < 10_000; i++) {
      if (i % 1000 == 500) {
        bodies.add("{broken");
      } else {
        good.add(Integer.toString(i));
        bodies.add(Integer.toString(i));
      }
    }
    scenario.amqp().publish(queue, bodies);
    Map<String, String> config = scenario.source(queue, topic);
    config.put("rabbitmq.value.format", "json");
    config.put("value.converter", "org.apache.kafka.connect.json.JsonConverter");
    config.put("value.converter.schemas.enable", "false");
    config.put("rabbitmq.record.error.behavior", behavior);
    double before = cpuSeconds();
    String connector = scenario.put(config);
    if (behavior.equals("fail")) {
      assertThat(scenario.worker().rest().awaitFailed(connector)).contains(queue, "not JSON");
      assertQuiet(connector);
      config.put("rabbitmq.record.error.behavior", "ack");
      scenario.worker().rest().put(connector, config);
    }

    awaitAll(scenario, topic, good);
    awaitEmpty(scenario, queue);
    double used = cpuSeconds() - before;
    System.out.printf("%s: %.0f us of CPU a message%n", behavior, used / bodies.size() * 1e6);
    assertThat(used / bodies.size()).as("CPU seconds a message").isLessThan(0.001);
    assertQuiet(connector);
    int more = scenario.kafka().client().values(topic).size() - good.size();
    switch (behavior) {
      case "raw" -> assertThat(more).isEqualTo(10);
      case "fail" -> assertThat(more).as("given back when it failed").isBetween(0, 500);
      default -> assertThat(more).isZero();
    }
    assertThat(scenario.amqp().drain(dead)).hasSize(behavior.equals("reject") ? 10 : 0);
  }

  /** For five seconds at the end, and in what it has logged so far. */
  private void assertQuiet(String connector) {
    double before = cpuSeconds();
    await().pollDelay(Duration.ofSeconds(5)).until(() -> true);
    assertThat(cpuSeconds() - before).as("CPU seconds in five").isLessThan(2);
    assertThat(scenario.worker().logLines("(WARN|ERROR).*" + connector)).hasSizeBetween(1, 10);
  }

  private double cpuSeconds() {
    return scenario.worker().jmx().number("java.lang:type=OperatingSystem", "ProcessCpuTime") / 1e9;
  }

  @Test
  void aFloodOfWhatCannotBecomeARecordDoesNotHoldAPoll() { // F08 F80
    String queue = scenario.queue(QueueKind.QUORUM);
    scenario.amqp().publish(queue, Collections.nCopies(2000, "{broken"));
    Map<String, String> config = json(queue, "ack");
    config.put("rabbitmq.poll.max.records", "10");
    try (TaskDriver task = TaskDriver.start(config)) {
      await().untilAsserted(() -> assertThat(unacked(scenario, queue)).isEqualTo(500));

      assertThat(task.poll()).isEmpty();

      await()
          .untilAsserted(
              () ->
                  assertThat(scenario.rabbitMQ().management().counts(queue).total())
                      .isEqualTo(1990));
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"reject", "raw", "fail"})
  void aMessageWithoutTheHeaderThatTheTopicNeedsIsNoRecord(String behavior) {
    String dead = scenario.queue(QueueKind.CLASSIC);
    String queue =
        scenario.queue(
            QueueKind.CLASSIC,
            Map.of("x-dead-letter-exchange", "", "x-dead-letter-routing-key", dead));
    scenario.amqp().publish(queue, List.of("without"));
    BasicProperties properties =
        new BasicProperties.Builder().headers(Map.of("region", "eu")).build();
    scenario.amqp().publish("", queue, properties, List.of("with"));
    Map<String, String> config = Sources.config(scenario, queue);
    config.put("kafka.topic", "${header:region}");
    config.put("rabbitmq.record.error.behavior", behavior);
    try (TaskDriver task = TaskDriver.start(config)) {
      if (behavior.equals("reject")) {
        assertThat(task.poll(1)).extracting(SourceRecord::topic).containsExactly("eu");
        await().untilAsserted(() -> assertThat(scenario.amqp().ready(dead)).isEqualTo(1));
      } else {
        // What the sentence advises must not end in the other failure.
        String advice =
            behavior.equals("raw") ? "Without a topic" : " = reject or ack would let the task";
        await()
            .untilAsserted(
                () ->
                    assertThatThrownBy(task::poll)
                        .isInstanceOf(ConnectException.class)
                        .hasMessageContainingAll(queue, "${header:region}", advice));
      }
    }
  }

  @Test
  void aDroppedRecordGoesToTheDeadLetterExchangeWhenConfigured() { // F11 F12
    String dead = scenario.queue(QueueKind.CLASSIC);
    String queue =
        scenario.queue(
            QueueKind.CLASSIC,
            Map.of("x-dead-letter-exchange", "", "x-dead-letter-routing-key", dead));
    scenario.amqp().publish(queue, ids(5));
    Map<String, String> config = Sources.config(scenario, queue);
    config.put("rabbitmq.skipped.record.behavior", "reject");
    try (TaskDriver task = TaskDriver.start(config)) {
      List<SourceRecord> records = task.poll(5);
      task.drop(records.get(2));
      records.forEach(task::commit);

      await().untilAsserted(() -> assertThat(unacked(scenario, queue)).isZero());
    }
    assertThat(scenario.amqp().drain(dead)).extracting(Message::text).containsExactly("id-2");
    assertThat(scenario.amqp().ready(queue)).isZero();
  }

  @ParameterizedTest
  @ValueSource(strings = {"quorum", "classic"})
  void aRejectGoesToTheDeadLetterExchangeThatTheConnectorDeclared(String type) {
    String queue = scenario.name("declared");
    String exchange = scenario.name("dead");
    String dead = scenario.name("dead-queue");
    Management management = scenario.rabbitMQ().management();
    scenario.atEnd(() -> List.of(queue, dead).forEach(management::deleteQueue));
    scenario.atEnd(() -> management.deleteExchange(exchange));
    Map<String, String> config = json(queue, "reject");
    config.put("rabbitmq.skipped.record.behavior", "reject");
    config.put("rabbitmq.topology", "declare");
    config.put("rabbitmq.topology.queue.type", type);
    config.put("rabbitmq.topology.dead.letter.exchange", exchange);
    config.put("rabbitmq.topology.dead.letter.queue", dead);
    for (int start = 0; start < 2; start++) {
      try (TaskDriver task = TaskDriver.start(config)) {
        task.pollAndCommitUntil(
            () -> management.hasQueue(queue) && scenario.amqp().consumers(queue) == 1);
        scenario.amqp().publish(queue, List.of("{broken", "1", "2"));
        List<SourceRecord> records = task.poll(2);
        task.drop(records.get(0));
        task.commit(records.get(1));

        int rejected = 2 * (start + 1);
        task.pollAndCommitUntil(() -> scenario.amqp().ready(dead) == rejected);
        awaitEmpty(scenario, queue);
      }
    }
    assertThat(scenario.amqp().drain(dead))
        .extracting(Message::text)
        .containsExactlyInAnyOrder("{broken", "1", "{broken", "1");
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void aDroppedRecordComesBackAfterADelayAsItWasAndEndsInTheDeadLetterQueue(boolean quorum) {
    String dead = scenario.queue(QueueKind.CLASSIC);
    String queue =
        scenario.queue(
            quorum ? QueueKind.QUORUM : QueueKind.CLASSIC,
            Map.of("x-dead-letter-exchange", "", "x-dead-letter-routing-key", dead));
    String exchange = scenario.exchange("topic");
    scenario.rabbitMQ().management().bind(exchange, queue, "#");
    BasicProperties properties =
        new BasicProperties.Builder()
            .messageId("m1")
            .expiration("60000")
            .deliveryMode(2)
            .headers(Map.of("own", "kept"))
            .build();
    scenario.amqp().publish(exchange, "a.key", properties, List.of("again"));
    try (TaskDriver task = TaskDriver.start(retries(queue, 300))) {
      for (int delivery = 0; delivery < 3; delivery++) {
        long before = System.nanoTime();
        SourceRecord record = task.poll(1).get(0);
        assertThat(TaskDriver.text(record)).isEqualTo("again");
        assertThat(record.key()).isEqualTo("m1");
        assertThat(header(record, "own")).isEqualTo("kept");
        assertThat(header(record, "rabbitmq.exchange")).isEqualTo(exchange);
        assertThat(header(record, "rabbitmq.routing.key")).isEqualTo("a.key");
        assertThat(header(record, "rabbitmq.expiration")).isEqualTo("60000");
        assertThat(record.headers().allWithName("x-death")).isExhausted();
        assertThat(record.headers().allWithName("rabbitbridge-retry")).isExhausted();
        if (delivery > 0) {
          assertThat(Duration.ofNanos(System.nanoTime() - before))
              .isGreaterThan(Duration.ofMillis(200));
        }
        task.drop(record);
      }
      await().untilAsserted(() -> assertThat(scenario.amqp().ready(dead)).isEqualTo(1));
      awaitEmpty(scenario, queue);
    }
  }

  @Test
  void theNumberOfRetriesOutlivesTheTask() {
    String dead = scenario.queue(QueueKind.CLASSIC);
    String queue =
        scenario.queue(
            QueueKind.QUORUM,
            Map.of("x-dead-letter-exchange", "", "x-dead-letter-routing-key", dead));
    Map<String, String> config = retries(queue, 2000);
    scenario.amqp().publish(queue, List.of("again"));
    for (int delivery = 0; delivery <= 2; delivery++) {
      String next = delivery < 2 ? queue + ".retry.2000" : dead;
      try (TaskDriver task = TaskDriver.start(config)) {
        task.drop(task.poll(1).get(0));
        await()
            .pollInterval(Duration.ofMillis(50))
            .ignoreExceptions()
            .until(() -> scenario.amqp().ready(next) == 1);
      }
    }
    assertThat(scenario.amqp().ready(queue)).isZero();
  }

  @Test
  void aDelayQueueThatWasDeletedIsDeclaredAgain() {
    String queue = scenario.queue(QueueKind.CLASSIC);
    Map<String, String> config = retries(queue, 300);
    scenario.amqp().publish(queue, List.of("again"));
    try (TaskDriver task = TaskDriver.start(config)) {
      task.drop(task.poll(1).get(0));
      SourceRecord second = task.poll(1).get(0);
      scenario.rabbitMQ().management().deleteQueue(queue + ".retry.300");
      task.drop(second);

      SourceRecord third = task.poll(1).get(0);
      task.commit(third);
      awaitEmpty(scenario, queue);
    }
  }

  @Test
  void aCopyThatIsConfirmedDuringTheStopIsNoDuplicate() throws Exception { // F80
    String queue = scenario.queue(QueueKind.QUORUM);
    Map<String, String> config = retries(queue, 60_000);
    TcpProxy proxy = scenario.proxy();
    config.putAll(scenario.broker(proxy.endpoint()));
    scenario.amqp().publish(queue, List.of("again"));
    TaskDriver task = TaskDriver.start(config);
    proxy.holdConfirms();
    task.drop(task.poll(1).get(0));
    await().until(() -> proxy.heldConfirms() == 1);

    Thread stopping = new Thread(task::stop);
    stopping.start();
    await().pollDelay(Duration.ofMillis(500)).until(() -> true);
    proxy.passConfirms();
    stopping.join();

    assertThat(scenario.amqp().ready(queue + ".retry.60000")).isEqualTo(1);
    await().untilAsserted(() -> assertThat(scenario.amqp().consumers(queue)).isZero());
    assertThat(scenario.amqp().ready(queue)).as("the original, too").isZero();
  }

  private Map<String, String> retries(String queue, int delayMs) {
    scenario.atEnd(() -> scenario.rabbitMQ().management().deleteQueue(queue + ".retry." + delayMs));
    Map<String, String> config = Sources.config(scenario, queue);
    config.put("rabbitmq.skipped.record.behavior", "retry");
    config.put("rabbitmq.retry.delay.ms", Integer.toString(delayMs));
    config.put("rabbitmq.retry.max", "2");
    return config;
  }

  @Test
  void aQuorumQueuesMessageOverTheDeliveryLimitIsRejected() {
    String dead = scenario.queue(QueueKind.CLASSIC);
    String queue =
        scenario.queue(
            QueueKind.QUORUM,
            Map.of("x-dead-letter-exchange", "", "x-dead-letter-routing-key", dead));
    assertLimited(queue, dead);
  }

  @Test
  void aClassicQueuesMessageOverTheDeliveryLimitIsRejected() {
    String dead = scenario.queue(QueueKind.CLASSIC);
    String queue =
        scenario.queue(
            QueueKind.CLASSIC,
            Map.of("x-dead-letter-exchange", "", "x-dead-letter-routing-key", dead));
    assertLimited(queue, dead);
  }

  @Test
  void equalMessagesThatComeBackOnceAreNotOverTheDeliveryLimit() { // F12
    String dead = scenario.queue(QueueKind.CLASSIC);
    String queue =
        scenario.queue(
            QueueKind.CLASSIC,
            Map.of("x-dead-letter-exchange", "", "x-dead-letter-routing-key", dead));
    scenario.amqp().publish(queue, Collections.nCopies(100, "equal"));
    Map<String, String> config = Sources.config(scenario, queue);
    config.put("rabbitmq.delivery.limit", "2");
    try (TaskDriver task = TaskDriver.start(config)) {
      List<SourceRecord> first = task.poll(100);
      scenario.rabbitMQ().closeConnections();
      await().until(() -> scenario.amqp().ready(queue) == 100);
      first.forEach(task::commit);

      List<SourceRecord> again = task.poll(100);
      again.forEach(task::commit);
      awaitEmpty(scenario, queue);
    }
    assertThat(scenario.amqp().ready(dead)).isZero();
  }

  private void assertLimited(String queue, String dead) {
    scenario.amqp().publish(queue, List.of("poison"));
    Map<String, String> config = Sources.config(scenario, queue);
    config.put("rabbitmq.delivery.limit", "2");
    try (TaskDriver task = TaskDriver.start(config)) {
      for (int delivery = 0; delivery < 3; delivery++) {
        SourceRecord poison = task.poll(1).get(0);
        scenario.rabbitMQ().closeConnections();
        task.poll();
        task.poll();
        task.commit(poison);
      }
      task.pollAndCommitUntil(() -> scenario.amqp().ready(dead) == 1);
    }
    assertThat(scenario.amqp().ready(queue)).isZero();
  }

  @Test
  void aRecordThatKafkaRefusesIsSettledOnceAndTheOthersArrive() { // F12
    String queue = scenario.queue(QueueKind.QUORUM);
    String topic = scenario.topic(1);
    List<String> bodies = new ArrayList<>(ids(50));
    bodies.set(20, "x".repeat(2 * 1024 * 1024));
    scenario.amqp().publish(queue, bodies);
    Map<String, String> config = scenario.source(queue, topic);
    config.put("rabbitmq.prefetch.count", "10");
    config.put("errors.tolerance", "all");
    String connector = scenario.running(config);

    bodies.remove(20);
    awaitAll(scenario, topic, bodies);
    awaitEmpty(scenario, queue);
    assertThat(scenario.kafka().client().values(topic)).hasSize(49);
    assertThat(scenario.worker().logLines("WARN.*" + connector + ".*delivery .* acked")).hasSize(1);
  }

  @Test
  void aRecordThatKafkaRefusesFailsTheTaskAndIsNotAcked() { // F13
    String queue = scenario.queue(QueueKind.QUORUM);
    String topic = scenario.topic(1);
    List<String> bodies = new ArrayList<>(ids(10));
    bodies.set(5, "x".repeat(2 * 1024 * 1024));
    scenario.amqp().publish(queue, bodies);
    String connector = scenario.put(scenario.source(queue, topic));

    scenario.worker().rest().awaitFailed(connector);
    await().untilAsserted(() -> assertThat(scenario.amqp().ready(queue)).isGreaterThanOrEqualTo(1));

    String roomy = scenario.name("roomy");
    scenario.kafka().client().createTopic(roomy, 1, Map.of("max.message.bytes", "5000000"));
    Map<String, String> larger = scenario.source(queue, roomy);
    larger.put("producer.override.max.request.size", "5000000");
    scenario.worker().rest().put(connector, larger);
    awaitAll(scenario, roomy, List.of(bodies.get(5)));
    awaitEmpty(scenario, queue);
  }

  private Map<String, String> json(String queue, String behavior) {
    Map<String, String> config = Sources.config(scenario, queue);
    config.put("rabbitmq.value.format", "json");
    config.put("rabbitmq.record.error.behavior", behavior);
    return config;
  }

  private static Object header(SourceRecord record, String name) {
    return record.headers().lastWithName(name).value();
  }
}
