// SPDX-License-Identifier: Apache-2.0
package dev.rabbitbridge.harness.sink;

import static dev.rabbitbridge.harness.sink.Sinks.awaitAllCommitted;
import static dev.rabbitbridge.harness.sink.Sinks.record;
import static dev.rabbitbridge.harness.sink.Sinks.texts;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.core.type.TypeReference;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.rabbitbridge.harness.Checkout;
import dev.rabbitbridge.harness.Scenario;
import dev.rabbitbridge.harness.rabbitmq.Amqp;
import dev.rabbitbridge.harness.rabbitmq.Management;
import dev.rabbitbridge.harness.rabbitmq.QueueKind;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** The sink's examples of {@code config/}, run as they are but for the address of the broker. */
class SinkExamplesIT {
  private static final Pattern PERMISSIONS =
      Pattern.compile("set_permissions bridge '([^']*)' '([^']*)' '([^']*)'");

  @RegisterExtension final Scenario scenario = new Scenario();
  private Management vhost;

  @BeforeEach
  void ownVirtualHost() {
    vhost = scenario.vhost();
    vhost.grant(scenario.rabbitMQ().username(), ".*", ".*", ".*");
  }

  @Test
  void minimalWithThePermissionsThatTheReadmeGivesItsUser() throws IOException {
    vhost.declareQueue("orders", QueueKind.QUORUM, Map.of());
    String user = scenario.user("secret");
    Matcher permissions =
        PERMISSIONS.matcher(Files.readString(Checkout.root().resolve("README.md")));
    assertThat(permissions.find()).isTrue();
    vhost.grant(user, permissions.group(1), permissions.group(2), permissions.group(3));
    topic("orders");
    Map<String, String> config = example("sink-minimal");
    config.put("rabbitmq.username", user);
    config.put("rabbitmq.password", "secret");
    String sink = run(config);

    scenario.kafka().client().produce("orders", List.of("one", "two"));

    awaitAllCommitted(scenario, sink, "orders");
    assertThat(delivered("orders")).containsExactly("one", "two");
  }

  @Test
  void deadLetterTopic() throws IOException {
    topic("orders.dead");
    String sink = run("sink-dead-letter-topic", "orders");

    scenario.kafka().client().produce("orders", List.of("nobody takes it"));

    awaitAllCommitted(scenario, sink, "orders");
    assertThat(scenario.kafka().client().values("orders.dead")).containsExactly("nobody takes it");
  }

  @Test
  void perTopicRouting() throws IOException {
    for (String queue : List.of("eu", "us", "audit")) {
      vhost.declareQueue(queue, QueueKind.QUORUM, Map.of());
    }
    vhost.declareExchange("events", "topic", Map.of());
    vhost.bind("events", "eu", "*.eu");
    vhost.bind("events", "us", "orders.us");
    String sink = run("sink-per-topic-routing", "orders", "invoices", "audit");

    String toUs = "{\"customer\":{\"region\":\"us\"}}";
    scenario
        .kafka()
        .client()
        .produce(
            List.of(
                record("orders", "k", toUs),
                record("invoices", null, "{\"total\":5}"),
                record("audit", "k", "{\"who\":\"me\"}")));

    awaitAllCommitted(scenario, sink, "orders", "invoices", "audit");
    assertThat(delivered("us")).containsExactly(toUs);
    assertThat(delivered("eu")).containsExactly("{\"total\":5}");
    assertThat(delivered("audit")).containsExactly("{\"who\":\"me\"}");
  }

  @Test
  void declaredQuorumTopology() throws IOException {
    String sink = run("sink-declared-quorum", "orders");

    scenario.kafka().client().produce("orders", List.of("one"));

    awaitAllCommitted(scenario, sink, "orders");
    assertThat(vhost.queue("orders.declared").path("type").asText()).isEqualTo("quorum");
    assertThat(delivered("orders.declared")).containsExactly("one");
  }

  private String run(String example, String... topics) throws IOException {
    for (String topic : topics) {
      topic(topic);
    }
    return run(example(example));
  }

  private String run(Map<String, String> config) {
    String sink = scenario.put(config);
    scenario.worker().rest().awaitRunning(sink, Integer.parseInt(config.get("tasks.max")));
    return sink;
  }

  private Map<String, String> example(String name) throws IOException {
    Map<String, String> config =
        new HashMap<>(
            new ObjectMapper()
                .readValue(
                    Checkout.root().resolve("config/" + name + ".json").toFile(),
                    new TypeReference<Map<String, String>>() {}));
    config.putAll(scenario.broker());
    config.put("rabbitmq.virtual.host", vhost.vhost());
    return config;
  }

  private void topic(String name) {
    scenario.kafka().client().createTopic(name, 1);
    scenario.atEnd(() -> scenario.kafka().client().deleteTopics(List.of(name)));
  }

  private List<String> delivered(String queue) {
    URI ours = scenario.rabbitMQ().uri();
    URI theirs = URI.create("amqp://" + ours.getRawAuthority() + "/" + vhost.vhost());
    try (Amqp amqp = Amqp.connect(theirs)) {
      return texts(amqp.drain(queue));
    }
  }
}
