// SPDX-License-Identifier: Apache-2.0
package dev.rabbitbridge.harness.metrics;

import dev.rabbitbridge.harness.Checkout;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/** The tables of metrics in docs/operations.md, each between two comments. */
final class MetricsDoc {
  static final Path FILE = Checkout.root().resolve("docs/operations.md");
  private static final Pattern ROW = Pattern.compile("^\\| `([a-z0-9-]+)` \\|", Pattern.MULTILINE);

  private static final Pattern ALERT = Pattern.compile("^\\| (.*?) \\|", Pattern.MULTILINE);
  private static final Pattern CODE = Pattern.compile("`([^`]+)`");

  private MetricsDoc() {}

  static String read() {
    try {
      return Files.readString(FILE);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Returns the names of a connector's metrics. */
  static Set<String> documented(String connector) {
    Matcher table = table(connector).matcher(read());
    if (!table.find()) {
      throw new IllegalStateException("no metrics of the " + connector + " in " + FILE);
    }
    return ROW.matcher(table.group(2))
        .results()
        .map(row -> row.group(1))
        .collect(Collectors.toCollection(TreeSet::new));
  }

  /** Returns the metrics that the table of what to alert on names. */
  static Set<String> alertedOn() {
    String document = read();
    String table = document.substring(document.indexOf("## What to alert on"));
    Matcher rows = ALERT.matcher(table.substring(0, table.indexOf("## Log lines")));
    Set<String> metrics = new TreeSet<>();
    while (rows.find()) {
      CODE.matcher(rows.group(1)).results().map(code -> code.group(1)).forEach(metrics::add);
    }
    metrics.removeIf(code -> code.startsWith("rabbitmq."));
    return metrics;
  }

  /** Returns the document with a connector's table written anew. */
  static String rendered(String document, String connector, Map<String, String> metrics) {
    String rows =
        metrics.entrySet().stream()
            .map(metric -> "| `%s` | %s |\n".formatted(metric.getKey(), metric.getValue()))
            .collect(Collectors.joining("", "| Metric | Meaning |\n|---|---|\n", ""));
    return table(connector)
        .matcher(document)
        .replaceFirst(table -> Matcher.quoteReplacement(table.group(1) + rows + table.group(3)));
  }

  private static Pattern table(String connector) {
    return Pattern.compile(
        "(<!-- metrics: " + connector + " -->\n)(.*?)(<!-- end -->)", Pattern.DOTALL);
  }
}
