// SPDX-License-Identifier: Apache-2.0
package dev.rabbitbridge.harness.metrics;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.rabbitbridge.harness.Scenario;
import dev.rabbitbridge.harness.proxy.TcpProxy;
import dev.rabbitbridge.harness.rabbitmq.QueueKind;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** The sink's metrics and log lines while everything happens to it, one after the other. */
class SinkMetricsIT {
  private static final int ROOM = 100;
  private static final int TOO_MANY = 50;

  @RegisterExtension final Scenario scenario = new Scenario();

  @Test
  void everyDocumentedNumberIsRight() {
    TcpProxy proxy = scenario.proxy();
    String topic = scenario.topic(1);
    String queue =
        scenario.queue(
            QueueKind.CLASSIC, Map.of("x-max-length", ROOM, "x-overflow", "reject-publish"));
    Map<String, String> config = scenario.sink(topic, "${key}");
    config.putAll(scenario.broker(proxy.endpointFromWorker()));
    config.put("rabbitmq.publish.max.retries", "-1");
    config.put("rabbitmq.publish.confirm.timeout.ms", "2000");
    config.put("rabbitmq.publish.retry.backoff.max.ms", "200");
    config.put("errors.tolerance", "all");
    config.put("errors.log.enable", "true");
    String sink = scenario.running(config);
    Numbers numbers = new Numbers(scenario.worker(), sink);

    // Records flow.
    produce(topic, queue, ROOM);
    numbers.awaitIs("confirmed-total", ROOM);
    assertThat(numbers.of("published-total")).isEqualTo(ROOM);
    assertThat(numbers.of("confirmed-rate")).isPositive();
    assertThat(numbers.of("published-rate")).isPositive();
    assertThat(numbers.of("confirm-latency-max"))
        .isGreaterThanOrEqualTo(numbers.of("confirm-latency-p99"));
    assertThat(numbers.of("confirm-latency-p99"))
        .isGreaterThanOrEqualTo(numbers.of("confirm-latency-p50"));
    assertThat(numbers.of("confirm-latency-avg")).isBetween(0.01, 60_000.0);
    numbers.awaitIs("connected", 1);

    // A nack storm: the queue is full, and each message is tried five times a second or more.
    long stormBegan = System.nanoTime();
    produce(topic, queue, TOO_MANY);
    numbers.awaitAtLeast("nacked-total", 20.0 * TOO_MANY);
    assertThat(numbers.of("confirmed-total")).isEqualTo(ROOM);
    numbers.awaitIs("pending", TOO_MANY);
    assertThat(numbers.of("nacked-rate")).isPositive();
    assertThat(numbers.of("republished-rate")).isPositive();
    drain(queue, ROOM);
    numbers.awaitIs("pending", 0);
    numbers.awaitIs("confirmed-total", ROOM + TOO_MANY);
    double republished = numbers.of("republished-total");
    assertThat(numbers.of("nacked-total")).isEqualTo(republished);
    assertThat(numbers.of("published-total")).isEqualTo(ROOM + TOO_MANY + republished);
    assertThat(lines(sink, "nacked by RabbitMQ, for example record " + topic))
        .hasSizeBetween(1, secondsSince(stormBegan) + 1);

    // Nobody takes some.
    produce(topic, "nowhere", 30);
    numbers.awaitIs("record-errors-total", 30);
    assertThat(numbers.of("returned-total")).isEqualTo(30);
    assertThat(numbers.of("confirmed-total")).isEqualTo(ROOM + TOO_MANY);
    assertThat(numbers.of("returned-rate")).isPositive();
    assertThat(numbers.of("record-errors-rate")).isPositive();
    assertThat(lines(sink, "returned by RabbitMQ as unroutable")).isNotEmpty();
    assertThat(lines(sink, "reported to Connect")).isNotEmpty();

    // The confirms get lost.
    double reconnects = numbers.of("reconnects-total");
    proxy.swallowConfirms();
    produce(topic, queue, 10);
    numbers.awaitAtLeast("timed-out-total", 10);
    assertThat(numbers.of("timed-out-rate")).isPositive();
    proxy.passConfirms();
    numbers.awaitIs("confirmed-total", ROOM + TOO_MANY + 10);
    assertThat(numbers.of("reconnects-total")).isGreaterThan(reconnects);
    assertThat(lines(sink, "10 without a confirm within 2000 ms")).isNotEmpty();
    drain(queue, 1);

    // RabbitMQ is short of memory.
    scenario.rabbitMQ().memoryAlarm(true);
    produce(topic, queue, 10);
    numbers.awaitIs("blocked", 1);
    numbers.awaitAtLeast("blocked-time-ms-total", 500);
    scenario.rabbitMQ().memoryAlarm(false);
    numbers.awaitIs("blocked", 0);
    numbers.awaitIs("confirmed-total", ROOM + TOO_MANY + 20);
    double blocked = numbers.of("blocked-time-ms-total");
    assertThat(numbers.of("blocked-time-ms-total")).isEqualTo(blocked);

    // RabbitMQ is away.
    double before = numbers.of("reconnects-total");
    scenario.rabbitMQ().kill();
    numbers.awaitIs("connected", 0);
    produce(topic, queue, 20);
    numbers.awaitIs("pending", 20);
    assertThat(numbers.of("in-flight")).isZero();
    scenario.rabbitMQ().start();
    numbers.awaitIs("connected", 1);
    numbers.awaitIs("confirmed-total", ROOM + TOO_MANY + 40);
    assertThat(numbers.of("reconnects-total")).isGreaterThan(before);
    numbers.awaitIs("pending", 0);
    numbers.awaitIs("in-flight", 0);

    // Nothing else is there, all lines say whose they are, and a deleted connector leaves nothing.
    assertThat(scenario.worker().jmx().names("*:type=plugins,connector=" + sink + ",*")).hasSize(1);
    assertThat(numbers.of(MetricsDoc.documented("sink"))).hasSizeGreaterThan(20);
    assertThat(scenario.worker().logLines(sink + "-0: "))
        .isNotEmpty()
        .allMatch(line -> line.contains("[" + sink + "|task-0]"));
    assertThat(lines(sink, "ERROR")).isEmpty();
    scenario.worker().rest().delete(sink);
    numbers.awaitNone();
  }

  @Test
  void aTaskThatGivesUpLeavesNoMetricsAndItsSentenceInOneErrorOfConnect() {
    Map<String, String> config = scenario.sink(scenario.topic(1), "anywhere");
    config.put("rabbitmq.password", "wrong");
    String sink = scenario.put(config);

    scenario.worker().rest().awaitFailed(sink);
    new Numbers(scenario.worker(), sink).awaitNone();
    Pattern error =
        Pattern.compile("ERROR .*" + sink + ".*\\R.*RB-C02: .*refused the connection: 403");
    assertThat(error.matcher(scenario.worker().log()).results()).hasSize(1);
    assertThat(scenario.worker().logLines("ERROR .*" + sink + ".*\\(dev.rabbitbridge")).isEmpty();
  }

  private void produce(String topic, String queue, int count) {
    scenario
        .kafka()
        .client()
        .produce(
            IntStream.range(0, count)
                .mapToObj(
                    i ->
                        new ProducerRecord<>(
                            topic, queue.getBytes(UTF_8), ("id-" + i).getBytes(UTF_8)))
                .toList());
  }

  /** Takes messages out until so many are gone. */
  private void drain(String queue, int atLeast) {
    int taken = 0;
    while (taken < atLeast) {
      taken += scenario.amqp().drain(queue).size();
    }
  }

  private List<String> lines(String sink, String what) {
    return scenario.worker().logLines(sink + "-0: .*" + what);
  }

  private static int secondsSince(long nanoTime) {
    return (int) Duration.ofNanos(System.nanoTime() - nanoTime).toSeconds();
  }
}
