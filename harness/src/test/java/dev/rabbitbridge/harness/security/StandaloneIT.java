// SPDX-License-Identifier: Apache-2.0
package dev.rabbitbridge.harness.security;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.fasterxml.jackson.core.type.TypeReference;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.rabbitbridge.harness.Checkout;
import dev.rabbitbridge.harness.Mode;
import dev.rabbitbridge.harness.Scenario;
import dev.rabbitbridge.harness.connect.ConnectRest;
import dev.rabbitbridge.harness.connect.PluginFolder;
import dev.rabbitbridge.harness.node.Endpoint;
import dev.rabbitbridge.harness.node.FreePorts;
import dev.rabbitbridge.harness.node.Java;
import dev.rabbitbridge.harness.node.LocalNode;
import dev.rabbitbridge.harness.rabbitmq.QueueKind;
import java.io.IOException;
import java.io.Reader;
import java.io.Writer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** The example of a worker without a cluster, with connectors from files. */
class StandaloneIT {
  private static final ObjectMapper JSON = new ObjectMapper();

  @RegisterExtension final Scenario scenario = new Scenario();

  @TempDir Path folder;

  @Test
  void theStandaloneWorkerRunsConnectorsFromItsCommandLine() throws IOException {
    assumeTrue(Mode.chosen() == Mode.LOCAL, "runs Kafka's own start class on this machine");
    Endpoint rest = new Endpoint("127.0.0.1", FreePorts.next());
    String queue = scenario.queue(QueueKind.CLASSIC);
    String in = scenario.topic(1);
    String out = scenario.topic(1);
    Map<String, String> sink = example("sink-minimal.json");
    sink.put("topics", in);
    sink.put("rabbitmq.routing.key", queue);
    Map<String, String> source = example("source-minimal.json");
    source.put("rabbitmq.queue", queue);
    source.put("kafka.topic", out);
    List<String> command =
        Java.command(
            Checkout.libs(Checkout.kafkaVersion()),
            List.of("-Xmx256m"),
            "org.apache.kafka.connect.cli.ConnectStandalone",
            worker(rest).toString(),
            properties("sink", sink).toString(),
            json("source", source).toString());
    LocalNode worker = scenario.atEnd(new LocalNode("standalone", folder, command, Map.of(), ""));
    worker.start();

    ConnectRest connectors = new ConnectRest(rest);
    await()
        .atMost(Duration.ofMinutes(1))
        .ignoreExceptions()
        .until(() -> connectors.connectors().size() == 2);
    connectors.awaitRunning("sink", 1);
    connectors.awaitRunning("source", 1);
    scenario.kafka().client().produce(in, List.of("one"));
    await()
        .atMost(Duration.ofMinutes(1))
        .until(() -> scenario.kafka().client().values(out).equals(List.of("one")));
    assertThat(connectors.get("/connectors/sink/config").toString())
        .contains("${file:")
        .doesNotContain("\"rabbitmq.password\":\"" + scenario.rabbitMQ().password() + "\"");
  }

  /** The example as it ships, but for where its files and servers are. */
  private Path worker(Endpoint rest) throws IOException {
    Path plugins = PluginFolder.fill(Checkout.archive(), List.of(), folder.resolve("plugins"));
    Properties worker = new Properties();
    try (Reader reader =
        Files.newBufferedReader(Checkout.root().resolve("config/connect-standalone.properties"))) {
      worker.load(reader);
    }
    assertThat(worker).containsKey("offset.storage.file.filename");
    worker.setProperty("bootstrap.servers", scenario.kafka().bootstrapFromWorker());
    worker.setProperty("offset.storage.file.filename", folder.resolve("offsets").toString());
    worker.setProperty("plugin.path", plugins.toString());
    worker.setProperty("listeners", "http://" + rest);
    worker.setProperty("config.providers.file.param.allowed.paths", folder.toString());
    return store("worker", worker);
  }

  private Map<String, String> example(String name) throws IOException {
    Map<String, String> example =
        JSON.readValue(
            Checkout.root().resolve("config").resolve(name).toFile(),
            new TypeReference<LinkedHashMap<String, String>>() {});
    example.putAll(scenario.broker());
    Properties secrets = new Properties();
    secrets.setProperty("password", scenario.rabbitMQ().password());
    example.put("rabbitmq.password", "${file:" + store("secrets", secrets) + ":password}");
    return example;
  }

  private Path properties(String connector, Map<String, String> config) throws IOException {
    Properties properties = new Properties();
    properties.putAll(config);
    properties.setProperty("name", connector);
    return store(connector, properties);
  }

  private Path json(String connector, Map<String, String> config) throws IOException {
    Path file = folder.resolve(connector + ".json");
    config.put("name", connector);
    JSON.writeValue(file.toFile(), config);
    return file;
  }

  private Path store(String name, Properties properties) throws IOException {
    Path file = folder.resolve(name + ".properties");
    try (Writer writer = Files.newBufferedWriter(file)) {
      properties.store(writer, null);
    }
    return file;
  }
}
