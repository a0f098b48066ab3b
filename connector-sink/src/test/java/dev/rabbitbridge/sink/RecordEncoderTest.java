// SPDX-License-Identifier: Apache-2.0
package dev.rabbitbridge.sink;

import static dev.rabbitbridge.sink.Records.ORDERS;
import static dev.rabbitbridge.sink.Records.config;
import static dev.rabbitbridge.sink.Records.record;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.rabbitmq.client.AMQP.BasicProperties;
import java.math.BigDecimal;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Date;
import java.util.List;
import java.util.Map;
import org.apache.kafka.connect.data.Schema;
import org.apache.kafka.connect.data.SchemaBuilder;
import org.apache.kafka.connect.data.Struct;
import org.apache.kafka.connect.errors.DataException;
import org.apache.kafka.connect.sink.SinkRecord;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class RecordEncoderTest {
  private static final Schema ORDER =
      SchemaBuilder.struct()
          .field("id", Schema.INT32_SCHEMA)
          .field("to", SchemaBuilder.struct().field("region", Schema.STRING_SCHEMA).build())
          .build();

  @Test
  void bytesStayAsTheyAreTextIsUtf8AndTheRestIsJson() { // F64
    assertThat(body(new byte[] {0, 1, -1})).containsExactly(0, 1, -1);
    assertThat(body(ByteBuffer.wrap(new byte[] {7}))).containsExactly(7);
    assertThat(text(valued("gr\u00fc\u00df"))).isEqualTo("gr\u00fc\u00df");
    assertThat(text(valued(Map.of("a", 1)))).isEqualTo("{\"a\":1}");
    assertThat(text(valued(List.of(1, 2)))).isEqualTo("[1,2]");
    assertThat(text(valued(42))).isEqualTo("42");
    assertThat(text(order())).isEqualTo("{\"id\":7,\"to\":{\"region\":\"us\"}}");
  }

  @Test
  void anInsistedFormNamesTheConverterThatGivesIt() { // F64
    assertThatThrownBy(
            () -> new RecordEncoder(config("rabbitmq.value.format", "bytes")).encode(order()))
        .isInstanceOf(DataException.class)
        .hasMessageContaining("ByteArrayConverter");
    assertThatThrownBy(
            () -> new RecordEncoder(config("rabbitmq.value.format", "string")).encode(order()))
        .isInstanceOf(DataException.class)
        .hasMessageContaining("StringConverter");
    assertThat(
            new RecordEncoder(config("rabbitmq.value.format", "json")).encode(valued("x")).body())
        .isEqualTo("\"x\"".getBytes(StandardCharsets.UTF_8));
  }

  @Test
  void aTombstoneIsEmptyAndMarked() { // F63
    Message tombstone = new RecordEncoder(config()).encode(record(ORDERS, 1, null));

    assertThat(tombstone.body()).isEmpty();
    assertThat(tombstone.properties().getHeaders()).containsEntry("kafka.tombstone", true);
    assertThat(new RecordEncoder(config()).encode(valued("")).properties().getHeaders())
        .doesNotContainKey("kafka.tombstone");
  }

  @Test
  void exchangeAndRoutingKeyAreFilledInFromTheRecord() {
    RecordEncoder encoder =
        new RecordEncoder(
            config(
                "rabbitmq.exchange", "ex-${topic}",
                "rabbitmq.routing.key",
                    "${partition}.${offset}.${timestamp}.${key}.${value:to.region}.${value:nope|x}.${header:h|none}"));

    Message message = encoder.encode(order());

    assertThat(message.exchange()).isEqualTo("ex-orders");
    assertThat(message.routingKey()).isEqualTo("0.3.3000.k3.us.x.none");
  }

  @Test
  void aPropertyWhoseTextIsEmptyIsNotSet() {
    for (String property : SinkKeys.PROPERTIES) {
      RecordEncoder encoder =
          new RecordEncoder(config("rabbitmq.property." + property, "${header:h|}"));

      BasicProperties properties = encoder.encode(record(1)).properties();
      BasicProperties others = new RecordEncoder(config()).encode(record(1)).properties();
      if (property.equals("message-id")) {
        others = others.builder().messageId(null).build();
      } else if (property.equals("timestamp")) {
        others = others.builder().timestamp(null).build();
      }
      assertThat(properties).as(property).isEqualTo(others);
    }
  }

  @Test
  void aMessageThatCouldNotComeBackIsRefused() { // F33
    String limit = "rabbitmq.max.inbound.message.size";
    SinkRecord record = valued("four");

    assertThat(text(new RecordEncoder(config(limit, "4")), record)).isEqualTo("four");
    assertThatThrownBy(() -> new RecordEncoder(config(limit, "3")).encode(record))
        .isInstanceOf(DataException.class)
        .hasMessageContaining("4 bytes")
        .hasMessageContaining(limit);
    assertThat(text(new RecordEncoder(config(limit, "3", "rabbitmq.mandatory", "false")), record))
        .isEqualTo("four");
  }

  private static String text(RecordEncoder encoder, SinkRecord record) {
    return new String(encoder.encode(record).body(), StandardCharsets.UTF_8);
  }

  @Test
  void topicsOfTheMapGoStraightToTheirQueue() {
    RecordEncoder encoder =
        new RecordEncoder(
            config("rabbitmq.exchange", "ex", "rabbitmq.topic.queue.map", "{\"orders\":\"oq\"}"));

    assertThat(encoder.encode(record(1)).exchange()).isEmpty();
    assertThat(encoder.encode(record(1)).routingKey()).isEqualTo("oq");
    SinkRecord other = record(1).newRecord("other", 0, null, null, null, new byte[0], null);
    assertThat(encoder.encode(other).exchange()).isEqualTo("ex");
  }

  @Test
  void theMessageIdNamesTheRecordsOriginWhateverTransformsDid() {
    SinkRecord renamed = record(5).newRecord("renamed", 8, null, null, null, new byte[0], 0L);

    assertThat(new RecordEncoder(config()).encode(renamed).properties().getMessageId())
        .isEqualTo("orders-0-5");
  }

  @Test
  void defaultsArePersistentWithTheRecordsTimestampAndNothingElse() { // F57
    var properties = new RecordEncoder(config()).encode(record(2)).properties();

    assertThat(properties.getDeliveryMode()).isEqualTo(2);
    assertThat(properties.getTimestamp()).isEqualTo(new Date(2000));
    assertThat(properties.getContentType()).isNull();
    assertThat(properties.getPriority()).isNull();
    assertThat(properties.getExpiration()).isNull();
    assertThat(properties.getCorrelationId()).isNull();
    assertThat(properties.getHeaders()).containsOnlyKeys(RecordEncoder.ID_HEADER);
  }

  @Test
  void withoutMandatoryThereIsNoHeaderOfOurs() {
    assertThat(
            new RecordEncoder(config("rabbitmq.mandatory", "false"))
                .encode(record(2))
                .properties()
                .getHeaders())
        .isNull();
  }

  @Test
  void identicalRecordsHaveDifferentIds() { // F40
    RecordEncoder encoder = new RecordEncoder(config("rabbitmq.property.message-id", "same"));

    Message first = encoder.encode(record(2));
    Message second = encoder.encode(record(2));

    assertThat(first.id()).isNotEqualTo(second.id());
    assertThat(first.properties().getHeaders().get(RecordEncoder.ID_HEADER)).isEqualTo(first.id());
  }

  @Test
  void aHeaderThatImitatesOurIdIsOverwritten() { // F40
    SinkRecord imitation = record(2);
    imitation.headers().addLong(RecordEncoder.ID_HEADER, 4711);

    Message message = new RecordEncoder(config()).encode(imitation);

    assertThat(message.properties().getHeaders())
        .containsEntry(RecordEncoder.ID_HEADER, message.id());
  }

  @Test
  void aForeignUserIdIsLeftOut() { // F62
    RecordEncoder encoder =
        new RecordEncoder(config("rabbitmq.property.user-id", "${header:u|guest}"));
    SinkRecord foreign = record(1);
    foreign.headers().addString("u", "alice");

    assertThat(encoder.encode(foreign).properties().getUserId()).isNull();
    assertThat(encoder.encode(record(2)).properties().getUserId()).isEqualTo("guest");
  }

  @ParameterizedTest
  @ValueSource(strings = {"EXTERNAL", "OAUTH2"})
  void aUserIdIsLeftOutWhereOnlyTheBrokerKnowsTheUser(String mechanism) { // F62
    RecordEncoder encoder =
        new RecordEncoder(
            config("rabbitmq.property.user-id", "guest", "rabbitmq.sasl.mechanism", mechanism));

    assertThat(encoder.encode(record(1)).properties().getUserId()).isNull();
  }

  @Test
  void bytesThatAreNotTextCannotBecomeAnIdThatOthersShare() {
    RecordEncoder encoder = new RecordEncoder(config("rabbitmq.property.message-id", "${key}"));
    SinkRecord text = keyed("gr\u00fc\u00df".getBytes(StandardCharsets.UTF_8));
    SinkRecord binary = keyed(new byte[] {(byte) 0x80, 1});

    assertThat(encoder.encode(text).properties().getMessageId()).isEqualTo("gr\u00fc\u00df");
    assertThatThrownBy(() -> encoder.encode(binary))
        .isInstanceOf(DataException.class)
        .hasMessageStartingWith("the key is bytes that are not UTF-8 text");
  }

  @Test
  void aTimestampBefore1970IsNotSent() {
    SinkRecord old = record(1).newRecord("orders", 0, null, null, null, new byte[0], -86_400_000L);
    RecordEncoder template =
        new RecordEncoder(config("rabbitmq.property.timestamp", "${timestamp}"));

    assertThat(new RecordEncoder(config()).encode(old).properties().getTimestamp()).isNull();
    assertThatThrownBy(() -> template.encode(old))
        .isInstanceOf(DataException.class)
        .hasMessageContaining("timestamp");
  }

  @Test
  void aValueThatJsonCannotCarryIsARecordError() { // F64
    Object deep = 1;
    for (int depth = 0; depth < 1100; depth++) {
      deep = List.of(deep);
    }
    SinkRecord nested = valued(deep);
    SinkRecord huge = valued(Map.of("price", new BigDecimal("1E+20000")));

    assertThatThrownBy(() -> new RecordEncoder(config()).encode(nested))
        .isInstanceOf(DataException.class);
    assertThatThrownBy(() -> new RecordEncoder(config()).encode(huge))
        .isInstanceOf(DataException.class);
  }

  @Test
  void anAddressMayTake255Bytes() {
    RecordEncoder encoder =
        new RecordEncoder(
            config("rabbitmq.exchange", "${header:h}", "rabbitmq.routing.key", "${header:h}"));
    SinkRecord longest = record(1);
    longest.headers().addString("h", "\u20ac".repeat(85));

    assertThat(encoder.encode(longest).routingKey()).hasSize(85);
  }

  @Test
  void textsOverTheLimitAreRecordErrors() {
    RecordEncoder encoder = new RecordEncoder(config("rabbitmq.routing.key", "${header:h|}"));
    SinkRecord tooLong = record(1);
    tooLong.headers().addString("h", "r".repeat(256));

    assertThatThrownBy(() -> encoder.encode(tooLong))
        .isInstanceOf(DataException.class)
        .hasMessageContaining("routing key");
  }

  private static SinkRecord keyed(byte[] key) {
    return new SinkRecord("orders", 0, null, key, null, "v", 0);
  }

  private static SinkRecord valued(Object value) {
    return new SinkRecord("orders", 0, null, null, null, value, 0);
  }

  private static SinkRecord order() {
    Struct to = new Struct(ORDER.field("to").schema()).put("region", "us");
    SinkRecord plain = record(3);
    return plain.newRecord(
        "orders",
        0,
        plain.keySchema(),
        plain.key(),
        ORDER,
        new Struct(ORDER).put("id", 7).put("to", to),
        plain.timestamp());
  }

  private static byte[] body(Object value) {
    return new RecordEncoder(config()).encode(valued(value)).body();
  }

  private static String text(SinkRecord record) {
    return new String(new RecordEncoder(config()).encode(record).body(), StandardCharsets.UTF_8);
  }
}
