// SPDX-License-Identifier: Apache-2.0
package dev.rabbitbridge.harness.docs;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rabbitbridge.harness.Checkout;
import dev.rabbitbridge.sink.RabbitMQSinkConnector;
import dev.rabbitbridge.source.RabbitMQSourceConnector;
import java.io.IOException;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.apache.kafka.common.config.ConfigValue;
import org.apache.kafka.connect.connector.Connector;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

class MigratingDocTest {
  private static final Pattern ROW =
      Pattern.compile("^\\| `([^`]+)` \\| (same|ignored|`([^`]+)`) \\|.*\\|$");
  private static final Connector SINK = new RabbitMQSinkConnector();
  private static final Connector SOURCE = new RabbitMQSourceConnector();

  static Stream<Arguments> rows() throws IOException {
    return sections().entrySet().stream()
        .flatMap(
            section ->
                section.getValue().stream()
                    .flatMap(row -> connectors(section.getKey()).map(c -> Arguments.of(c, row))));
  }

  @ParameterizedTest
  @MethodSource("rows")
  void everyLineSaysWhatTheConnectorDoes(Connector connector, Row row) {
    boolean defined = connector.config().names().contains(row.their());
    String own = row.here().equals("same") ? row.their() : row.here();

    assertThat(defined).as("is a key here").isEqualTo(row.here().equals("same"));
    if (!row.here().equals("ignored")) {
      assertThat(connector.config().names()).contains(own);
    }
    assertThat(errors(connector, row.their()))
        .noneMatch(error -> error.contains("is no key of this connector"));
  }

  @Test
  void everyKeyOfTheirsIsThere() throws IOException {
    Map<String, List<Row>> sections = sections();

    assertThat(sections.keySet())
        .containsExactly("Connection, both connectors", "TLS, both connectors", "Sink", "Source");
    // 11 of the connection, 3 of recovery, 3 of the licence; the security protocol and 19 of TLS.
    assertThat(sections.get("Connection, both connectors")).hasSize(17);
    assertThat(sections.get("TLS, both connectors")).hasSize(20);
    assertThat(sections.get("Sink")).hasSize(11);
    assertThat(sections.get("Source")).hasSize(10);
  }

  private static Stream<Connector> connectors(String section) {
    return switch (section) {
      case "Sink" -> Stream.of(SINK);
      case "Source" -> Stream.of(SOURCE);
      default -> Stream.of(SINK, SOURCE);
    };
  }

  private static List<String> errors(Connector connector, String key) {
    return connector.validate(Map.of(key, "1")).configValues().stream()
        .filter(value -> value.name().equals(key))
        .map(ConfigValue::errorMessages)
        .flatMap(List::stream)
        .toList();
  }

  private static Map<String, List<Row>> sections() throws IOException {
    Map<String, List<Row>> sections = new LinkedHashMap<>();
    String section = "";
    for (String line : Files.readAllLines(Checkout.root().resolve("docs/migrating.md"))) {
      Matcher row = ROW.matcher(line);
      if (line.startsWith("## ")) {
        section = line.substring(3);
      } else if (row.matches() && !section.isEmpty()) {
        String here = row.group(3) == null ? row.group(2) : row.group(3);
        sections
            .computeIfAbsent(section, any -> new ArrayList<>())
            .add(new Row(row.group(1), here));
      }
    }
    return sections;
  }

  private record Row(String their, String here) {}
}
