// SPDX-License-Identifier: Apache-2.0
package dev.rabbitbridge.harness.image;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;
import static org.awaitility.Awaitility.await;

import dev.rabbitbridge.harness.Checkout;
import dev.rabbitbridge.harness.Mode;
import dev.rabbitbridge.harness.connect.ConnectRest;
import dev.rabbitbridge.harness.kafka.KafkaClient;
import dev.rabbitbridge.harness.metrics.Scrape;
import dev.rabbitbridge.harness.node.DockerEngine;
import dev.rabbitbridge.harness.node.Endpoint;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** The image and the compose file, as a user starts them. */
class ComposeIT {
  private static final Duration LONG = Duration.ofMinutes(2);

  @Test
  void everythingComesUpMovesRecordsOutlivesAKillOfRabbitMQAndGoesDownClean() {
    assumeThat(Mode.chosen()).as("skipped: runs with -Dharness=docker").isEqualTo(Mode.DOCKER);
    assumeThat(
            DockerEngine.canRun(DockerEngine.RABBITMQ, DockerEngine.kafka(Checkout.kafkaVersion())))
        .as("skipped: no Docker engine that has or can fetch the images of RabbitMQ and Kafka")
        .isTrue();
    Optional<List<String>> command = Compose.installed();
    assumeThat(command)
        .as("skipped: neither 'docker compose' nor docker-compose is installed")
        .isPresent();
    Compose compose = new Compose(command.orElseThrow());

    try (compose) {
      compose.up();
      moveRecords(compose);
    }

    assertThat(compose.left()).isEmpty();
  }

  private static void moveRecords(Compose compose) {
    ConnectRest rest = new ConnectRest(new Endpoint("localhost", compose.port("CONNECT_PORT")));
    await().atMost(LONG).until(() -> rest.connectors().size() == 2);
    rest.awaitRunning("orders-sink", 1);
    rest.awaitRunning("orders-source", 1);
    assertThat(compose.inspect("connect", "{{.State.Health.Status}}")).isEqualTo("healthy");
    assertThat(compose.docker("exec", "connect", "id", "-u")).isEqualTo("1000");

    try (KafkaClient kafka = new KafkaClient("localhost:" + compose.port("KAFKA_PORT"))) {
      kafka.produce("orders", orders(0, 1000));
      await().atMost(LONG).until(() -> kafka.values("orders-back").size() >= 1000);

      compose.docker("kill", "rabbitmq");
      kafka.produce("orders", orders(1000, 2000));
      Scrape scrape = new Scrape(new Endpoint("localhost", compose.port("METRICS_PORT")));
      await()
          .atMost(LONG)
          .untilAsserted(
              () -> {
                assertThat(scrape.read().get("kafka_connect_plugins_connected")).containsOnly(0.0);
                assertThat(scrape.read().get("kafka_connect_plugins_pending"))
                    .allMatch(pending -> pending >= 1000);
              });
      compose.docker("start", "rabbitmq");

      await()
          .atMost(LONG)
          .untilAsserted(
              () ->
                  assertThat(new HashSet<>(kafka.values("orders-back")))
                      .containsExactlyInAnyOrderElementsOf(orders(0, 2000)));
      rest.awaitRunning("orders-sink", 1);
      rest.awaitRunning("orders-source", 1);
    }
  }

  private static List<String> orders(int from, int to) {
    return IntStream.range(from, to).mapToObj(i -> "order " + i).toList();
  }
}
