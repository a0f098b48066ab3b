// SPDX-License-Identifier: Apache-2.0
package dev.rabbitbridge.harness.metrics;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.dataformat.yaml.YAMLFactory;
import dev.rabbitbridge.harness.Checkout;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The files of {@code docker/metrics} for the JMX exporter, Prometheus and Grafana. */
final class MonitoringFiles {
  static final Path FOLDER = Checkout.root().resolve("docker/metrics");

  private static final ObjectMapper JSON = new ObjectMapper();
  private static final ObjectMapper YAML = new ObjectMapper(new YAMLFactory());
  private static final Pattern NOT_METRICS =
      Pattern.compile(
          "\\{[^}]*}|\\[[^]]*]|\\b(by|on) \\([^)]*\\)|\\boffset \\w+|\\b(and|or|unless)\\b");
  private static final Pattern METRIC =
      Pattern.compile("(?<![a-zA-Z0-9_:])([a-zA-Z_:][a-zA-Z0-9_:]*)\\b(?!\\s*\\()");

  /** Made by Prometheus itself: whether it could read a worker. */
  static final String UP = "up";

  private MonitoringFiles() {}

  static List<JsonNode> alerts() {
    List<JsonNode> alerts = new ArrayList<>();
    read(YAML, "alerts.yaml").path("groups").forEach(g -> g.path("rules").forEach(alerts::add));
    return alerts;
  }

  static JsonNode dashboard() {
    return read(JSON, "grafana/dashboard.json");
  }

  static JsonNode yaml(String file) {
    return read(YAML, file);
  }

  /** Returns what the alerts and the dashboard ask Prometheus for. */
  static List<String> expressions() {
    List<String> expressions = new ArrayList<>(dashboard().findValuesAsText("expr"));
    alerts().forEach(alert -> expressions.add(alert.path("expr").asText()));
    return expressions;
  }

  /** Returns the metrics that a PromQL expression names. */
  static Set<String> metrics(String expression) {
    Set<String> metrics = new TreeSet<>();
    Matcher names = METRIC.matcher(NOT_METRICS.matcher(expression).replaceAll(" "));
    while (names.find()) {
      metrics.add(names.group(1));
    }
    return metrics;
  }

  /** Returns the name under which Prometheus gets a metric of docs/operations.md. */
  static String exported(String documented) {
    return "kafka_connect_plugins_" + documented.replace('-', '_');
  }

  private static JsonNode read(ObjectMapper mapper, String file) {
    try {
      return mapper.readTree(FOLDER.resolve(file).toFile());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
