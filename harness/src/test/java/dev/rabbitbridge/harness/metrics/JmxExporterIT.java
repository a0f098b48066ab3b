// SPDX-License-Identifier: Apache-2.0
package dev.rabbitbridge.harness.metrics;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;
import static org.awaitility.Awaitility.await;

import dev.rabbitbridge.harness.Checkout;
import dev.rabbitbridge.harness.Mode;
import dev.rabbitbridge.harness.Scenario;
import dev.rabbitbridge.harness.connect.Worker;
import dev.rabbitbridge.harness.connect.WorkerSettings;
import dev.rabbitbridge.harness.node.Endpoint;
import dev.rabbitbridge.harness.node.FreePorts;
import dev.rabbitbridge.harness.rabbitmq.QueueKind;
import java.time.Duration;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Prometheus' JMX exporter with our rules, in a real worker while records flow. */
class JmxExporterIT {
  private static final int RECORDS = 500;

  /** Kafka puts a name with a colon in quotes. */
  private static final String SINK = "to:rabbit";

  private static final String SOURCE = "from-rabbit";

  @RegisterExtension final Scenario scenario = new Scenario();

  @Test
  void everyDocumentedMetricIsExportedUnderTheNameThatAlertsAndDashboardUse() {
    assumeThat(Mode.chosen())
        .as("skipped: with -Dharness=docker the image has the exporter, and ComposeIT reads it")
        .isEqualTo(Mode.LOCAL);
    Endpoint endpoint = new Endpoint("127.0.0.1", FreePorts.next());
    Worker worker =
        scenario.newWorker(
            WorkerSettings.of(scenario.name("exporter"))
                .withJvmOption(
                    "-javaagent:%s=%s:%s"
                        .formatted(
                            Checkout.root().resolve("dist/target/jmx_prometheus_javaagent.jar"),
                            endpoint,
                            MonitoringFiles.FOLDER.resolve("jmx-exporter.yaml"))));
    String queue = scenario.queue(QueueKind.QUORUM);
    String topic = scenario.topic(1);
    worker.rest().put(SINK, scenario.sink(topic, queue));
    worker.rest().put(SOURCE, scenario.source(queue, scenario.topic(1)));
    worker.rest().awaitRunning(SINK, 1);
    worker.rest().awaitRunning(SOURCE, 1);
    Scrape scrape = new Scrape(endpoint);

    scenario
        .kafka()
        .client()
        .produce(topic, IntStream.range(0, RECORDS).mapToObj(Integer::toString).toList());

    await()
        .atMost(Duration.ofMinutes(1))
        .untilAsserted(
            () ->
                assertThat(scrape.text())
                    .contains(
                        sample("confirmed_total", SINK, RECORDS),
                        sample("connected", SINK, 1),
                        sample("acked_total", SOURCE, RECORDS),
                        sample("connected", SOURCE, 1),
                        "kafka_connect_worker_tasks{connector=\""
                            + SINK
                            + "\",state=\"running\"} 1.0"));
    Set<String> documented =
        Stream.of("sink", "source")
            .flatMap(connector -> MetricsDoc.documented(connector).stream())
            .map(MonitoringFiles::exported)
            .collect(Collectors.toCollection(TreeSet::new));
    Set<String> exported = new TreeSet<>(scrape.read().keySet());
    exported.add(MonitoringFiles.UP);
    assertThat(exported)
        .filteredOn(name -> name.startsWith(MonitoringFiles.exported("")))
        .containsExactlyInAnyOrderElementsOf(documented);
    assertThat(MonitoringFiles.expressions())
        .allSatisfy(
            expression ->
                assertThat(exported)
                    .as(expression)
                    .containsAll(MonitoringFiles.metrics(expression)));
    assertThat(scrape.text())
        .contains("# TYPE kafka_connect_plugins_confirmed_total counter")
        .contains("# TYPE kafka_connect_plugins_confirm_latency_p99 gauge");
    worker.rest().delete(SINK);
    worker.rest().delete(SOURCE);
    await()
        .atMost(Duration.ofMinutes(1))
        .untilAsserted(
            () ->
                assertThat(scrape.read()).doesNotContainKey(MonitoringFiles.exported("connected")));
  }

  private static String sample(String metric, String connector, double value) {
    return "kafka_connect_plugins_%s{connector=\"%s\",task=\"0\"} %s"
        .formatted(metric, connector, value);
  }
}
