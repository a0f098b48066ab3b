// SPDX-License-Identifier: Apache-2.0
package dev.rabbitbridge.harness.sink;

import static dev.rabbitbridge.harness.sink.Sinks.LONG;
import static dev.rabbitbridge.harness.sink.Sinks.awaitAllCommitted;
import static dev.rabbitbridge.harness.sink.Sinks.committed;
import static dev.rabbitbridge.harness.sink.Sinks.ids;
import static dev.rabbitbridge.harness.sink.Sinks.record;
import static dev.rabbitbridge.harness.sink.Sinks.texts;
import static dev.rabbitbridge.harness.sink.Sinks.with;
import static dev.rabbitbridge.harness.sink.Sinks.withDeadLetters;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.rabbitbridge.harness.Scenario;
import dev.rabbitbridge.harness.rabbitmq.QueueKind;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** What becomes of a record that RabbitMQ refuses, for now or for good. */
class SinkOutcomeIT {
  @RegisterExtension final Scenario scenario = new Scenario();

  @Test
  void oneUnroutableAmongThreeIsFoundEveryTime() { // F40
    int repetitions = 200;
    String topic = scenario.topic(1);
    String queue = scenario.queue(QueueKind.QUORUM);
    String exchange = scenario.exchange("direct");
    scenario.rabbitMQ().management().bind(exchange, queue, "a");
    Map<String, String> config = scenario.sink(topic, queue);
    config.put("rabbitmq.exchange", exchange);
    config.put("rabbitmq.routing.key", "${key}");
    config.put("key.converter", "org.apache.kafka.connect.storage.StringConverter");
    String deadLetters = withDeadLetters(scenario, config);
    String sink = scenario.running(config);
    List<ProducerRecord<byte[], byte[]>> records = new ArrayList<>();
    List<String> routable = new ArrayList<>();
    List<String> unroutable = new ArrayList<>();
    for (int i = 0; i < repetitions; i++) {
      records.add(record(topic, "a", "first-" + i));
      records.add(record(topic, "b", "lost-" + i));
      records.add(record(topic, "a", "third-" + i));
      routable.addAll(List.of("first-" + i, "third-" + i));
      unroutable.add("lost-" + i);
    }

    scenario.kafka().client().produce(records);
    awaitAllCommitted(scenario, sink, topic);

    assertThat(texts(scenario.amqp().drain(queue))).isEqualTo(routable);
    assertThat(scenario.kafka().client().values(deadLetters)).isEqualTo(unroutable);
  }

  @Test
  void aFullQueueIsRetriedWithoutABusyLoopUntilItHasRoom() { // F39
    String topic = scenario.topic(1);
    String queue =
        scenario.queue(
            QueueKind.CLASSIC, Map.of("x-max-length", 10, "x-overflow", "reject-publish"));
    Map<String, String> config = scenario.sink(topic, queue);
    config.put("rabbitmq.publish.max.retries", "-1");
    config.put("rabbitmq.publish.retry.backoff.max.ms", "1000");
    String sink = scenario.running(config);
    scenario.kafka().client().produce(topic, ids(25));

    await().atMost(LONG).until(() -> committed(scenario, sink) == 10);
    await().until(() -> scenario.worker().logLines(sink + "-0: .*nacked").size() >= 2);
    assertThat(scenario.amqp().ready(queue)).isEqualTo(10);

    List<String> delivered = new ArrayList<>();
    await()
        .atMost(LONG)
        .until(
            () -> {
              delivered.addAll(texts(scenario.amqp().drain(queue)));
              return committed(scenario, sink) == 25;
            });
    delivered.addAll(texts(scenario.amqp().drain(queue)));
    assertThat(Set.copyOf(delivered)).isEqualTo(Set.copyOf(ids(25)));
  }

  @Test
  void withoutADeadLetterTopicAnUnroutableRecordFailsTheTask() { // F56, F76
    String topic = scenario.topic(1);
    String sink = scenario.running(scenario.sink(topic, "no-such-queue"));
    scenario.kafka().client().produce(topic, List.of("lost"));

    String trace = scenario.worker().rest().awaitFailed(sink);

    assertThat(trace.lines().filter(line -> line.contains("offset 0")).findFirst())
        .hasValueSatisfying(
            line ->
                assertThat(line)
                    .contains(topic + "-0")
                    .contains("exchange ''")
                    .contains("'no-such-queue'")
                    .contains("NO_ROUTE"));
    assertThat(trace).doesNotContain("NullPointerException");
    assertThat(committed(scenario, sink)).isZero();
  }

  @Test
  void toleratedWithoutADeadLetterTopicTheRecordIsSkipped() { // F76
    String topic = scenario.topic(1);
    Map<String, String> config = scenario.sink(topic, "no-such-queue");
    config.put("errors.tolerance", "all");
    config.put("errors.log.enable", "true");
    String sink = scenario.running(config);
    scenario.kafka().client().produce(topic, List.of("lost"));

    awaitAllCommitted(scenario, sink, topic);
    assertThat(scenario.worker().logLines(sink + "-0: .*unroutable")).isNotEmpty();
  }

  @Test
  void theLastRecordOfAQuietPartitionIsReportedOnceOverAnyNumberOfRestarts() { // F75
    String topic = scenario.topic(1);
    String queue = scenario.queue(QueueKind.QUORUM);
    Map<String, String> config = scenario.sink(topic, queue);
    config.put("rabbitmq.routing.key", "${key}");
    config.put("key.converter", "org.apache.kafka.connect.storage.StringConverter");
    String deadLetters = withDeadLetters(scenario, config);
    String sink = scenario.running(config);
    scenario
        .kafka()
        .client()
        .produce(
            List.of(
                record(topic, queue, "one"),
                record(topic, queue, "two"),
                record(topic, "nowhere", "three")));
    awaitAllCommitted(scenario, sink, topic);

    for (int i = 0; i < 3; i++) {
      scenario.worker().rest().restart(sink);
      scenario.worker().rest().awaitRunning(sink, 1);
    }
    scenario.kafka().client().produce(List.of(record(topic, queue, "four")));
    awaitAllCommitted(scenario, sink, topic);

    assertThat(scenario.kafka().client().values(deadLetters)).containsExactly("three");
    assertThat(scenario.amqp().ready(queue)).isEqualTo(3);
  }

  @Test
  void theDeadLetterTopicHoldsExactlyTheBadOnesOfManyMixedRecords() { // F74
    String topic = scenario.topic(4);
    String queue = scenario.queue(QueueKind.QUORUM);
    Map<String, String> config = scenario.sink(topic, queue);
    config.put("tasks.max", "2");
    config.put("rabbitmq.routing.key", "${key}");
    config.put("key.converter", "org.apache.kafka.connect.storage.StringConverter");
    String deadLetters = withDeadLetters(scenario, config);
    String sink = scenario.put(config);
    List<ProducerRecord<byte[], byte[]>> records = new ArrayList<>();
    for (int i = 0; i < 1000; i++) {
      byte[] key = Sinks.bytes(i % 7 == 0 ? "nowhere" : queue);
      records.add(new ProducerRecord<>(topic, i % 4, key, Sinks.bytes("id-" + i)));
    }

    scenario.kafka().client().produce(records);
    awaitAllCommitted(scenario, sink, topic);

    assertThat(scenario.kafka().client().values(deadLetters))
        .containsExactlyInAnyOrderElementsOf(
            ids(1000).stream().filter(id -> Integer.parseInt(id.substring(3)) % 7 == 0).toList());
    assertThat(scenario.amqp().ready(queue)).isEqualTo(1000 - 143);
  }

  @Test
  void anExchangeDeletedWhileRunningFailsTheTaskAndLosesNothing() { // F55
    String topic = scenario.topic(1);
    String queue = scenario.queue(QueueKind.QUORUM);
    String exchange = scenario.exchange("fanout");
    scenario.rabbitMQ().management().bind(exchange, queue, "");
    Map<String, String> config = scenario.sink(topic, queue);
    config.put("rabbitmq.exchange", exchange);
    withDeadLetters(scenario, config);
    String sink = scenario.running(config);
    scenario.kafka().client().produce(topic, ids(10));
    awaitAllCommitted(scenario, sink, topic);

    scenario.rabbitMQ().management().deleteExchange(exchange);
    scenario.kafka().client().produce(topic, ids(10, 110));
    assertThat(scenario.worker().rest().awaitFailed(sink)).contains(exchange).contains("404");
    assertThat(committed(scenario, sink)).isEqualTo(10);

    scenario.rabbitMQ().management().declareExchange(exchange, "fanout", Map.of());
    scenario.rabbitMQ().management().bind(exchange, queue, "");
    scenario.worker().rest().restart(sink);
    awaitAllCommitted(scenario, sink, topic);
    assertThat(Set.copyOf(texts(scenario.amqp().drain(queue)))).isEqualTo(Set.copyOf(ids(110)));
  }

  @Test
  void recordsOverALimitAreReportedAndTheirNeighboursArrive() { // F43, F59, F61
    String topic = scenario.topic(1);
    String queue = scenario.queue(QueueKind.QUORUM);
    Map<String, String> config = scenario.sink(topic, queue);
    config.put("header.converter", "org.apache.kafka.connect.storage.StringConverter");
    config.put("rabbitmq.property.expiration", "${header:ttl|600000}");
    config.put("rabbitmq.property.type", "${header:type|}");
    String deadLetters = withDeadLetters(scenario, config);
    String sink = scenario.running(config);

    scenario
        .kafka()
        .client()
        .produce(
            List.of(
                record(topic, "k", "good-1"),
                with(record(topic, "k", "header"), "h", "x".repeat(200 * 1024)),
                record(topic, "k", "good-2"),
                with(record(topic, "k", "fraction"), "ttl", "1500.5"),
                with(record(topic, "k", "word"), "ttl", "later"),
                with(record(topic, "k", "negative"), "ttl", "-1"),
                with(record(topic, "k", "long-type"), "type", "t".repeat(256)),
                with(record(topic, "k", "good-3"), "ttl", "60000")));
    awaitAllCommitted(scenario, sink, topic);

    assertThat(scenario.kafka().client().values(deadLetters))
        .containsExactlyInAnyOrder("header", "fraction", "word", "negative", "long-type");
    assertThat(texts(scenario.amqp().drain(queue))).containsExactly("good-1", "good-2", "good-3");
  }

  @Test
  void theMessageThatIsTooLargeForTheBrokerIsFoundAmongItsNeighbours() { // F58
    var small =
        scenario.atEnd(
            scenario.harness().newRabbitMQ(scenario.name("small"), "max_message_size = 100000\n"));
    String topic = scenario.topic(1);
    String queue = "q";
    small.management().declareQueue(queue, QueueKind.QUORUM, Map.of());
    Map<String, String> config = scenario.sink(topic, queue);
    config.putAll(scenario.broker(small.amqpFromWorker()));
    String deadLetters = withDeadLetters(scenario, config);
    String sink = scenario.running(config);
    List<ProducerRecord<byte[], byte[]>> records = new ArrayList<>();
    for (int i = 0; i < 200; i++) {
      records.add(record(topic, "k", i % 50 == 25 ? "big-" + i + "x".repeat(100_000) : "id-" + i));
    }

    scenario.kafka().client().produce(records);
    awaitAllCommitted(scenario, sink, topic);

    assertThat(scenario.kafka().client().values(deadLetters))
        .hasSize(4)
        .allMatch(value -> value.startsWith("big-"));
    try (var amqp = small.connect()) {
      assertThat(Set.copyOf(texts(amqp.drain(queue)))).hasSize(196);
    }
  }
}
