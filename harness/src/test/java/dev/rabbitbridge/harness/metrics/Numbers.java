// SPDX-License-Identifier: Apache-2.0
package dev.rabbitbridge.harness.metrics;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.rabbitbridge.harness.connect.Worker;
import java.time.Duration;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

/** The metrics of a connector's only task, as an operator's tool reads them from the worker. */
final class Numbers {
  private static final Duration LONG = Duration.ofMinutes(2);

  private final Worker worker;
  private final String name;
  private final String all;

  Numbers(Worker worker, String connector) {
    this.worker = worker;
    this.name = "kafka.connect:type=plugins,connector=" + connector + ",task=0";
    this.all = "*:type=plugins,connector=" + connector + ",*";
  }

  double of(String metric) {
    return worker.jmx().number(name, metric);
  }

  Map<String, Double> of(Set<String> metrics) {
    return metrics.stream().collect(Collectors.toMap(metric -> metric, this::of));
  }

  void awaitIs(String metric, double value) {
    await().atMost(LONG).untilAsserted(() -> assertThat(of(metric)).as(metric).isEqualTo(value));
  }

  void awaitAtLeast(String metric, double value) {
    await()
        .atMost(LONG)
        .untilAsserted(() -> assertThat(of(metric)).as(metric).isGreaterThanOrEqualTo(value));
  }

  /** Waits until nothing of the connector is left. */
  void awaitNone() {
    await().atMost(LONG).untilAsserted(() -> assertThat(worker.jmx().names(all)).isEmpty());
  }
}
