// SPDX-License-Identifier: Apache-2.0
package dev.rabbitbridge.harness.docs;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.dataformat.yaml.YAMLFactory;
import com.networknt.schema.JsonSchemaFactory;
import com.networknt.schema.SpecVersion;
import com.networknt.schema.ValidationMessage;
import dev.rabbitbridge.harness.Checkout;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The manifests of {@code config/kubernetes} against Strimzi's schemas. */
class KubernetesTest {
  private static final Path FOLDER = Checkout.root().resolve("config/kubernetes");
  private static final ObjectMapper YAML = new ObjectMapper(new YAMLFactory());
  private static final Pattern SECRET = Pattern.compile("\\$\\{secrets:([^/]+)/([^:]+):[^}]+}");

  static Stream<JsonNode> strimziManifests() throws IOException {
    List<JsonNode> manifests = new ArrayList<>();
    try (Stream<Path> files = Files.list(FOLDER)) {
      for (Path file : files.sorted().toList()) {
        manifests.addAll(manifests(file.getFileName().toString()));
      }
    }
    return manifests.stream().filter(m -> m.path("apiVersion").asText().contains("strimzi"));
  }

  @ParameterizedTest
  @MethodSource("strimziManifests")
  void everyManifestFitsTheSchemaOfItsKind(JsonNode manifest) throws IOException {
    assertThat(manifest.path("apiVersion").asText()).isEqualTo("kafka.strimzi.io/v1");
    assertThat(errors(manifest)).isEmpty();
  }

  @Test
  void misspeltAndMissingFieldsAreNoticed() throws IOException {
    JsonNode cluster = manifests("kafka-connect.yaml").get(0).deepCopy();
    ObjectNode spec = (ObjectNode) cluster.path("spec");
    spec.set("groupid", spec.remove("groupId"));

    assertThat(errors(cluster)).hasSize(2);
  }

  @Test
  void bothWaysToInstallThePluginAreThere() throws IOException {
    JsonNode built = manifests("kafka-connect.yaml").get(0).path("spec");
    JsonNode mounted = manifests("kafka-connect-image-volume.yaml").get(0).path("spec");
    JsonNode archive = built.path("build").path("plugins").path(0).path("artifacts").path(0);

    assertThat(archive.path("type").asText()).isEqualTo("zip");
    assertThat(archive.path("url").asText()).endsWith(Checkout.archive().getFileName().toString());
    assertThat(mounted.path("plugins").findValuesAsText("reference"))
        .singleElement()
        .asString()
        .endsWith(":" + Checkout.version());
  }

  @Test
  void exceptForThePluginBothClustersAreTheSame() throws IOException {
    ObjectNode built = manifests("kafka-connect.yaml").get(0).deepCopy();
    ObjectNode mounted = manifests("kafka-connect-image-volume.yaml").get(0).deepCopy();
    ((ObjectNode) built.path("spec")).remove("build");
    ((ObjectNode) mounted.path("spec")).remove("plugins");

    assertThat(mounted).isEqualTo(built);
  }

  @Test
  void passwordsComeFromSecretsThatTheWorkersMayRead() throws IOException {
    List<JsonNode> role = manifests("secrets-role.yaml");
    String namespace = role.get(0).path("metadata").path("namespace").asText();
    JsonNode readable = role.get(0).path("rules").path(0).path("resourceNames");
    String cluster = manifests("kafka-connect.yaml").get(0).path("metadata").path("name").asText();

    for (JsonNode connector : manifests("kafka-connector.yaml")) {
      Matcher secret =
          SECRET.matcher(connector.path("spec").path("config").path("rabbitmq.password").asText());
      assertThat(secret.matches()).isTrue();
      assertThat(secret.group(1)).isEqualTo(namespace);
      assertThat(readable).extracting(JsonNode::asText).contains(secret.group(2));
    }
    JsonNode binding = role.get(1);
    assertThat(binding.path("metadata").path("namespace").asText()).isEqualTo(namespace);
    assertThat(binding.path("roleRef").path("name"))
        .isEqualTo(role.get(0).path("metadata").path("name"));
    assertThat(binding.path("subjects").path(0).path("name").asText())
        .isEqualTo(cluster + "-connect");
  }

  static List<JsonNode> manifests(String name) throws IOException {
    try (var parser = new YAMLFactory().createParser(FOLDER.resolve(name).toFile());
        var documents = YAML.<JsonNode>readValues(parser, JsonNode.class)) {
      return documents.readAll();
    }
  }

  private static Set<ValidationMessage> errors(JsonNode manifest) throws IOException {
    String resource = "/strimzi/" + manifest.path("kind").asText() + ".yaml";
    try (InputStream file = KubernetesTest.class.getResourceAsStream(resource)) {
      JsonNode schema = YAML.readTree(file);
      forbidUnknownFields(schema);
      return JsonSchemaFactory.getInstance(SpecVersion.VersionFlag.V4)
          .getSchema(schema)
          .validate(manifest);
    }
  }

  /** Kubernetes drops what a schema does not name; here it is an error. */
  private static void forbidUnknownFields(JsonNode schema) {
    if (schema.path("properties").isObject()
        && schema.path("additionalProperties").isMissingNode()
        && !schema.path("x-kubernetes-preserve-unknown-fields").asBoolean()) {
      ((ObjectNode) schema).put("additionalProperties", false);
    }
    for (Map.Entry<String, JsonNode> field : schema.properties()) {
      // The branches of oneOf only say which of the fields go together.
      if (!field.getKey().equals("oneOf")) {
        forbidUnknownFields(field.getValue());
      }
    }
  }
}
