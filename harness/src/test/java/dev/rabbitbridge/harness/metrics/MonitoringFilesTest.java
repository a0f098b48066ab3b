// SPDX-License-Identifier: Apache-2.0
package dev.rabbitbridge.harness.metrics;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class MonitoringFilesTest {
  @Test
  void alertsAndDashboardAskOnlyForMetricsThatTheExporterHas() {
    Set<String> known = new TreeSet<>(Set.of(MonitoringFiles.UP));
    Stream.of("sink", "source")
        .flatMap(connector -> MetricsDoc.documented(connector).stream())
        .map(MonitoringFiles::exported)
        .forEach(known::add);
    MonitoringFiles.yaml("jmx-exporter.yaml")
        .path("rules")
        .forEach(rule -> known.add(rule.path("name").asText()));

    assertThat(MonitoringFiles.expressions())
        .hasSizeGreaterThan(40)
        .allSatisfy(
            expression ->
                assertThat(MonitoringFiles.metrics(expression))
                    .as(expression)
                    .isNotEmpty()
                    .isSubsetOf(known));
  }

  @Test
  void metricsOfAnExpressionAreFound() {
    assertThat(
            MonitoringFiles.metrics(
                "sum by (a) (rate(b_total{c=~\"d\"}[5m])) / 2 unless on (f, g) e offset 5m"))
        .containsExactly("b_total", "e");
  }

  @Test
  void everyAlertSaysWhatHappenedAndWhatToDo() {
    assertThat(MonitoringFiles.alerts())
        .allSatisfy(
            alert -> {
              assertThat(alert.path("annotations").path("summary").asText())
                  .as(alert.path("alert").asText())
                  .containsAnyOf("{{ $labels.connector }}", "{{ $labels.instance }}");
              assertThat(alert.path("annotations").path("description").asText())
                  .as(alert.path("alert").asText())
                  .hasSizeGreaterThan(30)
                  .endsWith(".");
              assertThat(alert.path("labels").path("severity").asText())
                  .isIn("critical", "warning");
            })
        .extracting(alert -> alert.path("alert").asText())
        .doesNotHaveDuplicates()
        .contains(
            "ConnectWorkerDown",
            "ConnectWorkerWithoutKafka",
            "RabbitMQBlocked",
            "RabbitMQConfirmsSlow",
            "RabbitMQNotConnected",
            "Redeliveries",
            "RecordErrors");
  }

  /** Thresholds and metrics of the table stay together with those of the alerts. */
  @Test
  void everythingThatTheGuideAlertsOnHasAnAlert() {
    Set<String> alerted = new HashSet<>();
    MonitoringFiles.alerts()
        .forEach(alert -> alerted.addAll(MonitoringFiles.metrics(alert.path("expr").asText())));

    assertThat(MetricsDoc.alertedOn())
        .hasSizeGreaterThan(10)
        .allSatisfy(metric -> assertThat(alerted).contains(MonitoringFiles.exported(metric)));
  }

  /** A task counts from its start, and Prometheus first looks up to a quarter of a minute later. */
  @Test
  void alertsAtOnceSeeWhatWasCountedBeforePrometheusFirstLooked() {
    Pattern increase = Pattern.compile("increase\\((\\w+)\\[5m]\\) > 0");

    int found = 0;
    for (JsonNode alert : MonitoringFiles.alerts()) {
      String expression = alert.path("expr").asText();
      Matcher counters = increase.matcher(expression);
      while (counters.find()) {
        String counter = counters.group(1);
        assertThat(expression).contains("(%s > 0 unless %s offset 5m)".formatted(counter, counter));
        found++;
      }
    }
    assertThat(found).isEqualTo(3);
  }

  /** A dead worker has no metrics that could tell; only that Prometheus finds none. */
  @Test
  void theAlertForADeadWorkerWatchesTheJobThatReadsTheWorkers() {
    String job =
        MonitoringFiles.yaml("prometheus.yaml")
            .path("scrape_configs")
            .path(0)
            .path("job_name")
            .asText();

    assertThat(MonitoringFiles.alerts())
        .filteredOn(alert -> alert.path("alert").asText().equals("ConnectWorkerDown"))
        .extracting(alert -> alert.path("expr").asText())
        .containsExactly("up{job=\"" + job + "\"} == 0");
  }

  /** It keeps what it holds, and after a lost connection subscribes when it is resumed. */
  @Test
  void aPausedSourceIsNoTrouble() {
    assertThat(MonitoringFiles.alerts())
        .filteredOn(
            alert ->
                List.of("KafkaTakesNothing", "QueueNotConsumed")
                    .contains(alert.path("alert").asText()))
        .hasSize(2)
        .allSatisfy(
            alert ->
                assertThat(alert.path("expr").asText())
                    .endsWith(
                        "unless on (instance, connector)"
                            + " kafka_connect_worker_tasks{state=\"paused\"} > 0"));
  }

  @Test
  void panelsHaveTitlesPlacesAndTheirOwnIds() {
    JsonNode panels = MonitoringFiles.dashboard().path("panels");

    assertThat(panels).hasSizeGreaterThan(10);
    assertThat(panels)
        .allSatisfy(
            panel -> {
              assertThat(panel.path("title").asText()).isNotEmpty();
              assertThat(panel.path("gridPos").path("w").asInt()).isBetween(1, 24);
            })
        .extracting(panel -> panel.path("id").asInt())
        .doesNotHaveDuplicates();
  }

  @Test
  void prometheusReadsTheAlertsAndTheWorkerOfTheComposeFile() {
    JsonNode prometheus = MonitoringFiles.yaml("prometheus.yaml");

    assertThat(texts(prometheus.path("rule_files"))).containsExactly("alerts.yaml");
    assertThat(
            texts(
                prometheus
                    .path("scrape_configs")
                    .path(0)
                    .path("static_configs")
                    .path(0)
                    .path("targets")))
        .containsExactly("connect:9404");
  }

  private static List<String> texts(JsonNode array) {
    List<String> texts = new ArrayList<>();
    array.forEach(element -> texts.add(element.asText()));
    return texts;
  }
}
