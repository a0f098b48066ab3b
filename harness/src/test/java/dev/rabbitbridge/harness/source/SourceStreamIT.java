// SPDX-License-Identifier: Apache-2.0
package dev.rabbitbridge.harness.source;

import static dev.rabbitbridge.harness.source.Sources.ids;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.rabbitbridge.harness.Scenario;
import dev.rabbitbridge.harness.rabbitmq.QueueKind;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import org.apache.kafka.connect.errors.ConnectException;
import org.apache.kafka.connect.source.SourceRecord;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Streams: their position lives in Connect's offsets. */
class SourceStreamIT {
  @RegisterExtension final Scenario scenario = new Scenario();

  @Test
  void aStreamIsReadFromItsBeginningFarPastThePrefetch() { // F34
    String stream = scenario.queue(QueueKind.STREAM);
    scenario.amqp().publish(stream, ids(1500));
    try (TaskDriver task = start(stream, Map.of(), null)) {
      List<SourceRecord> records = task.pollAndCommitAll(ids(1500));

      assertThat(texts(records)).containsExactlyElementsOf(ids(1500));
      assertThat(records.get(7).sourcePartition()).isEqualTo(Map.of("queue", stream));
      assertThat(offset(records.get(7))).isEqualTo(7);
    }
  }

  @Test
  void aRestartGoesOnAfterTheStoredOffset() {
    String stream = scenario.queue(QueueKind.STREAM);
    scenario.amqp().publish(stream, ids(100));
    SourceRecord stored = read(stream, 100).get(41);

    try (TaskDriver task = start(stream, Map.of(), stored.sourceOffset())) {
      assertThat(texts(task.pollAndCommitAll(ids(42, 100))))
          .containsExactlyElementsOf(ids(42, 100));
    }
  }

  @Test
  void aRestartAtTheEndRepeatsNothingAndWaits() {
    String stream = scenario.queue(QueueKind.STREAM);
    scenario.amqp().publish(stream, ids(10));
    SourceRecord last = read(stream, 10).get(9);

    try (TaskDriver task = start(stream, Map.of(), last.sourceOffset())) {
      long until = System.nanoTime() + Duration.ofSeconds(8).toNanos();
      while (System.nanoTime() < until) {
        assertThat(task.poll()).isEmpty();
      }
      scenario.amqp().publish(stream, ids(10, 20));
      assertThat(texts(task.pollAndCommitAll(ids(10, 20)))).containsExactlyElementsOf(ids(10, 20));
    }
  }

  @Test
  void aLostConnectionRepeatsOnlyWhatWasNotHandedOut() {
    String stream = scenario.queue(QueueKind.STREAM);
    scenario.amqp().publish(stream, ids(100));
    try (TaskDriver task = start(stream, Map.of("rabbitmq.prefetch.count", "10"), null)) {
      List<SourceRecord> records = new ArrayList<>(task.poll(10));
      scenario.rabbitMQ().closeConnections();
      records.addAll(task.poll());
      records.forEach(task::commit);
      records.addAll(task.pollAndCommitAll(ids(records.size(), 100)));

      assertThat(texts(records)).containsExactlyElementsOf(ids(100));
    }
  }

  @Test
  void aStreamReadAsAQueueFailsTheTaskAndNamesTheSetting() { // F34
    String stream = scenario.queue(QueueKind.STREAM);
    scenario.amqp().publish(stream, ids(3));

    assertFails(
        TaskDriver.start(Sources.config(scenario, stream)), "rabbitmq.queue.type=stream", stream);
  }

  @Test
  void aQueueReadAsAStreamFailsTheTaskAndNamesTheSetting() {
    String queue = scenario.queue(QueueKind.QUORUM);
    scenario.amqp().publish(queue, ids(3));

    assertFails(start(queue, Map.of(), null), "rabbitmq.queue.type", queue);
    assertThat(scenario.amqp().ready(queue)).isEqualTo(3);
  }

  @Test
  void aNumberAndATimeAreStartPositions() {
    String stream = scenario.queue(QueueKind.STREAM);
    scenario.amqp().publish(stream, ids(50));
    try (TaskDriver task = start(stream, Map.of("rabbitmq.stream.offset", "30"), null)) {
      assertThat(texts(task.pollAndCommitAll(ids(30, 50)))).containsExactlyElementsOf(ids(30, 50));
    }
    String hourAgo = Instant.now().minus(1, ChronoUnit.HOURS).toString();
    try (TaskDriver task = start(stream, Map.of("rabbitmq.stream.offset", hourAgo), null)) {
      assertThat(texts(task.pollAndCommitAll(ids(50)))).containsExactlyElementsOf(ids(50));
    }
  }

  @Test
  void nextStartsWithWhatIsPublishedLater() {
    String stream = scenario.queue(QueueKind.STREAM);
    scenario.amqp().publish(stream, ids(5));
    try (TaskDriver task = start(stream, Map.of("rabbitmq.stream.offset", "next"), null)) {
      List<SourceRecord> records = task.pollAndCommitWhilePublishing(scenario, stream, "later");

      assertThat(new HashSet<>(texts(records))).containsExactly("later");
    }
  }

  @Test
  void aRecreatedShorterStreamIsNoticed() {
    String stream = scenario.queue(QueueKind.STREAM);
    scenario.amqp().publish(stream, ids(100));
    Map<String, ?> stored = read(stream, 100).get(99).sourceOffset();
    recreate(stream, ids(200, 210));

    assertLost(stream, stored, ids(200, 210));
  }

  @Test
  void aRecreatedLongerStreamIsNoticed() {
    String stream = scenario.queue(QueueKind.STREAM);
    scenario.amqp().publish(stream, ids(10));
    Map<String, ?> stored = read(stream, 10).get(9).sourceOffset();
    recreate(stream, ids(200, 300));

    assertLost(stream, stored, ids(200, 300));
  }

  @Test
  void aRecreatedEmptyStreamIsNoticed() {
    String stream = scenario.queue(QueueKind.STREAM);
    scenario.amqp().publish(stream, ids(10));
    Map<String, ?> stored = read(stream, 10).get(9).sourceOffset();
    recreate(stream, List.of());

    assertFails(
        start(stream, Map.of(), stored), "no longer holds", "rabbitmq.stream.position.lost");
  }

  @Test
  void aPositionCutOffByRetentionIsNoticed() {
    String stream =
        scenario.queue(
            QueueKind.STREAM,
            Map.of("x-max-length-bytes", 20_000, "x-stream-max-segment-size-bytes", 10_000));
    scenario.amqp().publish(stream, ids(10));
    Map<String, ?> stored = read(stream, 10).get(0).sourceOffset();
    String kilobyte = "x".repeat(1000);
    List<String> many = new ArrayList<>();
    for (int i = 0; i < 500; i++) {
      many.add(kilobyte + i);
    }
    await()
        .atMost(Duration.ofMinutes(2))
        .untilAsserted(
            () -> {
              scenario.amqp().publish(stream, many);
              try (TaskDriver task = start(stream, Map.of(), null)) {
                assertThat(offset(task.poll(1).get(0))).isPositive();
              }
            });

    assertFails(start(stream, Map.of(), stored), "no longer holds the message at offset 0");
    try (TaskDriver task =
        start(stream, Map.of("rabbitmq.stream.position.lost", "earliest"), stored)) {
      assertThat(offset(task.poll(1).get(0))).isPositive();
    }
  }

  @Test
  void severalPartitionsOfASuperStreamAreReadByOneTask() {
    String one = scenario.queue(QueueKind.STREAM);
    String two = scenario.queue(QueueKind.STREAM);
    scenario.amqp().publish(one, ids(20));
    scenario.amqp().publish(two, ids(20, 40));
    try (TaskDriver task = start(one + "," + two, Map.of(), null)) {
      List<SourceRecord> records = task.pollAndCommitAll(ids(40));
      assertThat(records).extracting(SourceRecord::sourcePartition).contains(Map.of("queue", two));
    }
  }

  private void assertLost(String stream, Map<String, ?> stored, List<String> newMessages) {
    assertFails(
        start(stream, Map.of(), stored), "no longer holds", "rabbitmq.stream.position.lost");
    try (TaskDriver task =
        start(stream, Map.of("rabbitmq.stream.position.lost", "earliest"), stored)) {
      assertThat(texts(task.pollAndCommitAll(newMessages))).containsExactlyElementsOf(newMessages);
    }
    try (TaskDriver task =
        start(stream, Map.of("rabbitmq.stream.position.lost", "latest"), stored)) {
      long noticed = System.nanoTime() + Duration.ofSeconds(8).toNanos();
      while (System.nanoTime() < noticed) {
        assertThat(task.poll()).isEmpty();
      }
      List<SourceRecord> records = task.pollAndCommitWhilePublishing(scenario, stream, "later");

      assertThat(new HashSet<>(texts(records))).containsExactly("later");
    }
  }

  private void recreate(String stream, List<String> messages) {
    scenario.rabbitMQ().management().deleteQueue(stream);
    scenario.rabbitMQ().management().declareQueue(stream, QueueKind.STREAM, Map.of());
    scenario.amqp().publish(stream, messages);
  }

  private List<SourceRecord> read(String stream, int count) {
    try (TaskDriver task = start(stream, Map.of(), null)) {
      return task.poll(count);
    }
  }

  private TaskDriver start(String stream, Map<String, String> more, Map<String, ?> stored) {
    Map<String, String> config = Sources.config(scenario, stream);
    config.put("rabbitmq.queue.type", "stream");
    config.putAll(more);
    Map<Map<String, ?>, Map<String, Object>> offsets = new HashMap<>();
    if (stored != null) {
      offsets.put(Map.of("queue", stream), new HashMap<>(stored));
    }
    return TaskDriver.start(config, offsets);
  }

  private static void assertFails(TaskDriver started, String... named) {
    try (TaskDriver task = started) {
      await()
          .atMost(Duration.ofSeconds(30))
          .untilAsserted(
              () ->
                  assertThatThrownBy(task::poll)
                      .isInstanceOf(ConnectException.class)
                      .hasMessageContainingAll(named));
    }
  }

  private static long offset(SourceRecord record) {
    return (Long) record.sourceOffset().get("stream.offset");
  }

  private static List<String> texts(List<SourceRecord> records) {
    return records.stream().map(TaskDriver::text).toList();
  }
}
