// SPDX-License-Identifier: Apache-2.0
package dev.rabbitbridge.harness.sink;

import static dev.rabbitbridge.harness.sink.Sinks.awaitAllCommitted;
import static dev.rabbitbridge.harness.sink.Sinks.bytes;
import static dev.rabbitbridge.harness.sink.Sinks.committed;
import static dev.rabbitbridge.harness.sink.Sinks.ids;
import static dev.rabbitbridge.harness.sink.Sinks.texts;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.rabbitbridge.harness.Scale;
import dev.rabbitbridge.harness.Scenario;
import dev.rabbitbridge.harness.connect.Worker;
import dev.rabbitbridge.harness.connect.WorkerSettings;
import dev.rabbitbridge.harness.rabbitmq.QueueKind;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.apache.kafka.clients.admin.MemberDescription;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** The sink while RabbitMQ is slower than Kafka, or does not read at all. */
class SinkPressureIT {
  @RegisterExtension final Scenario scenario = new Scenario();

  @Test
  void aMemoryAlarmIsWaitedOutInsideTheConsumerGroup() throws Exception { // F51
    int alarmSeconds = Scale.of(20, 180);
    int pollSeconds = Scale.of(6, 60);
    String topic = scenario.topic(2);
    String queue = scenario.queue(QueueKind.QUORUM);
    Map<String, String> config = scenario.sink(topic, queue);
    config.put("consumer.override.max.poll.interval.ms", Integer.toString(pollSeconds * 1000));
    String sink = scenario.running(config);
    scenario.kafka().client().produce(topic, ids(100));
    awaitAllCommitted(scenario, sink, topic);
    Set<String> members = members(sink);

    scenario.rabbitMQ().memoryAlarm(true);
    scenario.kafka().client().produce(topic, ids(100, 20_100));
    await().until(() -> !scenario.worker().logLines(sink + "-0: RabbitMQ blocks").isEmpty());
    scenario.rabbitMQ().closeConnections();
    await()
        .pollDelay(Duration.ofSeconds(alarmSeconds))
        .atMost(Duration.ofSeconds(alarmSeconds + 30))
        .untilAsserted(() -> assertThat(members(sink)).isEqualTo(members));
    scenario.rabbitMQ().memoryAlarm(false);

    awaitAllCommitted(scenario, sink, topic);
    assertThat(members(sink)).isEqualTo(members);
    assertThat(scenario.worker().logLines(sink + "-0: RabbitMQ accepts")).isNotEmpty();
    List<String> delivered = texts(scenario.amqp().drain(queue));
    assertThat(new HashSet<>(delivered)).isEqualTo(new HashSet<>(ids(20_100)));
  }

  @Test
  void theCommittedOffsetFollowsUnderSteadyLoad() throws Exception { // F46
    int seconds = Scale.of(10, 120);
    int perTick = 500;
    String topic = scenario.topic(1);
    String queue = scenario.queue(QueueKind.QUORUM);
    String sink = scenario.running(scenario.sink(topic, queue));
    List<Long> reached = new ArrayList<>();
    long produced = 0;
    long start = System.nanoTime();
    for (int tick = 0; tick < seconds * 10; tick++) {
      scenario.kafka().client().produce(topic, ids((int) produced, (int) produced + perTick));
      produced += perTick;
      if (tick % 20 == 19) {
        reached.add(committed(scenario, sink));
      }
      long next = start + TimeUnit.MILLISECONDS.toNanos(100L * (tick + 1));
      long left = next - System.nanoTime();
      if (left > 0) {
        TimeUnit.NANOSECONDS.sleep(left);
      }
    }

    assertThat(reached).isSorted().doesNotHaveDuplicates();
    awaitAllCommitted(scenario, sink, topic);
  }

  @Test
  void aSmallHeapOutlastsAnOutageOfTheBroker() { // F28's counterpart, F52
    int count = Scale.of(100_000, 1_000_000);
    int outageSeconds = Scale.of(10, 60);
    Worker small =
        scenario.newWorker(WorkerSettings.of(scenario.name("small")).withJvmOption("-Xmx256m"));
    String topic = scenario.topic(4);
    String queue = scenario.queue(QueueKind.CLASSIC);
    Map<String, String> config = scenario.sink(topic, queue);
    String sink = scenario.name("sink");
    small.rest().put(sink, config);
    small.rest().awaitRunning(sink, 1);
    String filler = "x".repeat(1000);
    Thread producer =
        new Thread(
            () -> {
              for (int from = 0; from < count; from += 10_000) {
                List<ProducerRecord<byte[], byte[]>> some =
                    ids(from, from + 10_000).stream()
                        .map(
                            id ->
                                new ProducerRecord<byte[], byte[]>(topic, bytes(id + " " + filler)))
                        .collect(Collectors.toList());
                scenario.kafka().client().produce(some);
              }
            });
    producer.start();

    await().atMost(Duration.ofMinutes(3)).until(() -> scenario.amqp().ready(queue) > count / 4);
    scenario.rabbitMQ().stop();
    await()
        .pollDelay(Duration.ofSeconds(outageSeconds))
        .atMost(Duration.ofSeconds(outageSeconds + 10))
        .until(() -> true);
    scenario.rabbitMQ().start();

    await()
        .atMost(Duration.ofMinutes(10))
        .until(() -> !producer.isAlive() && committed(scenario, sink) == count);
    assertThat(small.logLines("OutOfMemoryError")).isEmpty();
    assertThat(small.rest().status(sink).at("/tasks/0/state").asText()).isEqualTo("RUNNING");
    Set<String> delivered = new HashSet<>();
    scenario.amqp().drain(queue).forEach(m -> delivered.add(m.text().split(" ", 2)[0]));
    assertThat(delivered).hasSize(count);
  }

  private Set<String> members(String sink) throws Exception {
    String group = "connect-" + sink;
    return scenario
        .kafka()
        .client()
        .admin()
        .describeConsumerGroups(List.of(group))
        .describedGroups()
        .get(group)
        .get()
        .members()
        .stream()
        .map(MemberDescription::consumerId)
        .collect(Collectors.toSet());
  }
}
