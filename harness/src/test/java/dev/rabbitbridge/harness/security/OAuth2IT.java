// SPDX-License-Identifier: Apache-2.0
package dev.rabbitbridge.harness.security;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.rabbitbridge.harness.Scenario;
import dev.rabbitbridge.harness.rabbitmq.QueueKind;
import java.io.IOException;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

class OAuth2IT {
  private static final int LIFE_SECONDS = 8;

  @RegisterExtension final Scenario scenario = new Scenario();

  private TokenBroker broker;
  private TokenEndpoint endpoint;
  private String topic;
  private String queue;

  @BeforeEach
  void prepare() throws IOException {
    broker = TokenBroker.of(scenario);
    endpoint = scenario.atEnd(new TokenEndpoint());
    endpoint.lifeSeconds(LIFE_SECONDS);
    topic = scenario.topic(1);
    queue = scenario.name("queue");
    broker.rabbitMQ().management().declareQueue(queue, QueueKind.CLASSIC, Map.of());
  }

  @Test
  void messagesFlowAcrossManyTokensAndAReconnect() { // F86
    String through = scenario.topic(1);
    String sink = scenario.running(with(scenario.sink(topic, queue), endpoint.settings()));
    String source = scenario.running(with(scenario.source(queue, through), endpoint.settings()));
    List<String> connections = names();
    int atStart = endpoint.issued().size();
    long updated = updatedSecrets();

    send(through, 0, 2 * LIFE_SECONDS);
    assertThat(names()).as("no reconnect for a new token").isEqualTo(connections);
    assertThat(endpoint.issued().size()).as("tokens for both").isGreaterThanOrEqualTo(atStart + 4);
    assertThat(updatedSecrets() - updated).as("told to RabbitMQ").isGreaterThanOrEqualTo(4);
    broker.rabbitMQ().closeConnections();
    int atReconnect = endpoint.issued().size();
    send(through, 2 * LIFE_SECONDS, 3 * LIFE_SECONDS + 2);

    assertThat(endpoint.issued().size()).isGreaterThanOrEqualTo(atReconnect + 4);
    assertThat(endpoint.issued()).doesNotHaveDuplicates();
    assertThat(scenario.worker().logLines("ACCESS_REFUSED|expired"))
        .noneMatch(line -> line.contains(sink) || line.contains(source));
    scenario.worker().rest().awaitRunning(sink, 1);
    scenario.worker().rest().awaitRunning(source, 1);
  }

  private long updatedSecrets() {
    return broker.rabbitMQ().log().lines().filter(line -> line.contains("updated secret")).count();
  }

  /** One record a second, each seen at the other end before the next. */
  private void send(String through, int from, int to) {
    for (int i = from; i < to; i++) {
      int sent = i + 1;
      scenario.kafka().client().produce(topic, List.of("record-" + i));
      await()
          .atLeast(Duration.ofMillis(900))
          .pollDelay(Duration.ofSeconds(1))
          .atMost(Duration.ofSeconds(30))
          .until(() -> arrived(through) >= sent);
    }
  }

  private long arrived(String through) {
    return scenario.kafka().client().endOffsets(through).values().stream()
        .mapToLong(Long::longValue)
        .sum();
  }

  private List<String> names() {
    await().until(() -> broker.rabbitMQ().management().connections().size() == 2);
    return broker.rabbitMQ().management().connections().stream()
        .map(connection -> connection.path("name").asText())
        .sorted()
        .toList();
  }

  @Test
  void anEndpointThatIsDownIsWaitedFor() { // F86
    endpoint.status(503);
    String sink = scenario.running(with(scenario.sink(topic, queue), endpoint.settings()));
    await().until(() -> !scenario.worker().logLines(sink + ".*HTTP status 503").isEmpty());
    scenario.kafka().client().produce(topic, List.of("one"));
    endpoint.status(200);
    await().atMost(Duration.ofSeconds(30)).until(() -> broker.ready(queue) == 1);

    endpoint.status(503);
    broker.rabbitMQ().closeConnections();
    int refused = endpoint.refused();
    await().until(() -> endpoint.refused() > refused + 1);
    scenario.kafka().client().produce(topic, List.of("two"));
    scenario.worker().rest().awaitRunning(sink, 1);
    endpoint.status(200);
    await().atMost(Duration.ofSeconds(30)).until(() -> broker.ready(queue) == 2);
  }

  @Test
  void anEndpointThatRefusesFailsTheTask() {
    Map<String, String> config = with(scenario.source(queue, topic), endpoint.settings());
    config.put("rabbitmq.oauth2.client.secret", "wr0ng");
    String trace = scenario.worker().rest().awaitFailed(scenario.put(config));

    assertThat(trace.lines().findFirst())
        .hasValueSatisfying(
            first ->
                assertThat(first)
                    .contains("HTTP status 401")
                    .contains("rabbitmq.oauth2.client.secret")
                    .doesNotContain("wr0ng"));
  }

  @Test
  void aTokenThatExpiresWithoutASuccessorIsNeverUsed() { // F86
    String through = scenario.topic(1);
    String sink = scenario.running(with(scenario.sink(topic, queue), endpoint.settings()));
    String source = scenario.running(with(scenario.source(queue, through), endpoint.settings()));
    send(through, 0, 1);
    endpoint.status(503);
    for (String connector : List.of(sink, source)) {
      await()
          .atMost(Duration.ofSeconds(2 * LIFE_SECONDS))
          .until(
              () ->
                  !scenario
                      .worker()
                      .logLines("WARN.*" + connector + "-0: the token expires")
                      .isEmpty());
    }
    await().until(() -> broker.rabbitMQ().management().connections().isEmpty());
    scenario.kafka().client().produce(topic, List.of("record-1"));
    endpoint.status(200);

    await().atMost(Duration.ofSeconds(30)).until(() -> arrived(through) == 2);
    scenario.worker().rest().awaitRunning(sink, 1);
    scenario.worker().rest().awaitRunning(source, 1);
    assertThat(scenario.worker().logLines("ACCESS_REFUSED|expired"))
        .noneMatch(line -> line.contains(sink) || line.contains(source));
  }

  @Test
  void aTokenThatRabbitMqDoesNotTakeFailsTheTask() { // F86
    endpoint.ageSeconds(60);
    for (Map<String, String> config :
        List.of(scenario.sink(topic, queue), scenario.source(queue, topic))) {
      String connector = scenario.put(with(config, endpoint.settings()));
      // A sink connects with its first record.
      scenario.kafka().client().produce(topic, List.of("one"));
      String trace = scenario.worker().rest().awaitFailed(connector);

      // What a sink throws has a line of Connect's own before it.
      assertThat(trace.lines().filter(line -> line.contains("RB-C04")).findFirst())
          .hasValueSatisfying(
              sentence ->
                  assertThat(sentence)
                      .contains("rabbitmq.oauth2.token.endpoint.uri")
                      .contains("rabbitmq.oauth2.scope"));
    }
  }

  private Map<String, String> with(Map<String, String> some, Map<String, String> more) {
    Map<String, String> all = new HashMap<>(some);
    all.remove("rabbitmq.username");
    all.remove("rabbitmq.password");
    all.putAll(broker.settings());
    all.putAll(more);
    return all;
  }
}
