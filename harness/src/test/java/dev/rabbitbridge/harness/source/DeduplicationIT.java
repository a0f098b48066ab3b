// SPDX-License-Identifier: Apache-2.0
package dev.rabbitbridge.harness.source;

import static dev.rabbitbridge.harness.source.Sources.awaitEmpty;
import static dev.rabbitbridge.harness.source.Sources.ids;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.rabbitmq.client.AMQP.BasicProperties;
import com.rabbitmq.client.MessageProperties;
import dev.rabbitbridge.harness.Scenario;
import dev.rabbitbridge.harness.rabbitmq.QueueKind;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.kafka.connect.source.SourceRecord;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** What RabbitMQ delivers again, and what becomes of it, step by step. */
class DeduplicationIT {
  @RegisterExtension final Scenario scenario = new Scenario();

  private final Map<Map<String, ?>, Map<String, Object>> offsets = new HashMap<>();

  @Test
  void anotherMessageWithTheSameIdArrivesThoughItIsRedelivered() {
    String queue = scenario.queue(QueueKind.QUORUM);
    publish(queue, "id", "one", "two");
    commitFirstOfTwo(queue);

    try (TaskDriver next = start(queue)) {
      SourceRecord second = next.poll(1).get(0);

      assertThat(TaskDriver.text(second)).isEqualTo("two");
      assertThat(second.headers().lastWithName("rabbitmq.redeliver").value()).isEqualTo(true);
      commit(next, second);
      awaitEmpty(scenario, queue);
    }
  }

  @Test
  void theSameMessageOnceMoreIsTakenForARepetitionOnlyWhenItIsRedelivered() {
    String queue = scenario.queue(QueueKind.QUORUM);
    publish(queue, "id", "same", "same");
    commitFirstOfTwo(queue);

    try (TaskDriver next = start(queue)) {
      next.pollAndCommitUntil(() -> scenario.amqp().ready(queue) == 0);
      awaitEmpty(scenario, queue);
      publish(queue, "id", "same");
      SourceRecord third = next.poll(1).get(0);

      assertThat(third.headers().lastWithName("rabbitmq.redeliver").value()).isEqualTo(false);
      commit(next, third);
      awaitEmpty(scenario, queue);
    }
  }

  @Test
  void aTaskThatEndsAcksTheRepetitionsItHasAndGivesBackTheRest() {
    String queue = scenario.queue(QueueKind.QUORUM);
    scenario.amqp().publishWithIds(queue, ids(5));
    Map<String, String> config = config(queue);
    config.put("rabbitmq.poll.wait.ms", "1");
    config.put("rabbitmq.ack.batch.size", "10000");
    config.put("rabbitmq.ack.max.delay.ms", "60000");
    try (TaskDriver task = TaskDriver.start(config)) {
      List<SourceRecord> records = task.poll(5);
      records.subList(0, 4).forEach(record -> commit(task, record));
      scenario.rabbitMQ().closeConnections();
      await().until(() -> scenario.amqp().ready(queue) == 5);
      task.poll();
      task.commit(records.get(4));
      offsets.clear();
      scenario.amqp().publishWithIds(queue, ids(5, 8));
      await().atMost(Duration.ofSeconds(30)).until(() -> scenario.amqp().ready(queue) == 0);
    }
    await().untilAsserted(() -> assertThat(scenario.amqp().ready(queue)).isEqualTo(3));
    assertThat(scenario.amqp().drain(queue))
        .extracting(message -> message.text())
        .containsExactlyElementsOf(ids(5, 8));
  }

  @Test
  void nothingComesAgainWhenTheFullPrefetchIsTakenUpAfterTrouble() {
    String queue = scenario.queue(QueueKind.QUORUM, Map.of("x-single-active-consumer", true));
    scenario.amqp().publishWithIds(queue, ids(40));
    Map<String, String> config = Sources.config(scenario, queue);
    config.put("rabbitmq.prefetch.count", "20");
    config.put("rabbitmq.ack.max.delay.ms", "1");
    try (TaskDriver task = TaskDriver.start(config)) {
      for (int loss = 0; loss < 2; loss++) {
        List<SourceRecord> lost = task.poll(20);
        scenario.rabbitMQ().closeConnections();
        await().until(() -> scenario.amqp().ready(queue) == 40);
        lost.forEach(task::drop);
      }
      List<SourceRecord> few = task.poll(10);
      assertThat(task.poll()).as("while it is cautious").isEmpty();

      task.commit(few.get(0));
      List<SourceRecord> all = new ArrayList<>(few);
      all.addAll(task.poll(20));

      all.subList(1, all.size()).forEach(task::commit);
      all.addAll(task.poll(40 - all.size()));
      all.forEach(task::commit);
      awaitEmpty(scenario, queue);
      assertThat(all).extracting(TaskDriver::text).containsExactlyElementsOf(ids(40));
    }
  }

  @Test
  void aQuietQueueDoesNotHoldUpTheTransactionsOfAnother() {
    String busy = scenario.queue(QueueKind.QUORUM);
    String quiet = scenario.queue(QueueKind.QUORUM);
    scenario.amqp().publishWithIds(busy, ids(25));
    Map<String, String> config = config(busy + "," + quiet);
    config.put("rabbitmq.prefetch.count", "5");
    config.put("rabbitmq.poll.wait.ms", "4000");
    try (TaskDriver task = TaskDriver.start(config)) {
      List<SourceRecord> first = task.poll(1);
      transaction(task, first);
      long begin = System.nanoTime();
      for (int left = 25 - first.size(); left > 0; ) {
        List<SourceRecord> polled = task.poll();
        transaction(task, polled);
        left -= polled.size();
        assertThat(Duration.ofNanos(System.nanoTime() - begin)).isLessThan(Duration.ofSeconds(8));
      }
    }
  }

  /** Leaves the second of two messages in the queue, as redelivered. */
  private void commitFirstOfTwo(String queue) {
    try (TaskDriver task = start(queue)) {
      List<SourceRecord> both = task.poll(2);
      commit(task, both.get(0));
    }
    await().until(() -> scenario.amqp().ready(queue) == 1);
  }

  /** As an exactly-once worker does. */
  private void transaction(TaskDriver task, List<SourceRecord> records) {
    records.forEach(record -> commit(task, record));
    task.task().commit();
  }

  private void commit(TaskDriver task, SourceRecord record) {
    offsets.put(record.sourcePartition(), new HashMap<>(record.sourceOffset()));
    task.commit(record);
  }

  private TaskDriver start(String queue) {
    return TaskDriver.start(config(queue), offsets);
  }

  private Map<String, String> config(String queue) {
    Map<String, String> config = Sources.config(scenario, queue);
    config.put("rabbitmq.deduplication", "message-id");
    config.put("rabbitmq.forward.properties", "true");
    return config;
  }

  private void publish(String queue, String id, String... bodies) {
    BasicProperties properties =
        MessageProperties.MINIMAL_PERSISTENT_BASIC.builder().messageId(id).build();
    scenario.amqp().publish("", queue, properties, List.of(bodies));
  }
}
