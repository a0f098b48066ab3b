// SPDX-License-Identifier: Apache-2.0
package dev.rabbitbridge.harness.sink;

import static dev.rabbitbridge.harness.sink.Sinks.LONG;
import static dev.rabbitbridge.harness.sink.Sinks.awaitAllCommitted;
import static dev.rabbitbridge.harness.sink.Sinks.ids;
import static dev.rabbitbridge.harness.sink.Sinks.texts;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import dev.rabbitbridge.harness.Scenario;
import dev.rabbitbridge.harness.rabbitmq.Management;
import dev.rabbitbridge.harness.rabbitmq.QueueKind;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Starting, stopping, rebalancing and rewinding a sink. */
class SinkLifecycleIT {
  @RegisterExtension final Scenario scenario = new Scenario();

  @Test
  void partitionsThatMoveWhileTheirRecordsArePendingLoseNothing() { // F72
    String topic = scenario.topic(4);
    String queue = scenario.queue(QueueKind.QUORUM);
    Map<String, String> config = scenario.sink(topic, queue);
    config.put("rabbitmq.shutdown.timeout.ms", "1000");
    String sink = scenario.running(config);
    scenario.kafka().client().produce(topic, ids(100));
    awaitAllCommitted(scenario, sink, topic);

    scenario.rabbitMQ().memoryAlarm(true);
    scenario.kafka().client().produce(topic, ids(100, 2100));
    await().until(() -> !scenario.worker().logLines(sink + "-0: RabbitMQ blocks").isEmpty());
    config.put("tasks.max", "2");
    scenario.worker().rest().put(sink, config);
    scenario.worker().rest().awaitRunning(sink, 2);
    scenario.rabbitMQ().memoryAlarm(false);

    awaitAllCommitted(scenario, sink, topic);
    assertThat(new HashSet<>(texts(scenario.amqp().drain(queue))))
        .isEqualTo(new HashSet<>(ids(2100)));
    scenario.worker().rest().awaitRunning(sink, 2);
  }

  @Test
  void stopAndPauseTakeEffectWhileTheBrokerIsAwayOrBlocked() { // F52, F80's counterpart
    String topic = scenario.topic(1);
    String queue = scenario.queue(QueueKind.QUORUM);
    String sink = scenario.running(scenario.sink(topic, queue));
    scenario.kafka().client().produce(topic, ids(10));
    awaitAllCommitted(scenario, sink, topic);

    scenario.rabbitMQ().memoryAlarm(true);
    scenario.kafka().client().produce(topic, ids(10, 10_010));
    await().until(() -> !scenario.worker().logLines(sink + "-0: RabbitMQ blocks").isEmpty());
    assertThat(
            seconds(
                () -> {
                  scenario.worker().rest().stop(sink);
                  scenario.worker().rest().awaitState(sink, "STOPPED");
                }))
        .isLessThan(10);
    scenario.rabbitMQ().memoryAlarm(false);

    scenario.rabbitMQ().stop();
    scenario.worker().rest().resume(sink);
    scenario.worker().rest().awaitRunning(sink, 1);
    assertThat(
            seconds(
                () -> {
                  scenario.worker().rest().pause(sink);
                  scenario.worker().rest().awaitState(sink, "PAUSED");
                }))
        .isLessThan(10);
    scenario.rabbitMQ().start();
    scenario.worker().rest().resume(sink);

    awaitAllCommitted(scenario, sink, topic);
    assertThat(scenario.worker().logLines("Graceful stop of task " + sink)).isEmpty();
    assertThat(new HashSet<>(texts(scenario.amqp().drain(queue))))
        .isEqualTo(new HashSet<>(ids(10_010)));
  }

  @Test
  void offsetsResetThroughTheRestApiPublishEverythingAgain() { // F77
    String topic = scenario.topic(1);
    String queue = scenario.queue(QueueKind.QUORUM);
    String sink = scenario.running(scenario.sink(topic, queue));
    scenario.kafka().client().produce(topic, ids(50));
    awaitAllCommitted(scenario, sink, topic);

    scenario.worker().rest().stop(sink);
    scenario.worker().rest().awaitState(sink, "STOPPED");
    await()
        .atMost(LONG)
        .ignoreExceptions()
        .until(() -> scenario.worker().rest().resetOffsets(sink) != null);
    scenario.worker().rest().resume(sink);

    await().atMost(LONG).until(() -> scenario.amqp().ready(queue) == 100);
    awaitAllCommitted(scenario, sink, topic);
  }

  @Test
  void nothingIsRedeclaredAndNothingIsCreated() { // F36
    Management vhost = scenario.vhost();
    String user = scenario.user("secret");
    vhost.grant(user, "", ".*", ".*");
    vhost.declareExchange("dead", "fanout", Map.of());
    vhost.declareQueue(
        "existing",
        QueueKind.QUORUM,
        Map.of("x-dead-letter-exchange", "dead", "x-max-length", 1000));
    String topic = scenario.topic(1);
    Map<String, String> config = scenario.sink(topic, "existing");
    config.put("rabbitmq.virtual.host", vhost.vhost());
    config.put("rabbitmq.username", user);
    config.put("rabbitmq.password", "secret");
    config.put("rabbitmq.topology", "check");
    Set<String> before = names(vhost);
    String sink = scenario.running(config);
    scenario.kafka().client().produce(topic, ids(10));

    awaitAllCommitted(scenario, sink, topic);

    await().untilAsserted(() -> assertThat(vhost.counts("existing").ready()).isEqualTo(10));
    assertThat(names(vhost)).isEqualTo(before);
  }

  @Test
  void theConfiguredTopologyIsDeclaredAndDeclaringItAgainChangesNothing() {
    Management vhost = scenario.vhost();
    vhost.grant(scenario.rabbitMQ().username(), ".*", ".*", ".*");
    String topic = scenario.topic(1);
    Map<String, String> config = scenario.sink(topic, "orders.new");
    config.put("rabbitmq.virtual.host", vhost.vhost());
    config.put("rabbitmq.exchange", "orders");
    config.put("rabbitmq.topology", "declare");
    config.put("rabbitmq.topology.queue", "orders-queue");
    config.put("rabbitmq.topology.queue.arguments", "{\"x-max-length\": 1000}");
    config.put("rabbitmq.topology.binding.keys", "orders.*");
    config.put("rabbitmq.topology.dead.letter.exchange", "orders-dead");
    config.put("rabbitmq.topology.dead.letter.queue", "orders-dead-queue");
    String sink = scenario.running(config);
    scenario.kafka().client().produce(topic, ids(10));
    awaitAllCommitted(scenario, sink, topic);
    Set<String> declared = names(vhost);
    scenario.worker().rest().restart(sink);
    scenario.worker().rest().awaitRunning(sink, 1);

    assertThat(declared).contains("orders", "orders-queue", "orders-dead", "orders-dead-queue");
    JsonNode queue = vhost.queue("orders-queue");
    assertThat(queue.at("/arguments/x-queue-type").asText()).isEqualTo("quorum");
    assertThat(queue.at("/arguments/x-dead-letter-exchange").asText()).isEqualTo("orders-dead");
    await().untilAsserted(() -> assertThat(vhost.counts("orders-queue").ready()).isEqualTo(10));
    assertThat(names(vhost)).isEqualTo(declared);
  }

  @Test
  void aTopologyOtherThanWhatExistsFailsTheTaskWithBoth() {
    Management vhost = scenario.vhost();
    vhost.grant(scenario.rabbitMQ().username(), ".*", ".*", ".*");
    vhost.declareQueue("orders-queue", QueueKind.CLASSIC, Map.of());
    Map<String, String> config = scenario.sink(scenario.topic(1), "orders-queue");
    config.put("rabbitmq.virtual.host", vhost.vhost());
    config.put("rabbitmq.topology", "declare");

    String trace = scenario.worker().rest().awaitFailed(scenario.put(config));

    assertThat(
            trace.lines().filter(line -> line.contains("orders-queue")).findFirst().orElseThrow())
        .contains("quorum")
        .contains("classic")
        .contains("rabbitmq.topology");
  }

  @Test
  void aMissingQueueFailsTheTaskAtStartWhereItIsChecked() {
    Map<String, String> config = scenario.sink(scenario.topic(1), "missing-queue");
    config.put("rabbitmq.topology", "check");

    assertThat(scenario.worker().rest().awaitFailed(scenario.put(config)))
        .contains("missing-queue")
        .contains("404");
  }

  private static long seconds(Runnable what) {
    long start = System.nanoTime();
    what.run();
    return Duration.ofNanos(System.nanoTime() - start).toSeconds();
  }

  private static Set<String> names(Management vhost) {
    Set<String> names = new TreeSet<>();
    for (String kind : List.of("queues", "exchanges", "bindings")) {
      JsonNode all = vhost.get(kind + "/" + vhost.vhost());
      all.forEach(
          one ->
              names.add(
                  one.path("name").asText()
                      + (kind.equals("bindings")
                          ? one.path("source").asText() + ">" + one.path("destination").asText()
                          : "")));
    }
    return names.stream()
        .filter(name -> !name.isEmpty())
        .collect(Collectors.toCollection(TreeSet::new));
  }
}
