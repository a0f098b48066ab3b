// SPDX-License-Identifier: Apache-2.0
package dev.rabbitbridge.harness.bench;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** Collects tables as Markdown, and a chart of the speeds as SVG. */
final class Report {
  private static final String RATE = "%,.0f";

  private final StringBuilder text = new StringBuilder();
  private final List<Comparison> charted = new ArrayList<>();

  void heading(String title) {
    text.append("\n## ").append(title).append("\n");
  }

  void paragraph(String words) {
    text.append('\n').append(words).append('\n');
  }

  /** Adds the table of a comparison, and its bars. */
  void add(Comparison comparison) {
    List<List<String>> rows = new ArrayList<>();
    Numbers reference = comparison.perSecond(comparison.reference());
    for (String name : comparison.samples().keySet()) {
      Numbers perSecond = comparison.perSecond(name);
      rows.add(
          List.of(
              name,
              perSecond.show(RATE),
              name.equals(comparison.reference()) ? "" : perSecond.over(reference).show("%.2f"),
              comparison.cpuMicros(name).show("%.1f"),
              comparison.bytes(name).show("%,.0f"),
              comparison.busy(name).show("%.2f")));
    }
    text.append("\n### ").append(comparison.title()).append("\n");
    table(
        List.of(
            "",
            "messages/s",
            "of " + comparison.reference(),
            "CPU us/message",
            "bytes allocated/message",
            "of all cores"),
        rows);
    charted.add(comparison);
  }

  /** Adds a table; numbers are to the right. */
  void table(List<String> head, List<List<String>> rows) {
    text.append('\n').append(line(head));
    text.append("|---|").append("---:|".repeat(head.size() - 1)).append('\n');
    rows.forEach(row -> text.append(line(row)));
  }

  private static String line(List<String> cells) {
    return "| " + String.join(" | ", cells) + " |\n";
  }

  String markdown() {
    return text.toString();
  }

  /** Writes report.md and report.svg. */
  void write(Path folder) throws IOException {
    Files.createDirectories(folder);
    Files.writeString(folder.resolve("report.md"), markdown());
    if (!charted.isEmpty()) {
      Files.writeString(folder.resolve("report.svg"), Chart.of(charted));
    }
  }
}
