// SPDX-License-Identifier: Apache-2.0
package dev.rabbitbridge.harness.source;

import static dev.rabbitbridge.harness.source.Sources.ids;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.rabbitmq.client.AMQP.BasicProperties;
import com.rabbitmq.stream.Address;
import com.rabbitmq.stream.Environment;
import com.rabbitmq.stream.Producer;
import com.rabbitmq.stream.compression.Compression;
import dev.rabbitbridge.harness.Scenario;
import dev.rabbitbridge.harness.proxy.TcpProxy;
import dev.rabbitbridge.harness.rabbitmq.Amqp;
import dev.rabbitbridge.harness.rabbitmq.QueueKind;
import dev.rabbitbridge.harness.rabbitmq.RabbitMQ;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.connect.errors.ConnectException;
import org.apache.kafka.connect.source.SourceRecord;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Streams: their position lives in Connect's offsets. */
class SourceStreamIT {
  private static final List<String> HALF_A_MEGABYTE = Collections.nCopies(500, "x".repeat(1000));

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

  @ParameterizedTest
  @CsvSource({"next,0", "next,5", "last,5"})
  void whatIsPublishedBeforeTheFirstReconnectIsReadAlsoFromTheEndOn(String start, int before) {
    String stream = scenario.queue(QueueKind.STREAM);
    scenario.amqp().publish(stream, ids(before));
    TcpProxy proxy = scenario.proxy();
    Map<String, String> config = new HashMap<>(scenario.broker(proxy.endpoint()));
    config.put("rabbitmq.stream.offset", start);
    try (TaskDriver task = start(stream, config, null)) {
      awaitSubscribed(stream);
      proxy.refuse();
      for (String id : ids(before, before + 5)) {
        scenario.amqp().publish(stream, List.of(id));
      }
      proxy.heal();

      List<String> texts = texts(task.pollAndCommitAll(ids(before, before + 5)));

      if (start.equals("next")) {
        assertThat(texts.get(0)).isEqualTo("id-" + before);
      } else {
        assertThat(ids(before)).as("the last chunk before").contains(texts.get(0));
      }
    }
  }

  /** Streams tell their consumers only to the statistics; the task's own has its prefetch. */
  private void awaitSubscribed(String stream) {
    await()
        .atMost(Duration.ofSeconds(30))
        .until(
            () ->
                scenario.rabbitMQ().management().consumers().stream()
                    .filter(one -> stream.equals(one.path("queue").path("name").asText()))
                    .anyMatch(one -> one.path("prefetch_count").asInt() == 500));
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
    String stream = streamOfTwentyKilobytes();
    scenario.amqp().publish(stream, ids(10));
    Map<String, ?> stored = read(stream, 10).get(0).sourceOffset();
    scenario.amqp().publish(stream, HALF_A_MEGABYTE);
    // Of a chunk larger than the limit nothing is left; this one stays.
    scenario.amqp().publish(stream, List.of("small"));
    await()
        .untilAsserted(
            () -> {
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
  void aTaskOnAStreamThatRetentionEmptiedGetsTheNextMessage() {
    String stream = streamOfTwentyKilobytes();
    scenario.amqp().publish(stream, HALF_A_MEGABYTE);
    try (TaskDriver task = start(stream, Map.of(), null)) {
      // Longer than the consumer trusts a silence.
      long until = System.nanoTime() + Duration.ofSeconds(8).toNanos();
      while (System.nanoTime() < until) {
        task.poll().forEach(task::commit);
      }
      scenario.amqp().publish(stream, List.of("small"));

      task.pollAndCommitAll(List.of("small"));
    }
  }

  private String streamOfTwentyKilobytes() {
    return scenario.queue(
        QueueKind.STREAM,
        Map.of("x-max-length-bytes", 20_000, "x-stream-max-segment-size-bytes", 10_000));
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

  @Test
  void whatCompressedBatchesLeaveOutIsWarnedAbout() throws Exception {
    RabbitMQ broker = scenario.atEnd(scenario.harness().newRabbitMQ("streams", ""));
    Address address = enableStreamProtocol(broker);
    String stream = scenario.name("stream");
    broker.management().declareQueue(stream, QueueKind.STREAM, Map.of());
    try (Amqp amqp = broker.connect()) {
      amqp.publish(stream, ids(10));
      publishCompressed(address, stream, ids(10, 50));
      amqp.publish(stream, ids(50, 60));
    }
    String topic = scenario.topic(1);
    Map<String, String> config = scenario.source(stream, topic);
    config.putAll(scenario.broker(broker.amqpFromWorker()));
    config.put("rabbitmq.queue.type", "stream");
    if (broker.management().version().startsWith("3.10.")) {
      // It ends the connection instead of leaving them out.
      assertThat(scenario.worker().rest().awaitFailed(scenario.put(config)))
          .contains("RB-R05", stream, "compressed batches");
      return;
    }
    String connector = scenario.running(config);

    Sources.awaitAll(scenario, topic, ids(10));
    Sources.awaitAll(scenario, topic, ids(50, 60));

    assertThat(scenario.kafka().client().values(topic)).hasSize(20);
    assertThat(scenario.worker().logLines("WARN.*" + connector))
        .singleElement()
        .asString()
        .contains(stream, "before offset 50", "compressed batches");

    String only = scenario.name("stream");
    broker.management().declareQueue(only, QueueKind.STREAM, Map.of());
    publishCompressed(address, only, ids(40));
    config.put("rabbitmq.queue", only);
    scenario.running(config);
    await()
        .atMost(Duration.ofSeconds(60))
        .untilAsserted(
            () ->
                assertThat(scenario.worker().logLines("WARN.*" + only))
                    .singleElement()
                    .asString()
                    .contains("compressed batches"));
    try (Amqp amqp = broker.connect()) {
      amqp.publish(only, List.of("readable"));
    }
    Sources.awaitAll(scenario, topic, List.of("readable"));
  }

  @Test
  void aFilterThatLetsNothingThroughIsNoReasonToSubscribeAgain() {
    String version = scenario.rabbitMQ().management().version();
    assumeTrue(!version.matches("3\\.(9|1[012])\\..*"), "filters came with RabbitMQ 3.13");
    String stream = scenario.queue(QueueKind.STREAM);
    publishFor("red", stream, ids(20));
    String topic = scenario.topic(1);
    Map<String, String> config = scenario.source(stream, topic);
    config.put("rabbitmq.queue.type", "stream");
    config.put("rabbitmq.consumer.arguments", "x-stream-filter:blue");
    String connector = scenario.running(config);
    // Twice as long as the consumer trusts a silence, and looks for its reason.
    await().atMost(Duration.ofSeconds(20)).pollDelay(Duration.ofSeconds(14)).until(() -> true);

    publishFor("blue", stream, ids(20, 25));
    Sources.awaitAll(scenario, topic, ids(20, 25));
    await().pollDelay(Duration.ofSeconds(1)).until(() -> true);
    publishFor("red", stream, ids(25, 30));
    await().pollDelay(Duration.ofSeconds(1)).until(() -> true);
    publishFor("blue", stream, ids(30, 35));
    Sources.awaitAll(scenario, topic, ids(30, 35));

    assertThat(scenario.kafka().client().values(topic)).hasSize(10);
    assertThat(scenario.worker().logLines("consuming queue '" + stream)).hasSize(1);
    assertThat(scenario.worker().logLines("WARN.*(" + connector + "|" + stream + ")"))
        .singleElement()
        .asString()
        .contains("is not empty", "left out by a filter");
  }

  private void publishFor(String filterValue, String stream, List<String> bodies) {
    BasicProperties properties =
        new BasicProperties.Builder().headers(Map.of("x-stream-filter-value", filterValue)).build();
    scenario.amqp().publish("", stream, properties, bodies);
  }

  /** Nobody else may need the default port, and no other test needs the plugin. */
  private static Address enableStreamProtocol(RabbitMQ broker) throws IOException {
    boolean local = broker.amqp().equals(broker.amqpFromWorker());
    int port;
    try (ServerSocket free = new ServerSocket(0)) {
      port = free.getLocalPort();
    }
    String address =
        broker.ctl(
            "eval",
            """
            {ok, Name} = inet:gethostname(),
            {ok, Ip} = inet:getaddr(case %s of true -> "localhost"; false -> Name end, inet),
            Address = inet:ntoa(Ip),
            application:set_env(rabbitmq_stream, tcp_listeners, [{Address, %d}], [{persistent, true}]),
            %s orelse application:set_env(rabbit, enabled_plugins_file, "/tmp/enabled_plugins"),
            {ok, File} = application:get_env(rabbit, enabled_plugins_file),
            ok = file:write_file(File, "[rabbitmq_management, rabbitmq_stream]."),
            rabbit_plugins:ensure(File),
            Address."""
                .formatted(local, port, local));
    String host = address.substring(address.indexOf('"') + 1, address.lastIndexOf('"'));
    assumeTrue(
        local || InetAddress.getByName(host).isReachable(2000),
        "the container has no address that this machine can reach");
    return new Address(host, port);
  }

  private static void publishCompressed(Address broker, String stream, List<String> bodies)
      throws InterruptedException {
    CountDownLatch unconfirmed = new CountDownLatch(bodies.size());
    try (Environment environment =
            Environment.builder()
                .host(broker.host())
                .port(broker.port())
                .addressResolver(advertised -> broker)
                .build();
        Producer producer =
            environment.producerBuilder().stream(stream)
                .subEntrySize(10)
                .compression(Compression.GZIP)
                .build()) {
      for (String body : bodies) {
        producer.send(
            producer.messageBuilder().addData(body.getBytes(StandardCharsets.UTF_8)).build(),
            status -> {
              if (status.isConfirmed()) {
                unconfirmed.countDown();
              }
            });
      }
      assertThat(unconfirmed.await(30, TimeUnit.SECONDS)).as("confirmed").isTrue();
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
