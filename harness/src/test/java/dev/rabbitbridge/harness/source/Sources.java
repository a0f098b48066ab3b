// SPDX-License-Identifier: Apache-2.0
package dev.rabbitbridge.harness.source;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.rabbitbridge.harness.Scenario;
import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.IntStream;

/** What the source's tests have in common. */
final class Sources {
  private Sources() {}

  /** Returns the settings of a task that runs in the test's own JVM. */
  static Map<String, String> config(Scenario scenario, String queue) {
    Map<String, String> config = new HashMap<>(scenario.broker(scenario.rabbitMQ().amqp()));
    config.put("rabbitmq.queue", queue);
    config.put("rabbitmq.reconnect.backoff.ms", "100");
    return config;
  }

  /** Asks the statistics; -1 while there are none. */
  static long unacked(Scenario scenario, String queue) {
    return scenario.rabbitMQ().management().queue(queue).path("messages_unacknowledged").asLong(-1);
  }

  /** Makes each consuming channel fail with 406, as for an ack of an unknown tag. */
  static void closeChannels(Scenario scenario) {
    scenario
        .rabbitMQ()
        .ctl(
            "eval",
            "[rabbit_channel:do(proplists:get_value(pid, I), {'basic.ack', 999999999, false}) || I <- rabbit_channel:info_all([pid, consumer_count]), proplists:get_value(consumer_count, I) > 0].");
  }

  static void awaitEmpty(Scenario scenario, String queue) {
    await()
        .atMost(Duration.ofSeconds(90))
        .untilAsserted(
            () -> {
              assertThat(scenario.amqp().ready(queue)).isZero();
              assertThat(unacked(scenario, queue)).isZero();
            });
  }

  static void awaitAll(Scenario scenario, String topic, List<String> values) {
    await()
        .atMost(Duration.ofSeconds(120))
        .pollInterval(Duration.ofSeconds(1))
        .untilAsserted(
            () -> {
              Set<String> missing = new HashSet<>(values);
              scenario.kafka().client().values(topic).forEach(missing::remove);
              assertThat(missing.size()).as("missing in %s", topic).isZero();
            });
  }

  static List<String> ids(int count) {
    return ids(0, count);
  }

  static List<String> ids(int from, int to) {
    return IntStream.range(from, to).mapToObj(i -> "id-" + i).toList();
  }
}
