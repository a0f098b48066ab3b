// SPDX-License-Identifier: Apache-2.0
package dev.rabbitbridge.harness.security;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.core.type.TypeReference;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.rabbitmq.client.AMQP;
import dev.rabbitbridge.harness.Checkout;
import dev.rabbitbridge.harness.Scenario;
import dev.rabbitbridge.harness.rabbitmq.Message;
import dev.rabbitbridge.harness.rabbitmq.QueueKind;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Date;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Collectors;
import java.util.stream.StreamSupport;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.header.Header;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** What somebody relies on who comes from Confluent's connectors, with only the class changed. */
class MigrationIT {
  @RegisterExtension final Scenario scenario = new Scenario();

  @Test
  void aMigratedSinkWritesWhatTheOldOneWrote() throws IOException {
    String topic = scenario.topic(1);
    String queue = scenario.queue(QueueKind.CLASSIC);
    String exchange = scenario.exchange("direct");
    scenario.rabbitMQ().management().bind(exchange, queue, "rkey1");
    Map<String, String> config = example("sink-migrated.json");
    config.put("topics", topic);
    config.put("rabbitmq.exchange", exchange);
    String connector = scenario.running(config);
    ProducerRecord<byte[], byte[]> record =
        new ProducerRecord<>(topic, 0, bytes("key-1"), bytes("value-1"));
    record.headers().add("colour", bytes("red"));
    scenario.kafka().client().produce(List.of(record));

    await().until(() -> scenario.amqp().ready(queue) == 1);
    Message message = scenario.amqp().get(queue).orElseThrow();
    assertThat(message.text()).isEqualTo("value-1");
    assertThat(message.envelope().getExchange()).isEqualTo(exchange);
    assertThat(message.envelope().getRoutingKey()).isEqualTo("rkey1");
    assertThat(message.properties().getDeliveryMode()).isEqualTo(2);
    assertThat(message.properties().getCorrelationId()).isEqualTo("key-1");
    Map<String, Object> headers = message.properties().getHeaders();
    assertThat(headers.get("KAFKA_TOPIC")).hasToString(topic);
    assertThat(headers.get("KAFKA_PARTITION")).hasToString("0");
    assertThat(headers.get("KAFKA_OFFSET")).hasToString("0");
    assertThat(headers).containsKey("colour");
    List<String> warnings = scenario.worker().logLines("WARN.*RabbitMQSinkConnector");
    for (String ignored :
        List.of(
            "confluent.topic.bootstrap.servers",
            "confluent.topic.replication.factor",
            "rabbitmq.automatic.recovery.enabled",
            "rabbitmq.queue")) {
      assertThat(warnings.stream().filter(line -> line.contains(ignored + " has no meaning")))
          .as("%s of %s", ignored, connector)
          .hasSize(1);
    }
  }

  @Test
  void aMigratedSourceWritesWhatTheOldOneWrote() throws IOException {
    String topic = scenario.topic(1);
    String queue = scenario.queue(QueueKind.CLASSIC);
    Map<String, String> config = example("source-migrated.json");
    config.put("rabbitmq.queue", queue);
    config.put("kafka.topic", topic);
    scenario.running(config);
    AMQP.BasicProperties properties =
        new AMQP.BasicProperties.Builder()
            .contentType("text/plain")
            .contentEncoding("utf-8")
            .deliveryMode(2)
            .priority(3)
            .correlationId("correlation-1")
            .replyTo("reply-1")
            .expiration("600000")
            .messageId("message-1")
            .timestamp(new Date(1_700_000_000_000L))
            .type("type-1")
            .userId(scenario.rabbitMQ().username())
            .appId("app-1")
            .headers(Map.of("colour", "red"))
            .build();
    scenario.amqp().publish("", queue, properties, List.of("value-1"));

    await().until(() -> !scenario.kafka().client().values(topic).isEmpty());
    ConsumerRecord<byte[], byte[]> record = scenario.kafka().client().read(topic).get(0);
    assertThat(text(record.key())).isEqualTo("message-1");
    assertThat(text(record.value())).isEqualTo("value-1");
    Map<String, Header> headers =
        StreamSupport.stream(record.headers().spliterator(), false)
            .collect(Collectors.toMap(Header::key, header -> header));
    for (String name :
        List.of(
            "content.type",
            "content.encoding",
            "delivery.mode",
            "priority",
            "correlation.id",
            "reply.to",
            "expiration",
            "message.id",
            "timestamp",
            "type",
            "user.id",
            "app.id",
            "consumer.tag",
            "delivery.tag",
            "redeliver",
            "exchange",
            "routing.key")) {
      assertThat(headers).containsKey("rabbitmq." + name);
    }
    assertThat(text(headers.get("rabbitmq.message.id").value())).contains("message-1");
    assertThat(text(headers.get("rabbitmq.routing.key").value())).contains(queue);
    assertThat(headers).containsKey("colour");
  }

  /** The example as it ships, but for the address. */
  private Map<String, String> example(String name) throws IOException {
    Map<String, String> config =
        new ObjectMapper()
            .readValue(
                Checkout.root().resolve("config").resolve(name).toFile(),
                new TypeReference<LinkedHashMap<String, String>>() {});
    config.putAll(scenario.broker());
    return config;
  }

  private static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }

  private static String text(byte[] bytes) {
    return new String(Objects.requireNonNull(bytes), StandardCharsets.UTF_8);
  }
}
