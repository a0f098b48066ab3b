// SPDX-License-Identifier: Apache-2.0
package dev.rabbitbridge.harness.source;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.rabbitmq.client.AMQP.BasicProperties;
import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import com.rabbitmq.client.ConnectionFactory;
import dev.rabbitbridge.harness.Scenario;
import dev.rabbitbridge.harness.rabbitmq.QueueKind;
import java.io.FilterOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.math.BigDecimal;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Collections;
import java.util.Date;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import javax.net.SocketFactory;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.connect.source.SourceRecord;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What a message looks like in Kafka. */
class SourceRecordIT {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final Date NOON = new Date(1_700_000_000_000L);

  @RegisterExtension final Scenario scenario = new Scenario();

  @ParameterizedTest
  @CsvSource({
    "bytes, org.apache.kafka.connect.converters.ByteArrayConverter",
    "string, org.apache.kafka.connect.storage.StringConverter",
    "json, org.apache.kafka.connect.json.JsonConverter",
    "envelope, org.apache.kafka.connect.json.JsonConverter",
  })
  void aMessageDeadLetteredTwiceWithEverythingSetArrivesComplete(String format, String converter)
      throws Exception { // F01 F02 F04 F70
    String last = scenario.queue(QueueKind.QUORUM);
    String second =
        scenario.queue(
            QueueKind.CLASSIC,
            Map.of(
                "x-dead-letter-exchange",
                "",
                "x-dead-letter-routing-key",
                last,
                "x-message-ttl",
                1));
    String first =
        scenario.queue(
            QueueKind.CLASSIC,
            Map.of(
                "x-dead-letter-exchange",
                "",
                "x-dead-letter-routing-key",
                second,
                "x-message-ttl",
                1));
    String topic = scenario.topic(1);
    scenario.amqp().publish("", first, everything(), List.of("{\"n\":1.5}"));
    Map<String, String> config = scenario.source(last, topic);
    config.put("rabbitmq.value.format", format);
    config.put("value.converter", converter);
    scenario.running(config);

    ConsumerRecord<byte[], byte[]> record = awaitRecords(topic, 1).get(0);

    assertThat(new String(record.key(), StandardCharsets.UTF_8)).isEqualTo("m-1");
    assertThat(record.timestamp()).isEqualTo(NOON.toInstant().toEpochMilli());
    Map<String, String> headers = headers(record);
    assertThat(headers)
        .containsEntry("rabbitmq.content.type", "application/json")
        .containsEntry("rabbitmq.content.encoding", "utf-8")
        .containsEntry("rabbitmq.delivery.mode", "2")
        .containsEntry("rabbitmq.priority", "7")
        .containsEntry("rabbitmq.correlation.id", "c-1")
        .containsEntry("rabbitmq.reply.to", "back")
        .containsEntry("rabbitmq.message.id", "m-1")
        .containsEntry("rabbitmq.timestamp", "2023-11-14T22:13:20.000Z")
        .containsEntry("rabbitmq.type", "t")
        .containsEntry("rabbitmq.app.id", "app")
        .containsEntry("rabbitmq.routing.key", last)
        .containsEntry("rabbitmq.redeliver", "false")
        .containsEntry("text", "x".repeat(5000))
        .containsEntry("int", "42")
        .containsEntry("long", "9007199254740993")
        .containsEntry("flag", "true")
        .containsEntry("decimal", "12.34")
        .containsEntry("date", "2023-11-14T22:13:20.000Z")
        .containsKeys("rabbitmq.consumer.tag", "rabbitmq.delivery.tag", "rabbitmq.exchange")
        .doesNotContainKeys("rabbitmq.user.id", "rabbitmq.expiration");
    assertThat(headers.values()).noneMatch(value -> value.contains("LongString"));
    assertThat(JSON.readTree(headers.get("hops")))
        .isEqualTo(JSON.readTree("[{\"n\":1,\"uri\":\"u1\"},{\"n\":2,\"uri\":\"u2\"}]"));
    assertThat(JSON.readTree(headers.get("tags"))).isEqualTo(JSON.readTree("[\"a\",\"b\"]"));
    assertThat(JSON.readTree(headers.get("t")))
        .isEqualTo(
            JSON.readTree(
                "{\"k\":{\"k2\":true,\"when\":\"2023-11-14T22:13:20Z\",\"much\":\"12.34\"}}"));
    JsonNode deaths = JSON.readTree(headers.get("x-death"));
    assertThat(deaths).hasSize(2);
    assertThat(deaths.get(0).path("queue").asText()).isEqualTo(second);
    assertThat(deaths.get(1).path("queue").asText()).isEqualTo(first);
    assertThat(deaths.get(1).path("count").asLong()).isEqualTo(1);
    assertValue(format, record.value());
  }

  private void assertValue(String format, byte[] value) throws IOException {
    switch (format) {
      case "json" ->
          assertThat(JSON.readTree(value).path("payload").path("n").asDouble()).isEqualTo(1.5);
      case "envelope" -> {
        JsonNode message = JSON.readTree(value).path("payload");
        assertThat(message.path("body").binaryValue())
            .isEqualTo("{\"n\":1.5}".getBytes(StandardCharsets.UTF_8));
        assertThat(message.path("properties").path("priority").asInt()).isEqualTo(7);
        assertThat(message.path("properties").path("user_id").isNull()).isTrue();
        assertThat(message.path("headers").path("tags").asText()).isEqualTo("[\"a\",\"b\"]");
        assertThat(message.path("headers").path("text").asText()).hasSize(5000);
        assertThat(message.path("envelope").path("redeliver").asBoolean()).isFalse();
      }
      default -> assertThat(new String(value, StandardCharsets.UTF_8)).isEqualTo("{\"n\":1.5}");
    }
  }

  @Test
  void messagesWithoutHeadersAndWithAVoidOneArrive() throws Exception { // F03
    String queue = scenario.queue(QueueKind.CLASSIC);
    Channel channel = scenario.amqp().channel();
    channel.basicPublish("", queue, null, new byte[] {1});
    channel.basicPublish(
        "", queue, new BasicProperties.Builder().headers(Map.of()).build(), new byte[] {2});
    channel.basicPublish(
        "",
        queue,
        new BasicProperties.Builder().headers(Collections.singletonMap("v", null)).build(),
        new byte[] {3});
    Map<String, String> config = Sources.config(scenario, queue);
    config.put("rabbitmq.forward.properties", "false");
    try (TaskDriver task = TaskDriver.start(config)) {
      List<SourceRecord> records = task.poll(3);
      records.forEach(task::commit);

      assertThat(records).extracting(record -> record.headers().size()).containsExactly(0, 0, 1);
      assertThat(records.get(2).headers().lastWithName("v").value()).isNull();
    }
    assertThat(scenario.amqp().ready(queue)).isZero();
  }

  @Test
  void unsignedFieldsOfOtherClientsAreWidened() throws Exception { // F05
    String queue = scenario.queue(QueueKind.QUORUM);
    Map<String, Object> headers = new HashMap<>();
    headers.put("u8", (byte) 200);
    headers.put("u32", (int) 4_000_000_000L);
    ConnectionFactory factory = new ConnectionFactory();
    factory.setUri(scenario.rabbitMQ().uri());
    factory.setSocketFactory(new UnsignedFields());
    try (Connection connection = factory.newConnection()) {
      Channel channel = connection.createChannel();
      channel.confirmSelect();
      channel.basicPublish(
          "", queue, new BasicProperties.Builder().headers(headers).build(), new byte[0]);
      channel.waitForConfirmsOrDie(10_000);
    }
    try (TaskDriver task = TaskDriver.start(Sources.config(scenario, queue))) {
      SourceRecord record = task.poll(1).get(0);

      assertThat(record.headers().lastWithName("u8").value()).isEqualTo(200);
      assertThat(record.headers().lastWithName("u32").value()).isEqualTo(4_000_000_000L);
      assertThat((byte[]) record.value()).isEmpty();
    }
  }

  @Test
  void withoutAMessageIdTheKeyIsNullAndAllPartitionsAreUsed() { // F07
    String queue = scenario.queue(QueueKind.QUORUM);
    String topic = scenario.topic(4);
    scenario.running(scenario.source(queue, topic));
    for (int i = 0; i < 100; i++) {
      scenario.amqp().publish(queue, List.of("x".repeat(2000) + i));
    }

    List<ConsumerRecord<byte[], byte[]>> records = awaitRecords(topic, 100);

    assertThat(records).allSatisfy(record -> assertThat(record.key()).isNull());
    assertThat(records.stream().map(ConsumerRecord::partition).distinct().count()).isGreaterThan(1);
  }

  @Test
  void aHeaderCanBeTheKeyAndThePartOfATopic() { // F07
    String queue = scenario.queue(QueueKind.CLASSIC);
    BasicProperties with =
        new BasicProperties.Builder().headers(Map.of("customer", "c7", "region", "us")).build();
    scenario.amqp().publish("", queue, with, List.of("with"));
    scenario.amqp().publish(queue, List.of("without"));
    Map<String, String> config = Sources.config(scenario, queue);
    config.put("rabbitmq.record.key", "header:customer");
    config.put("kafka.topic", "from.${queue}-${header:region|eu}");
    try (TaskDriver task = TaskDriver.start(config)) {
      List<SourceRecord> records = task.poll(2);

      assertThat(records).extracting(SourceRecord::key).containsExactly("c7", null);
      assertThat(records)
          .extracting(SourceRecord::topic)
          .containsExactly("from." + queue + "-us", "from." + queue + "-eu");
    }
  }

  @Test
  void timestampsThatKafkaCannotTakeAreKeptAsNumbers() {
    String queue = scenario.queue(QueueKind.CLASSIC);
    for (long seconds : new long[] {-5, 4_000_000_000L, 1_700_000_000L}) {
      scenario
          .amqp()
          .publish(
              "",
              queue,
              new BasicProperties.Builder().timestamp(new Date(seconds * 1000)).build(),
              List.of("x"));
    }
    try (TaskDriver task = TaskDriver.start(Sources.config(scenario, queue))) {
      List<SourceRecord> records = task.poll(3);

      assertThat(records)
          .extracting(SourceRecord::timestamp)
          .containsExactly(null, null, 1_700_000_000_000L);
      assertThat(records)
          .extracting(record -> record.headers().lastWithName("rabbitmq.timestamp").value())
          .containsExactly(-5L, 4_000_000_000L, NOON);
    }
  }

  private static BasicProperties everything() {
    Map<String, Object> headers = new LinkedHashMap<>();
    headers.put("hops", List.of(Map.of("uri", "u1", "n", 1), Map.of("uri", "u2", "n", 2)));
    headers.put("tags", List.of("a", "b"));
    headers.put(
        "t", Map.of("k", Map.of("k2", true, "when", NOON, "much", new BigDecimal("12.34"))));
    headers.put("text", "x".repeat(5000));
    headers.put("int", 42);
    headers.put("long", 9007199254740993L);
    headers.put("flag", true);
    headers.put("decimal", new BigDecimal("12.34"));
    headers.put("date", NOON);
    return new BasicProperties.Builder()
        .contentType("application/json")
        .contentEncoding("utf-8")
        .headers(headers)
        .deliveryMode(2)
        .priority(7)
        .correlationId("c-1")
        .replyTo("back")
        .expiration("1")
        .messageId("m-1")
        .timestamp(NOON)
        .type("t")
        .appId("app")
        .build();
  }

  private List<ConsumerRecord<byte[], byte[]>> awaitRecords(String topic, int count) {
    await()
        .atMost(Duration.ofSeconds(60))
        .until(() -> scenario.kafka().client().values(topic).size() >= count);
    return scenario.kafka().client().read(topic);
  }

  private static Map<String, String> headers(ConsumerRecord<byte[], byte[]> record) {
    return IntStream.range(0, record.headers().toArray().length)
        .mapToObj(i -> record.headers().toArray()[i])
        .collect(
            Collectors.toMap(
                header -> header.key(),
                header -> new String(header.value(), StandardCharsets.UTF_8)));
  }

  /** Writes the fields u8 and u32 with the unsigned type tags, which the Java client never uses. */
  private static final class UnsignedFields extends SocketFactory {
    @Override
    public Socket createSocket() {
      return new Socket() {
        @Override
        public OutputStream getOutputStream() throws IOException {
          return new FilterOutputStream(super.getOutputStream()) {
            @Override
            public void write(byte[] bytes, int offset, int length) throws IOException {
              String text = new String(bytes, offset, length, StandardCharsets.ISO_8859_1);
              String changed = text.replace("\2u8b", "\2u8B").replace("\3u32I", "\3u32i");
              out.write(changed.getBytes(StandardCharsets.ISO_8859_1));
            }
          };
        }
      };
    }

    @Override
    public Socket createSocket(String host, int port) {
      throw new UnsupportedOperationException();
    }

    @Override
    public Socket createSocket(String host, int port, InetAddress local, int localPort) {
      throw new UnsupportedOperationException();
    }

    @Override
    public Socket createSocket(InetAddress host, int port) {
      throw new UnsupportedOperationException();
    }

    @Override
    public Socket createSocket(InetAddress host, int port, InetAddress local, int localPort) {
      throw new UnsupportedOperationException();
    }
  }
}
