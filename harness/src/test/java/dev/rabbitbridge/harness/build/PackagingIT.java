// SPDX-License-Identifier: Apache-2.0
package dev.rabbitbridge.harness.build;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.rabbitbridge.harness.Checkout;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Pattern;
import java.util.zip.ZipEntry;
import java.util.zip.ZipInputStream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Opens the plugin archive that the build made. */
class PackagingIT {
  private static final int JAVA_17 = 61;
  private static final Pattern VERSION = Pattern.compile("-[0-9][0-9.]*\\.jar$");

  private static Map<String, byte[]> archive = Map.of();
  private static String folder = "";

  @BeforeAll
  static void open() throws IOException {
    folder = "rabbitbridge-" + Checkout.version() + "/";
    try (InputStream file = Files.newInputStream(Checkout.archive())) {
      archive = entries(file);
    }
  }

  @Test
  void allIsInOneFolderNamedLikeTheArchive() {
    assertThat(archive.keySet()).isNotEmpty().allMatch(name -> name.startsWith(folder));
    assertThat(archive.keySet())
        .contains(folder + "manifest.json", folder + "doc/README.md", folder + "doc/LICENSE")
        .anyMatch(name -> name.startsWith(folder + "etc/"));
  }

  @Test
  void manifestNamesTheVersionAndBothKinds() throws IOException {
    JsonNode manifest = new ObjectMapper().readTree(archive.get(folder + "manifest.json"));

    assertThat(manifest.path("version").asText()).isEqualTo(Checkout.version());
    assertThat(manifest.path("component_types"))
        .extracting(JsonNode::asText)
        .containsExactly("sink", "source");
  }

  /**
   * A jar more or less is a decision: see that its licence allows it and nobody brings it twice.
   */
  @Test
  void libHoldsExactlyTheListedJars() throws IOException {
    List<String> listed = Files.readAllLines(Path.of("src/test/resources/plugin-lib.txt"));

    assertThat(jars().keySet())
        .extracting(name -> VERSION.matcher(name).replaceFirst(""))
        .containsExactlyElementsOf(listed);
  }

  @Test
  void nothingOfWhatTheWorkerBringsIsInAnyJar() throws IOException {
    for (Map.Entry<String, byte[]> jar : jars().entrySet()) {
      assertThat(entries(jar.getValue()).keySet())
          .as(jar.getKey())
          .noneMatch(
              name ->
                  name.startsWith("org/apache/kafka/")
                      || name.startsWith("org/slf4j/")
                      || name.startsWith("org/apache/logging/")
                      || name.startsWith("ch/qos/logback/"));
    }
  }

  @Test
  void bothConnectorsAreFoundByTheServiceLoader() throws IOException {
    assertThat(service("rabbitbridge-sink", "org.apache.kafka.connect.sink.SinkConnector"))
        .isEqualTo("dev.rabbitbridge.sink.RabbitMQSinkConnector");
    assertThat(service("rabbitbridge-source", "org.apache.kafka.connect.source.SourceConnector"))
        .isEqualTo("dev.rabbitbridge.source.RabbitMQSourceConnector");
  }

  @Test
  void everyClassRunsOnJava17() throws IOException {
    for (Map.Entry<String, byte[]> jar : jars().entrySet()) {
      for (Map.Entry<String, byte[]> entry : entries(jar.getValue()).entrySet()) {
        if (entry.getKey().endsWith(".class") && !entry.getKey().startsWith("META-INF/versions/")) {
          int version = ByteBuffer.wrap(entry.getValue()).getShort(6);
          assertThat(version).as(jar.getKey() + ": " + entry.getKey()).isLessThanOrEqualTo(JAVA_17);
        }
      }
    }
  }

  private static String service(String jar, String kind) throws IOException {
    String name = folder + "lib/" + jar + "-" + Checkout.version() + ".jar";
    byte[] file = entries(archive.get(name)).get("META-INF/services/" + kind);
    return new String(file, UTF_8)
        .lines()
        .filter(line -> !line.isBlank() && !line.startsWith("#"))
        .reduce("", String::concat);
  }

  /** Returns the jars of lib/ by their names, sorted. */
  private static Map<String, byte[]> jars() {
    Map<String, byte[]> jars = new TreeMap<>();
    String lib = folder + "lib/";
    archive.forEach(
        (name, bytes) -> {
          if (name.startsWith(lib) && name.length() > lib.length()) {
            jars.put(name.substring(lib.length()), bytes);
          }
        });
    return jars;
  }

  private static Map<String, byte[]> entries(byte[] zip) throws IOException {
    return entries(new ByteArrayInputStream(zip));
  }

  private static Map<String, byte[]> entries(InputStream stream) throws IOException {
    Map<String, byte[]> entries = new LinkedHashMap<>();
    ZipInputStream zip = new ZipInputStream(stream);
    for (ZipEntry entry = zip.getNextEntry(); entry != null; entry = zip.getNextEntry()) {
      entries.put(entry.getName(), zip.readAllBytes());
    }
    return entries;
  }
}
