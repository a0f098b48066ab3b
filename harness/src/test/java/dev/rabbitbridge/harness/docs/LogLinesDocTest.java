// SPDX-License-Identifier: Apache-2.0
package dev.rabbitbridge.harness.docs;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rabbitbridge.harness.Checkout;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** What the connectors write into the worker's log, beside its table in docs/operations.md. */
class LogLinesDocTest {
  private static final Pattern LINE =
      Pattern.compile("\\b(?:LOG|log)\\.(?:info|warn|error)\\(\\s*\"([^\"]+)\"");
  private static final Pattern VALUE = Pattern.compile("(\\[?<[^>]*>]?|\\{})+");

  @Test
  void everyLineIsInTheGuide() throws IOException {
    String guide = Files.readString(Checkout.root().resolve("docs/operations.md"));
    List<String> rows =
        guide
            .substring(guide.indexOf("## Log lines"))
            .lines()
            .filter(line -> line.startsWith("| `"))
            .map(row -> words(row.substring(3, row.indexOf('`', 3))))
            .toList();

    assertThat(lines())
        .hasSizeGreaterThan(15)
        .allSatisfy(
            line ->
                assertThat(rows)
                    .as(line)
                    .anySatisfy(row -> assertThat(words(line)).isEqualTo(row)));
  }

  /** Without the name in front, and the values. */
  private static String words(String line) {
    return VALUE.matcher(line.replaceFirst("^\\{}: ", "")).replaceAll("*");
  }

  private static List<String> lines() throws IOException {
    return Stream.of("common", "connector-sink", "connector-source")
        .map(module -> Checkout.root().resolve(module).resolve("src/main/java"))
        .flatMap(LogLinesDocTest::sources)
        .flatMap(source -> LINE.matcher(read(source)).results())
        .map(line -> line.group(1))
        // Without those that are put together of values only: counted events and what others say.
        .filter(line -> words(line).matches(".*[a-z]{4}.*") && !line.contains(", for example"))
        .toList();
  }

  private static Stream<Path> sources(Path folder) {
    try (Stream<Path> files = Files.walk(folder)) {
      return files.filter(file -> file.toString().endsWith(".java")).toList().stream();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static String read(Path file) {
    try {
      return Files.readString(file);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
