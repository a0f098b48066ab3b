// SPDX-License-Identifier: Apache-2.0
package dev.rabbitbridge.harness.build;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.rabbitmq.client.impl.AMQConnection;
import dev.rabbitbridge.harness.Checkout;
import dev.rabbitbridge.harness.Scenario;
import dev.rabbitbridge.harness.connect.ConnectRest;
import dev.rabbitbridge.harness.connect.Worker;
import dev.rabbitbridge.harness.connect.WorkerSettings;
import dev.rabbitbridge.harness.node.Endpoint;
import dev.rabbitbridge.harness.rabbitmq.QueueKind;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.zip.ZipEntry;
import java.util.zip.ZipOutputStream;
import org.apache.kafka.connect.sink.SinkConnector;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What real workers make of the unpacked archive. */
class WorkerPluginIT {
  private static final String SINK = "dev.rabbitbridge.sink.RabbitMQSinkConnector";
  private static final String SOURCE = "dev.rabbitbridge.source.RabbitMQSourceConnector";
  private static final String ANOTHER = AnotherSinkConnector.class.getName();

  @RegisterExtension final Scenario scenario = new Scenario();

  @TempDir Path folder;

  // F92
  @ParameterizedTest
  @ValueSource(strings = {"only_scan", "hybrid_warn", "hybrid_fail", "service_load"})
  void everyWayToDiscoverPluginsFindsBothConnectors(String discovery) {
    Worker worker =
        scenario.newWorker(
            WorkerSettings.of(scenario.name("group")).with("plugin.discovery", discovery));

    JsonNode sink = worker.rest().plugin(SINK);
    JsonNode source = worker.rest().plugin(SOURCE);
    assertThat(sink.path("type").asText()).isEqualTo("sink");
    assertThat(sink.path("version").asText()).isEqualTo(Checkout.version());
    assertThat(source.path("type").asText()).isEqualTo("source");
    assertThat(source.path("version").asText()).isEqualTo(Checkout.version());
    // What hybrid modes say when nothing is missing.
    assertThat(worker.logLines("\\b(WARN|ERROR)\\b"))
        .filteredOn(line -> !line.contains("All plugins have ServiceLoader manifests"))
        .noneMatch(line -> line.contains("rabbit") || line.contains(".isolation."));
  }

  // F93
  @Test
  void aPluginWithAnotherClientOfRabbitMQKeepsItsOwnAndLeavesUsOurs() throws IOException {
    Worker worker =
        scenario.newWorker(WorkerSettings.of(scenario.name("group")).withPlugin(anotherPlugin()));
    ConnectRest rest = worker.rest();
    String topic = scenario.topic(1);
    String queue = scenario.queue(QueueKind.QUORUM);
    Endpoint broker = scenario.rabbitMQ().amqpFromWorker();
    String another = scenario.name("another");
    String ours = scenario.name("ours");

    rest.put(
        another,
        Map.of(
            "connector.class",
            ANOTHER,
            "topics",
            topic,
            AnotherSinkConnector.URI_CONFIG,
            "amqp://%s:%s@%s"
                .formatted(
                    scenario.rabbitMQ().username(), scenario.rabbitMQ().password(), broker)));
    scenario.atEnd(() -> rest.delete(another));
    rest.put(ours, scenario.sink(topic, queue));
    scenario.atEnd(() -> rest.delete(ours));
    rest.awaitRunning(another, 1);
    rest.awaitRunning(ours, 1);
    scenario.kafka().client().produce(topic, List.of("one", "two"));

    Awaitility.await()
        .atMost(Duration.ofSeconds(30))
        .untilAsserted(() -> assertThat(scenario.amqp().ready(queue)).isEqualTo(2));
    String theirVersion = System.getProperty("other-amqp-client.version");
    String ourVersion = AMQConnection.defaultClientProperties().get("version").toString();
    assertThat(theirVersion).isNotEqualTo(ourVersion);
    assertThat(rest.plugin(ANOTHER).path("version").asText()).isEqualTo(theirVersion);
    Awaitility.await()
        .atMost(Duration.ofSeconds(10))
        .untilAsserted(
            () ->
                assertThat(clientVersions())
                    .containsEntry(another, theirVersion)
                    .containsEntry(ours + "-0", "RabbitMQ Java client " + ourVersion));
  }

  /** Returns the versions of the clients that are connected, by the names of their connections. */
  private Map<String, String> clientVersions() {
    Map<String, String> versions = new TreeMap<>();
    for (JsonNode connection : scenario.rabbitMQ().management().connections()) {
      JsonNode client = connection.path("client_properties");
      String version = client.path("client").asText(client.path("version").asText());
      versions.put(client.path("connection_name").asText(), version);
    }
    return versions;
  }

  private Path anotherPlugin() throws IOException {
    Path plugin = Files.createDirectory(folder.resolve("another"));
    Files.copy(Path.of("target/other-client/amqp-client.jar"), plugin.resolve("amqp-client.jar"));
    try (OutputStream file = Files.newOutputStream(plugin.resolve("another.jar"));
        ZipOutputStream jar = new ZipOutputStream(file)) {
      add(jar, AnotherSinkConnector.class);
      add(jar, AnotherSinkTask.class);
      jar.putNextEntry(new ZipEntry("META-INF/services/" + SinkConnector.class.getName()));
      jar.write(ANOTHER.getBytes(StandardCharsets.UTF_8));
    }
    return plugin;
  }

  private static void add(ZipOutputStream jar, Class<?> type) throws IOException {
    String name = type.getName().replace('.', '/') + ".class";
    try (InputStream file = type.getClassLoader().getResourceAsStream(name)) {
      jar.putNextEntry(new ZipEntry(name));
      file.transferTo(jar);
    }
  }
}
