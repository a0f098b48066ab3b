// SPDX-License-Identifier: Apache-2.0
package dev.rabbitbridge.harness.docs;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.core.type.TypeReference;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.rabbitbridge.harness.Checkout;
import dev.rabbitbridge.tls.Certificates;
import java.io.IOException;
import java.io.Reader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.ServiceLoader;
import java.util.stream.Stream;
import org.apache.kafka.common.config.ConfigValue;
import org.apache.kafka.connect.connector.Connector;
import org.apache.kafka.connect.sink.SinkConnector;
import org.apache.kafka.connect.source.SourceConnector;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

class ExamplesTest {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final Path FOLDER = Checkout.root().resolve("config");

  @TempDir static Path secrets;

  @BeforeAll
  static void makeSecrets() {
    Certificates certificates = new Certificates(secrets).sign("bridge", "bridge");
    certificates.file("authority.pem", certificates.authorityPem());
    certificates.file("ca.crt", certificates.authorityPem());
    certificates.trustStore("PKCS12");
    certificates.keyStore("bridge", "PKCS12");
  }

  static Stream<Path> examples() throws IOException {
    try (Stream<Path> files = Files.list(FOLDER)) {
      return files.filter(file -> file.toString().endsWith(".json")).sorted().toList().stream();
    }
  }

  @ParameterizedTest
  @MethodSource("examples")
  void everyExampleIsValid(Path file) throws IOException {
    Map<String, String> example =
        JSON.readValue(file.toFile(), new TypeReference<LinkedHashMap<String, String>>() {});

    assertThat(errors(example)).isEmpty();
  }

  @Test
  void everyKindOfExampleIsThere() throws IOException {
    assertThat(examples().map(file -> file.getFileName().toString()))
        .contains(
            "sink-minimal.json",
            "source-minimal.json",
            "sink-tls.json",
            "source-mutual-tls.json",
            "sink-oauth2.json",
            "sink-dead-letter-topic.json",
            "sink-per-topic-routing.json",
            "sink-declared-quorum.json",
            "source-stream.json",
            "sink-migrated.json",
            "source-migrated.json");
  }

  @ParameterizedTest
  @ValueSource(strings = {"sink-minimal.json", "source-minimal.json"})
  void theReadmeShowsTheMinimalExamplesAsTheyAre(String name) throws IOException {
    assertThat(Files.readString(Checkout.root().resolve("README.md")))
        .contains("```json\n" + Files.readString(FOLDER.resolve(name)) + "```\n");
  }

  @ParameterizedTest
  @ValueSource(strings = {"connect-distributed.properties", "connect-standalone.properties"})
  void workersGetTheSecretsThatTheExamplesName(String name) throws IOException {
    Properties worker = new Properties();
    try (Reader reader = Files.newBufferedReader(FOLDER.resolve(name))) {
      worker.load(reader);
    }

    assertThat(worker.getProperty("config.providers")).isEqualTo("file");
    assertThat(worker.getProperty("config.providers.file.param.allowed.paths"))
        .isEqualTo("/etc/kafka-connect/secrets");
    assertThat(worker.stringPropertyNames())
        .contains("bootstrap.servers", "plugin.path", "key.converter", "value.converter");
  }

  @Test
  void theManifestsOfConnectorsAreValid() throws IOException {
    List<JsonNode> connectors = KubernetesTest.manifests("kafka-connector.yaml");
    JsonNode cluster = KubernetesTest.manifests("kafka-connect.yaml").get(0);

    assertThat(connectors).hasSize(2);
    for (JsonNode connector : connectors) {
      assertThat(connector.path("kind").asText()).isEqualTo("KafkaConnector");
      assertThat(connector.path("metadata").path("labels").path("strimzi.io/cluster"))
          .isEqualTo(cluster.path("metadata").path("name"));
      Map<String, String> config =
          JSON.convertValue(
              connector.path("spec").path("config"),
              new TypeReference<LinkedHashMap<String, String>>() {});
      config.put("connector.class", connector.path("spec").path("class").asText());
      config.put("tasks.max", connector.path("spec").path("tasksMax").asText());
      assertThat(errors(config)).isEmpty();
    }
  }

  private static Map<String, List<String>> errors(Map<String, String> example) {
    Map<String, String> resolved = new LinkedHashMap<>();
    example.forEach((key, value) -> resolved.put(key, resolved(value)));
    Map<String, List<String>> errors = new LinkedHashMap<>();
    for (ConfigValue value :
        connector(resolved.get("connector.class")).validate(resolved).configValues()) {
      if (!value.errorMessages().isEmpty()) {
        errors.put(value.name(), value.errorMessages());
      }
    }
    return errors;
  }

  /** What a worker's config provider and a mounted secret would give. */
  private static String resolved(String value) {
    return value
        .replaceAll("^\\$\\{(file|secrets):.*}$", Certificates.PASSWORD)
        .replace("/etc/kafka-connect/secrets", secrets.toString())
        .replace("/mnt/rabbitmq-authority", secrets.toString());
  }

  private static Connector connector(String className) {
    return Stream.concat(
            ServiceLoader.load(SinkConnector.class).stream(),
            ServiceLoader.load(SourceConnector.class).stream())
        .filter(provider -> provider.type().getName().equals(className))
        .map(provider -> (Connector) provider.get())
        .findFirst()
        .orElseThrow(() -> new IllegalArgumentException(className));
  }
}
