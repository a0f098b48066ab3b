// SPDX-License-Identifier: Apache-2.0
package dev.rabbitbridge.harness.sink;

import static dev.rabbitbridge.harness.sink.Sinks.awaitAllCommitted;
import static dev.rabbitbridge.harness.sink.Sinks.bytes;
import static dev.rabbitbridge.harness.sink.Sinks.record;
import static dev.rabbitbridge.harness.sink.Sinks.texts;
import static dev.rabbitbridge.harness.sink.Sinks.with;
import static org.assertj.core.api.Assertions.assertThat;

import com.rabbitmq.client.LongString;
import dev.rabbitbridge.harness.Scenario;
import dev.rabbitbridge.harness.rabbitmq.Message;
import dev.rabbitbridge.harness.rabbitmq.QueueKind;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** What a record looks like to a consumer of RabbitMQ, read with the bare client. */
class SinkMessageIT {
  private static final String STRINGS = "org.apache.kafka.connect.storage.StringConverter";
  private static final String JSON = "org.apache.kafka.connect.json.JsonConverter";

  @RegisterExtension final Scenario scenario = new Scenario();

  @Test
  void textHeadersArriveUnchangedAsText() { // F66, F69
    List<String> values = List.of("007", "1E-2", "true", "{\"a\":1}", " x ");
    String topic = scenario.topic(1);
    String queue = scenario.queue(QueueKind.QUORUM);
    Map<String, String> config = scenario.sink(topic, queue);
    config.put("header.converter", STRINGS);

    List<Message> messages = deliver(config, queue, withHeaders(topic, values));

    assertThat(messages).hasSize(values.size());
    for (int i = 0; i < values.size(); i++) {
      assertThat(messages.get(i).properties().getHeaders().get("h"))
          .isInstanceOf(LongString.class)
          .hasToString(values.get(i));
    }
  }

  @Test
  void byteHeadersArriveUnchangedAsBytes() { // F66, F69
    String topic = scenario.topic(1);
    String queue = scenario.queue(QueueKind.QUORUM);
    Map<String, String> config = scenario.sink(topic, queue);
    config.put("header.converter", "org.apache.kafka.connect.converters.ByteArrayConverter");

    List<Message> messages = deliver(config, queue, withHeaders(topic, List.of("007", " x ")));

    assertThat(messages.get(0).properties().getHeaders().get("h")).isEqualTo(bytes("007"));
    assertThat(messages.get(1).properties().getHeaders().get("h")).isEqualTo(bytes(" x "));
  }

  @Test
  void theDefaultHeaderConverterBreaksNothing() { // F66
    String topic = scenario.topic(1);
    String queue = scenario.queue(QueueKind.QUORUM);
    List<String> values = List.of("007", "1E-2", "true", "{\"a\":1}", " x ", "[1,\"a\"]");

    assertThat(deliver(scenario.sink(topic, queue), queue, withHeaders(topic, values)))
        .hasSize(values.size());
  }

  @Test
  void aHeaderThatRabbitMqTakesRoutingKeysFromBreaksNothing() throws Exception { // F62, F70
    String topic = scenario.topic(1);
    String queue = scenario.queue(QueueKind.QUORUM);
    String copies = scenario.queue(QueueKind.CLASSIC);
    Map<String, String> config = scenario.sink(topic, queue);
    config.put("header.converter", STRINGS);
    ProducerRecord<byte[], byte[]> none = record(topic, "k", "none");
    none.headers().add("BCC", null);

    List<Message> messages =
        deliver(config, queue, List.of(with(record(topic, "k", "copied"), "CC", copies), none));

    assertThat(texts(messages)).containsExactly("copied", "none");
    assertThat(scenario.amqp().ready(copies)).isEqualTo(1);
  }

  @Test
  void repeatedAndNullHeadersKeepTheirPlaces() { // F67, F68
    String topic = scenario.topic(1);
    String queue = scenario.queue(QueueKind.QUORUM);
    Map<String, String> config = scenario.sink(topic, queue);
    config.put("header.converter", STRINGS);
    ProducerRecord<byte[], byte[]> record = record(topic, "k", "v");
    with(with(with(record, "k", "a"), "k", "b"), "other", "c").headers().add("none", null);

    List<Message> messages = deliver(config, queue, List.of(record, record(topic, "k", "bare")));

    Map<String, Object> headers = messages.get(0).properties().getHeaders();
    assertThat(headers.get("k")).hasToString("[a, b]");
    assertThat(headers.get("other")).hasToString("c");
    assertThat(headers).containsEntry("none", null);
    assertThat(messages.get(1).properties().getHeaders())
        .containsOnlyKeys("rabbitbridge.publish.id");
  }

  @Test
  void aTombstoneIsAnEmptyMessageThatSaysSoAndAnEmptyValueIsNot() { // F63
    String topic = scenario.topic(1);
    String queue = scenario.queue(QueueKind.QUORUM);

    List<Message> messages =
        deliver(
            scenario.sink(topic, queue),
            queue,
            List.of(record(topic, "k", null), record(topic, "k", ""), record(topic, "k", "next")));

    assertThat(messages).extracting(m -> m.body().length).containsExactly(0, 0, 4);
    assertThat(messages.get(0).properties().getHeaders()).containsEntry("kafka.tombstone", true);
    assertThat(messages.get(1).properties().getHeaders()).doesNotContainKey("kafka.tombstone");
  }

  @Test
  void tombstonesAreIgnoredOrRefusedWhereConfigured() { // F63
    String topic = scenario.topic(1);
    String queue = scenario.queue(QueueKind.QUORUM);
    Map<String, String> config = scenario.sink(topic, queue);
    config.put("rabbitmq.null.value.behavior", "ignore");

    assertThat(
            texts(
                deliver(
                    config, queue, List.of(record(topic, "k", null), record(topic, "k", "next")))))
        .containsExactly("next");

    Map<String, String> failing = scenario.sink(topic, queue);
    failing.put("rabbitmq.null.value.behavior", "fail");
    String sink = scenario.put(failing);
    assertThat(scenario.worker().rest().awaitFailed(sink))
        .contains("offset 0")
        .contains("rabbitmq.null.value.behavior");
  }

  @Test
  void structuredValuesBecomeTheSameJsonWithAndWithoutASchema() { // F64
    String queue = scenario.queue(QueueKind.QUORUM);
    String plainTopic = scenario.topic(1);
    Map<String, String> plain = scenario.sink(plainTopic, queue);
    plain.put("value.converter", JSON);
    plain.put("value.converter.schemas.enable", "false");
    String schemaTopic = scenario.topic(1);
    Map<String, String> schema = scenario.sink(schemaTopic, queue);
    schema.put("value.converter", JSON);

    Message without =
        deliver(plain, queue, List.of(record(plainTopic, "k", "{\"id\":1,\"tags\":[\"a\"]}")))
            .get(0);
    Message with =
        deliver(
                schema,
                queue,
                List.of(
                    record(
                        schemaTopic,
                        "k",
                        "{\"schema\":{\"type\":\"struct\",\"fields\":[{\"field\":\"id\",\"type\":\"int64\"},"
                            + "{\"field\":\"tags\",\"type\":\"array\",\"items\":{\"type\":\"string\"}}]},"
                            + "\"payload\":{\"id\":1,\"tags\":[\"a\"]}}")))
            .get(0);

    assertThat(without.text()).isEqualTo("{\"id\":1,\"tags\":[\"a\"]}");
    assertThat(with.text()).isEqualTo(without.text());
    assertThat(with.properties().getContentType()).isEqualTo("application/json");
  }

  @Test
  void everyConnectTypeInAValueArrivesAsItsNaturalJson() {
    String topic = scenario.topic(1);
    String queue = scenario.queue(QueueKind.QUORUM);
    Map<String, String> config = scenario.sink(topic, queue);
    config.put("value.converter", JSON);
    String logical =
        "{\"field\":\"%s\",\"type\":\"%s\",\"name\":\"org.apache.kafka.connect.data.%s\",\"version\":1%s}";
    String schema =
        "{\"type\":\"struct\",\"fields\":["
            + String.join(
                ",",
                List.of(
                    "{\"field\":\"int8\",\"type\":\"int8\"}",
                    "{\"field\":\"int64\",\"type\":\"int64\"}",
                    "{\"field\":\"float\",\"type\":\"float\"}",
                    "{\"field\":\"double\",\"type\":\"double\"}",
                    "{\"field\":\"boolean\",\"type\":\"boolean\"}",
                    "{\"field\":\"string\",\"type\":\"string\"}",
                    "{\"field\":\"bytes\",\"type\":\"bytes\"}",
                    "{\"field\":\"absent\",\"type\":\"string\",\"optional\":true}",
                    logical.formatted(
                        "decimal", "bytes", "Decimal", ",\"parameters\":{\"scale\":\"2\"}"),
                    logical.formatted("date", "int32", "Date", ""),
                    logical.formatted("time", "int32", "Time", ""),
                    logical.formatted("timestamp", "int64", "Timestamp", ""),
                    "{\"field\":\"array\",\"type\":\"array\",\"items\":{\"type\":\"int32\"}}",
                    "{\"field\":\"map\",\"type\":\"map\",\"keys\":{\"type\":\"string\"},\"values\":{\"type\":\"boolean\"}}"))
            + "]}";
    String payload =
        "{\"int8\":5,\"int64\":9007199254740993,\"float\":1.5,\"double\":2.5,\"boolean\":true,"
            + "\"string\":\"007\",\"bytes\":\"AQI=\",\"absent\":null,\"decimal\":\"BNI=\",\"date\":1,"
            + "\"time\":3600001,\"timestamp\":1,\"array\":[1,2],\"map\":{\"k\":true}}";

    String body =
        deliver(
                config,
                queue,
                List.of(
                    record(topic, "k", "{\"schema\":" + schema + ",\"payload\":" + payload + "}")))
            .get(0)
            .text();

    assertThat(body)
        .isEqualTo(
            "{\"int8\":5,\"int64\":9007199254740993,\"float\":1.5,\"double\":2.5,\"boolean\":true,"
                + "\"string\":\"007\",\"bytes\":\"AQI=\",\"absent\":null,\"decimal\":12.34,"
                + "\"date\":\"1970-01-02\",\"time\":\"01:00:00.001\","
                + "\"timestamp\":\"1970-01-01T00:00:00.001Z\",\"array\":[1,2],\"map\":{\"k\":true}}");
  }

  @Test
  void everyConnectTypeInAHeaderArrivesWithItsType() {
    String topic = scenario.topic(1);
    String queue = scenario.queue(QueueKind.QUORUM);
    Map<String, String> config = scenario.sink(topic, queue);
    config.put("header.converter", JSON);
    ProducerRecord<byte[], byte[]> record = record(topic, "k", "v");
    Map<String, String> typed =
        Map.ofEntries(
            Map.entry("int8", "{\"type\":\"int8\"}|5"),
            Map.entry("int16", "{\"type\":\"int16\"}|300"),
            Map.entry("int32", "{\"type\":\"int32\"}|70000"),
            Map.entry("int64", "{\"type\":\"int64\"}|5000000000"),
            Map.entry("float", "{\"type\":\"float\"}|1.5"),
            Map.entry("double", "{\"type\":\"double\"}|2.5"),
            Map.entry("boolean", "{\"type\":\"boolean\"}|true"),
            Map.entry("string", "{\"type\":\"string\"}|\"007\""),
            Map.entry("bytes", "{\"type\":\"bytes\"}|\"AQI=\""),
            Map.entry(
                "decimal",
                "{\"type\":\"bytes\",\"name\":\"org.apache.kafka.connect.data.Decimal\",\"version\":1,"
                    + "\"parameters\":{\"scale\":\"2\"}}|\"BNI=\""),
            Map.entry(
                "date",
                "{\"type\":\"int32\",\"name\":\"org.apache.kafka.connect.data.Date\",\"version\":1}|1"),
            Map.entry(
                "time",
                "{\"type\":\"int32\",\"name\":\"org.apache.kafka.connect.data.Time\",\"version\":1}|3600001"),
            Map.entry(
                "timestamp",
                "{\"type\":\"int64\",\"name\":\"org.apache.kafka.connect.data.Timestamp\",\"version\":1}|86400000"),
            Map.entry("array", "{\"type\":\"array\",\"items\":{\"type\":\"int32\"}}|[1,2]"),
            Map.entry(
                "map",
                "{\"type\":\"map\",\"keys\":{\"type\":\"string\"},\"values\":{\"type\":\"boolean\"}}|{\"k\":true}"),
            Map.entry(
                "struct",
                "{\"type\":\"struct\",\"fields\":[{\"field\":\"f\",\"type\":\"int16\"}]}|{\"f\":7}"));
    typed.forEach(
        (name, schemaAndValue) -> {
          String[] both = schemaAndValue.split("\\|", 2);
          with(record, name, "{\"schema\":" + both[0] + ",\"payload\":" + both[1] + "}");
        });

    Map<String, Object> headers =
        deliver(config, queue, List.of(record)).get(0).properties().getHeaders();

    assertThat(headers.get("int8")).isEqualTo((byte) 5);
    assertThat(headers.get("int16")).isEqualTo((short) 300);
    assertThat(headers.get("int32")).isEqualTo(70_000);
    assertThat(headers.get("int64")).isEqualTo(5_000_000_000L);
    assertThat(headers.get("float")).isEqualTo(1.5f);
    assertThat(headers.get("double")).isEqualTo(2.5);
    assertThat(headers.get("boolean")).isEqualTo(true);
    assertThat(headers.get("string")).isInstanceOf(LongString.class).hasToString("007");
    assertThat(headers.get("bytes")).isEqualTo(new byte[] {1, 2});
    assertThat(headers.get("decimal")).isEqualTo(new java.math.BigDecimal("12.34"));
    assertThat(headers.get("date")).isEqualTo(new java.util.Date(86_400_000));
    assertThat(headers.get("time")).hasToString("01:00:00.001");
    assertThat(headers.get("timestamp")).isEqualTo(new java.util.Date(86_400_000));
    assertThat(headers.get("array")).isEqualTo(List.of(1, 2));
    assertThat(headers.get("map")).isEqualTo(Map.of("k", true));
    assertThat(headers.get("struct")).isEqualTo(Map.of("f", (short) 7));
  }

  @Test
  void everyPropertyCanBeSetByATemplate() { // F62
    String topic = scenario.topic(1);
    String queue = scenario.queue(QueueKind.QUORUM);
    Map<String, String> config = scenario.sink(topic, queue);
    config.put("header.converter", STRINGS);
    config.put("key.converter", STRINGS);
    config.put("rabbitmq.forward.kafka.key", "true");
    config.put("rabbitmq.forward.kafka.metadata", "true");
    config.put("rabbitmq.headers", "team:a b,stage:test");
    for (String property :
        List.of("content-type", "content-encoding", "type", "app-id", "reply-to", "user-id")) {
      config.put("rabbitmq.property." + property, "${header:" + property + "}");
    }
    config.put("rabbitmq.property.priority", "7");
    config.put("rabbitmq.property.expiration", "600000");
    config.put("rabbitmq.property.timestamp", "1000");
    ProducerRecord<byte[], byte[]> record = record(topic, "the-key", "v");
    for (String property :
        List.of("content-type", "content-encoding", "type", "app-id", "reply-to", "user-id")) {
      with(record, property, "my-" + property);
    }

    var properties = deliver(config, queue, List.of(record)).get(0).properties();

    assertThat(properties.getMessageId()).isEqualTo(topic + "-0-0");
    assertThat(properties.getCorrelationId()).isEqualTo("the-key");
    assertThat(properties.getContentType()).isEqualTo("my-content-type");
    assertThat(properties.getContentEncoding()).isEqualTo("my-content-encoding");
    assertThat(properties.getType()).isEqualTo("my-type");
    assertThat(properties.getAppId()).isEqualTo("my-app-id");
    assertThat(properties.getReplyTo()).isEqualTo("my-reply-to");
    assertThat(properties.getUserId()).as("a foreign user-id is left out").isNull();
    assertThat(properties.getPriority()).isEqualTo(7);
    assertThat(properties.getExpiration()).isEqualTo("600000");
    assertThat(properties.getTimestamp()).isEqualTo(new java.util.Date(1000));
    assertThat(properties.getDeliveryMode()).isEqualTo(2);
    assertThat(properties.getHeaders().get("team")).hasToString("a b");
    assertThat(properties.getHeaders().get("stage")).hasToString("test");
    assertThat(properties.getHeaders().get("KAFKA_TOPIC")).hasToString(topic);
    assertThat(properties.getHeaders().get("KAFKA_OFFSET")).isEqualTo(0L);
  }

  @Test
  void recordsAreRoutedByTheirFieldsAndByTheTopicMap() {
    String topic = scenario.topic(1);
    String mapped = scenario.topic(1);
    String eu = scenario.queue(QueueKind.QUORUM);
    String us = scenario.queue(QueueKind.QUORUM);
    String exchange = scenario.exchange("topic");
    scenario.rabbitMQ().management().bind(exchange, eu, "orders.eu.*");
    scenario.rabbitMQ().management().bind(exchange, us, "orders.us.*");
    Map<String, String> config = scenario.sink(topic + "," + mapped, eu);
    config.put("value.converter", JSON);
    config.put("value.converter.schemas.enable", "false");
    config.put("rabbitmq.exchange", exchange);
    config.put("rabbitmq.routing.key", "orders.${value:to.region|eu}.${value:id}");
    config.put("rabbitmq.topic.queue.map", "{\"" + mapped + "\":\"" + us + "\"}");
    String sink = scenario.running(config);

    scenario
        .kafka()
        .client()
        .produce(
            List.of(
                record(topic, "k", "{\"id\":1,\"to\":{\"region\":\"us\"}}"),
                record(topic, "k", "{\"id\":2}"),
                record(mapped, "k", "{\"id\":3}")));
    awaitAllCommitted(scenario, sink, topic, mapped);

    assertThat(texts(scenario.amqp().drain(eu))).containsExactly("{\"id\":2}");
    assertThat(texts(scenario.amqp().drain(us)))
        .containsExactlyInAnyOrder("{\"id\":1,\"to\":{\"region\":\"us\"}}", "{\"id\":3}");
  }

  private List<Message> deliver(
      Map<String, String> config, String queue, List<ProducerRecord<byte[], byte[]>> records) {
    String sink = scenario.running(config);
    scenario.kafka().client().produce(records);
    awaitAllCommitted(scenario, sink, config.get("topics"));
    return scenario.amqp().drain(queue);
  }

  private static List<ProducerRecord<byte[], byte[]>> withHeaders(
      String topic, List<String> values) {
    return values.stream()
        .map(value -> with(record(topic, "k", value), "h", value))
        .collect(Collectors.toList());
  }
}
