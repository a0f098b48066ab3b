// SPDX-License-Identifier: Apache-2.0
package dev.rabbitbridge.harness.metrics;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rabbitbridge.harness.Scenario;
import dev.rabbitbridge.harness.rabbitmq.QueueKind;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** The source's metrics and log lines while everything happens to it, one after the other. */
class SourceMetricsIT {
  @RegisterExtension final Scenario scenario = new Scenario();

  @Test
  void everyDocumentedNumberIsRight() {
    String topic = scenario.topic(1);
    String queue = scenario.queue(QueueKind.QUORUM);
    scenario.atEnd(() -> scenario.rabbitMQ().management().deleteQueue(queue + ".retry.500"));
    Map<String, String> config = scenario.source(queue, topic);
    config.put("value.converter", "org.apache.kafka.connect.json.JsonConverter");
    config.put("value.converter.schemas.enable", "false");
    config.put("rabbitmq.value.format", "json");
    config.put("rabbitmq.record.error.behavior", "reject");
    config.put("rabbitmq.skipped.record.behavior", "retry");
    config.put("rabbitmq.retry.delay.ms", "500");
    config.put("rabbitmq.retry.max", "2");
    config.put("transforms", "drop");
    config.put("transforms.drop.type", "org.apache.kafka.connect.transforms.Filter");
    config.put("transforms.drop.predicate", "empty");
    config.put("predicates", "empty");
    config.put(
        "predicates.empty.type",
        "org.apache.kafka.connect.transforms.predicates.RecordIsTombstone");
    String source = scenario.running(config);
    Numbers numbers = new Numbers(scenario.worker(), source);

    // Messages flow.
    publish(queue, numbers(100));
    numbers.awaitIs("acked-total", 100);
    assertThat(numbers.of("delivered-total")).isEqualTo(100);
    assertThat(numbers.of("produced-total")).isEqualTo(100);
    assertThat(numbers.of("unacked")).isZero();
    assertThat(numbers.of("buffer")).isZero();
    numbers.awaitIs("connected", 1);
    assertThat(numbers.of("consumers")).isEqualTo(1);
    for (String rate : List.of("delivered-rate", "produced-rate", "acked-rate")) {
      assertThat(numbers.of(rate)).as(rate).isPositive();
    }
    assertThat(numbers.of("ack-latency-p50")).isBetween(0.01, numbers.of("ack-latency-p99"));
    assertThat(numbers.of("ack-latency-p99")).isLessThanOrEqualTo(numbers.of("ack-latency-max"));
    assertThat(numbers.of("ack-latency-avg")).isLessThanOrEqualTo(numbers.of("ack-latency-max"));

    // Some cannot become records.
    publish(queue, Collections.nCopies(30, "no JSON"));
    numbers.awaitIs("rejected-total", 30);
    assertThat(numbers.of("rejected-rate")).isPositive();
    assertThat(lines(source, "could not become records")).hasSizeBetween(1, 5);

    // A transform drops some: two detours each, then they are rejected.
    publish(queue, Collections.nCopies(10, "null"));
    numbers.awaitIs("rejected-total", 40);
    numbers.awaitIs("retried-total", 20);
    assertThat(numbers.of("retried-rate")).isPositive();
    numbers.awaitIs("acked-total", 120);
    assertThat(numbers.of("produced-total")).isEqualTo(100);

    // Nobody polls.
    scenario.worker().rest().pause(source);
    scenario.worker().rest().awaitState(source, "PAUSED");
    publish(queue, numbers(20));
    numbers.awaitIs("buffer", 20);
    assertThat(numbers.of("unacked")).isEqualTo(20);
    scenario.worker().rest().resume(source);
    numbers.awaitIs("acked-total", 140);
    numbers.awaitIs("buffer", 0);
    assertThat(numbers.of("redelivered-total")).isZero();

    // RabbitMQ is away.
    assertThat(numbers.of("reconnects-total")).isZero();
    scenario.rabbitMQ().kill();
    numbers.awaitIs("connected", 0);
    numbers.awaitIs("consumers", 0);
    scenario.rabbitMQ().start();
    numbers.awaitIs("connected", 1);
    numbers.awaitIs("consumers", 1);
    assertThat(numbers.of("reconnects-total")).as("both connections").isGreaterThanOrEqualTo(2);
    publish(queue, numbers(10));
    numbers.awaitIs("acked-total", 150);

    // Nothing else is there, all lines say whose they are, and a deleted connector leaves nothing.
    assertThat(numbers.of(MetricsDoc.documented("source"))).hasSizeGreaterThan(20);
    assertThat(scenario.worker().logLines(source + "-0: "))
        .isNotEmpty()
        .allMatch(line -> line.contains("[" + source + "|task-0]"));
    scenario.worker().rest().delete(source);
    numbers.awaitNone();
  }

  @Test
  void wordsOfKafkaThatComeAfterTheirChannelIsLostAreStaleTags() { // F16
    String queue = scenario.queue(QueueKind.QUORUM);
    Map<String, String> config = scenario.source(queue, scenario.topic(1));
    config.put("producer.override.linger.ms", "20000"); // Kafka answers late
    String source = scenario.running(config);
    Numbers numbers = new Numbers(scenario.worker(), source);
    publish(queue, numbers(20));
    numbers.awaitIs("delivered-total", 20);
    numbers.awaitIs("buffer", 0);
    assertThat(numbers.of("unacked")).isEqualTo(20);

    scenario.rabbitMQ().closeConnections();
    numbers.awaitIs("unacked", 0);
    assertThat(numbers.of("produced-total")).isZero();

    numbers.awaitIs("stale-tags-dropped-total", 20);
    numbers.awaitIs("redelivered-total", 20);
    assertThat(numbers.of("produced-total")).isEqualTo(20);
    assertThat(numbers.of("acked-total")).isZero();
    assertThat(numbers.of("redelivered-rate")).isPositive();
    assertThat(numbers.of("stale-tags-dropped-rate")).isPositive();
    numbers.awaitIs("acked-total", 20);
    assertThat(numbers.of("delivered-total")).isEqualTo(40);
    assertThat(numbers.of("produced-total")).isEqualTo(40);
  }

  private void publish(String queue, List<String> bodies) {
    scenario.amqp().publish(queue, bodies);
  }

  private static List<String> numbers(int count) {
    return IntStream.range(0, count).mapToObj(Integer::toString).toList();
  }

  private List<String> lines(String source, String what) {
    return scenario.worker().logLines(source + "-0: .*" + what);
  }
}
