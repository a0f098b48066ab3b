// SPDX-License-Identifier: Apache-2.0
package dev.rabbitbridge.harness.image;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.dataformat.yaml.YAMLFactory;
import dev.rabbitbridge.harness.Checkout;
import dev.rabbitbridge.harness.node.DockerEngine;
import java.io.IOException;
import java.io.Reader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Properties;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class ImageFilesTest {
  private static final Path FOLDER = Checkout.root().resolve("docker");

  @Test
  void theImagesAreThoseThatTheHarnessTests() throws IOException {
    String kafka = DockerEngine.kafka(Checkout.kafkaVersion());

    assertThat(service("kafka").path("image").asText()).isEqualTo(kafka);
    assertThat(service("rabbitmq").path("image").asText()).isEqualTo(DockerEngine.RABBITMQ);
    assertThat(Files.readString(FOLDER.resolve("Dockerfile")))
        .contains("ARG KAFKA_VERSION=" + Checkout.kafkaVersion() + "\n");
  }

  @Test
  void everyMountedFileIsThere() throws IOException {
    List<String> mounted = new ArrayList<>();
    for (JsonNode service : compose().path("services")) {
      service
          .path("volumes")
          .forEach(volume -> mounted.add(volume.asText().replaceFirst(":.*", "")));
    }

    assertThat(mounted).hasSize(7).allSatisfy(file -> assertThat(FOLDER.resolve(file)).exists());
  }

  @Test
  void theScriptsOfTheImageCanBeRun() throws IOException {
    try (Stream<Path> scripts = Files.list(FOLDER.resolve("image"))) {
      assertThat(scripts).hasSize(3).allMatch(Files::isExecutable);
    }
  }

  @Test
  void prometheusAndGrafanaStartOnlyWhenAskedFor() throws IOException {
    for (String name : List.of("prometheus", "grafana")) {
      assertThat(service(name).path("profiles").path(0).asText()).as(name).isEqualTo("metrics");
    }
  }

  @Test
  void theWorkerLooksForPluginsWhereTheImageHasThem() throws IOException {
    Properties worker = new Properties();
    try (Reader reader = Files.newBufferedReader(FOLDER.resolve("connect.properties"))) {
      worker.load(reader);
    }

    assertThat(worker.getProperty("plugin.path")).isEqualTo("/opt/plugins");
    assertThat(Files.readString(FOLDER.resolve("Dockerfile"))).contains(" /opt/plugins/\n");
  }

  private static JsonNode service(String name) throws IOException {
    return compose().path("services").path(name);
  }

  private static JsonNode compose() throws IOException {
    return new ObjectMapper(new YAMLFactory()).readTree(FOLDER.resolve("compose.yaml").toFile());
  }
}
