// SPDX-License-Identifier: Apache-2.0
package dev.rabbitbridge.harness.security;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.core.type.TypeReference;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.rabbitmq.client.ConnectionFactory;
import dev.rabbitbridge.harness.Checkout;
import dev.rabbitbridge.harness.Scenario;
import dev.rabbitbridge.harness.connect.Worker;
import dev.rabbitbridge.harness.connect.WorkerSettings;
import dev.rabbitbridge.harness.kafka.KafkaClient;
import dev.rabbitbridge.harness.rabbitmq.Management;
import dev.rabbitbridge.harness.rabbitmq.QueueKind;
import dev.rabbitbridge.tls.Certificates;
import java.io.IOException;
import java.io.Reader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Runs every example on a worker with the example properties, secrets from a file. */
class ExamplesIT {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final String PASSWORD = "p4ssword-marker";
  private static final String MINE = "-of-example";

  /** What an example calls its topics, queues and exchanges. */
  private static final Pattern NAMES =
      Pattern.compile(
          "\\b(orders|invoices|audit|events|clicks|myqueue|exchange1|rabbitmq-messages)\\b");

  @RegisterExtension final Scenario scenario = new Scenario();

  private SecureBroker broker;
  private TokenEndpoint tokens;
  private Path secrets;

  @BeforeEach
  void prepare() throws Exception {
    broker = SecureBroker.of(scenario);
    tokens = scenario.atEnd(new TokenEndpoint());
    secrets = Files.createDirectories(scenario.harness().folder().resolve("secrets"));
    Certificates certificates = broker.certificates();
    Files.writeString(secrets.resolve("authority.pem"), certificates.authorityPem());
    copy(certificates.trustStore("PKCS12"), "trust.p12");
    copy(certificates.keyStore("bridge", "PKCS12"), "bridge.p12");
    Files.writeString(
        secrets.resolve("rabbitmq.properties"),
        """
        password=%s
        truststore.password=%s
        keystore.password=%s
        client.secret=%s
        """
            .formatted(
                PASSWORD, Certificates.PASSWORD, Certificates.PASSWORD, TokenEndpoint.SECRET));
    broker.rabbitMQ().management().createUser("bridge", PASSWORD);
    Management shop = broker.rabbitMQ().management().in("shop");
    shop.createVhost();
    shop.grant("bridge", ".*", ".*", ".*");
  }

  @Test
  void everyExampleRuns() throws Exception {
    Worker worker = scenario.newWorker(exampleWorker());
    Map<String, Map<String, String>> examples = new LinkedHashMap<>();
    for (Path file : examples()) {
      String name = file.getFileName().toString().replace(".json", "");
      examples.put(name, adapted(file, examples.size()));
    }
    assertThat(examples).hasSizeGreaterThanOrEqualTo(11);

    for (Map.Entry<String, Map<String, String>> example : examples.entrySet()) {
      prepareServers(example.getValue());
      assertThat(worker.rest().validate(example.getValue()).errors())
          .as(example.getKey())
          .isEmpty();
      worker.rest().put(example.getKey(), example.getValue());
    }

    for (Map.Entry<String, Map<String, String>> example : examples.entrySet()) {
      worker
          .rest()
          .awaitRunning(example.getKey(), Integer.parseInt(example.getValue().get("tasks.max")));
      if (example.getValue().containsKey("topics")) {
        awaitConfirmed(example.getKey(), example.getValue());
      } else {
        awaitProduced(example.getValue());
      }
    }
    assertThat(broker.ready(declaredQueue(examples.get("sink-declared-quorum")))).isEqualTo(1);
  }

  private static List<Path> examples() throws IOException {
    try (Stream<Path> files = Files.list(Checkout.root().resolve("config"))) {
      return files.filter(file -> file.toString().endsWith(".json")).sorted().toList();
    }
  }

  /** Points an example at the servers of this test, and gives what it names names of its own. */
  private Map<String, String> adapted(Path file, int number) throws IOException {
    Map<String, String> example =
        JSON.readValue(file.toFile(), new TypeReference<LinkedHashMap<String, String>>() {});
    boolean tls = "SSL".equals(example.get("rabbitmq.security.protocol"));
    String port = Integer.toString(tls ? broker.port() : broker.plainPort());
    example.replaceAll(
        (key, value) ->
            key.startsWith("connector.") || key.contains("converter") || key.contains("oauth2")
                ? value
                : NAMES.matcher(value).replaceAll("$1" + MINE + number));
    example.replaceAll((key, value) -> value.replace("/etc/kafka-connect/secrets", secrets + ""));
    example.replaceAll((key, value) -> value.equals("change-me") ? PASSWORD : value);
    example.put("rabbitmq.host", "localhost");
    example.put("rabbitmq.port", port);
    example.computeIfPresent("rabbitmq.addresses", (key, value) -> "localhost:" + port);
    if (example.containsKey("rabbitmq.oauth2.client.id")) {
      Map<String, String> settings = tokens.settings();
      example.put("rabbitmq.oauth2.client.id", TokenEndpoint.CLIENT);
      example.put(
          "rabbitmq.oauth2.token.endpoint.uri", settings.get("rabbitmq.oauth2.token.endpoint.uri"));
      example.put("rabbitmq.ssl.truststore.type", "PEM");
      example.put("rabbitmq.ssl.truststore.location", secrets + "/authority.pem");
    }
    return example;
  }

  /** Makes what the example expects to be there. */
  private void prepareServers(Map<String, String> example) throws Exception {
    Management vhost =
        broker.rabbitMQ().management().in(example.getOrDefault("rabbitmq.virtual.host", "/"));
    String exchange = example.getOrDefault("rabbitmq.exchange", "");
    if (example.containsKey("kafka.topic")) {
      boolean stream = "stream".equals(example.get("rabbitmq.queue.type"));
      vhost.declareQueue(
          example.get("rabbitmq.queue"), stream ? QueueKind.STREAM : QueueKind.CLASSIC, Map.of());
      scenario.kafka().client().createTopic(example.get("kafka.topic"), 1);
      return;
    }
    for (String topic : topics(example)) {
      scenario.kafka().client().createTopic(topic, 1);
    }
    if (example.containsKey("errors.deadletterqueue.topic.name")) {
      scenario.kafka().client().createTopic(example.get("errors.deadletterqueue.topic.name"), 1);
    }
    if (example.containsKey("rabbitmq.topology")) {
      return;
    }
    String queue = exchange.isEmpty() ? example.get("rabbitmq.routing.key") : exchange + "-queue";
    vhost.declareQueue(queue, QueueKind.CLASSIC, Map.of());
    if (!exchange.isEmpty()) {
      vhost.declareExchange(exchange, "topic", Map.of());
      vhost.bind(exchange, queue, "#");
    }
    if (example.containsKey("rabbitmq.topic.queue.map")) {
      Map<String, String> map =
          JSON.readValue(
              example.get("rabbitmq.topic.queue.map"), new TypeReference<Map<String, String>>() {});
      map.values().forEach(mapped -> vhost.declareQueue(mapped, QueueKind.CLASSIC, Map.of()));
    }
  }

  private static String declaredQueue(Map<String, String> example) {
    return example.get("rabbitmq.topology.queue");
  }

  private static List<String> topics(Map<String, String> example) {
    return Pattern.compile(",").splitAsStream(example.get("topics")).toList();
  }

  private void awaitConfirmed(String connector, Map<String, String> example) {
    KafkaClient kafka = scenario.kafka().client();
    List<String> topics = topics(example);
    topics.forEach(topic -> kafka.produce(topic, List.of("{\"customer\":{\"region\":\"eu\"}}")));
    await()
        .atMost(Duration.ofSeconds(60))
        .untilAsserted(
            () ->
                assertThat(kafka.committedBySink(connector).values())
                    .as(connector)
                    .hasSize(topics.size())
                    .containsOnly(1L));
  }

  private void awaitProduced(Map<String, String> example) throws Exception {
    ConnectionFactory factory = new ConnectionFactory();
    factory.setPort(broker.plainPort());
    factory.setUsername("bridge");
    factory.setPassword(PASSWORD);
    factory.setVirtualHost(example.getOrDefault("rabbitmq.virtual.host", "/"));
    try (var connection = factory.newConnection();
        var channel = connection.createChannel()) {
      channel.confirmSelect();
      channel.basicPublish(
          "", example.get("rabbitmq.queue"), null, "one".getBytes(StandardCharsets.UTF_8));
      channel.waitForConfirmsOrDie(10_000);
    }
    await()
        .atMost(Duration.ofSeconds(60))
        .until(
            () ->
                scenario
                    .kafka()
                    .client()
                    .values(example.get("kafka.topic"))
                    .equals(List.of("one")));
  }

  private Properties example(String name) throws IOException {
    Properties properties = new Properties();
    try (Reader reader = Files.newBufferedReader(Checkout.root().resolve("config").resolve(name))) {
      properties.load(reader);
    }
    properties.replaceAll(
        (key, value) -> value.toString().replace("/etc/kafka-connect/secrets", secrets.toString()));
    return properties;
  }

  private WorkerSettings exampleWorker() throws IOException {
    Properties file = example("connect-distributed.properties");
    WorkerSettings settings = WorkerSettings.of(scenario.name("examples"));
    for (String key : file.stringPropertyNames()) {
      boolean ofTheHarness =
          key.matches("bootstrap.servers|group.id|plugin.path|listeners|offset.flush.*")
              || key.contains(".storage.");
      if (!ofTheHarness) {
        settings = settings.with(key, file.getProperty(key));
      }
    }
    return settings;
  }

  private void copy(Path file, String name) throws IOException {
    Files.write(secrets.resolve(name), Files.readAllBytes(file));
  }
}
