// SPDX-License-Identifier: Apache-2.0
package dev.rabbitbridge.message;

import static org.assertj.core.api.Assertions.assertThat;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.nio.ByteBuffer;
import java.util.Date;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.apache.kafka.connect.data.Decimal;
import org.apache.kafka.connect.data.Schema;
import org.apache.kafka.connect.data.SchemaBuilder;
import org.apache.kafka.connect.data.Struct;
import org.apache.kafka.connect.data.Time;
import org.apache.kafka.connect.data.Timestamp;
import org.apache.kafka.connect.header.ConnectHeaders;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

class AmqpHeadersTest {
  private static final Schema POINT =
      SchemaBuilder.struct()
          .field("x", Schema.INT32_SCHEMA)
          .field("at", Timestamp.SCHEMA)
          .field("gone", Schema.OPTIONAL_STRING_SCHEMA)
          .build();

  static Stream<Arguments> values() {
    Map<String, Object> point = new LinkedHashMap<>();
    point.put("x", 7);
    point.put("at", new Date(1_000));
    point.put("gone", null);
    return Stream.of(
        Arguments.of(Schema.STRING_SCHEMA, "007", "007"),
        Arguments.of(Schema.INT8_SCHEMA, (byte) 1, (byte) 1),
        Arguments.of(Schema.INT16_SCHEMA, (short) 1, (short) 1),
        Arguments.of(Schema.INT32_SCHEMA, 1, 1),
        Arguments.of(Schema.INT64_SCHEMA, 1L, 1L),
        Arguments.of(Schema.FLOAT32_SCHEMA, 1.5f, 1.5f),
        Arguments.of(Schema.FLOAT64_SCHEMA, 1.5, 1.5),
        Arguments.of(Schema.BOOLEAN_SCHEMA, true, true),
        Arguments.of(Schema.OPTIONAL_STRING_SCHEMA, null, null),
        Arguments.of(Schema.BYTES_SCHEMA, new byte[] {1, 2}, new byte[] {1, 2}),
        Arguments.of(Schema.BYTES_SCHEMA, ByteBuffer.wrap(new byte[] {1, 2}), new byte[] {1, 2}),
        Arguments.of(Decimal.schema(2), new BigDecimal("12.50"), new BigDecimal("12.50")),
        Arguments.of(
            Decimal.schema(2), new BigDecimal("21474836.47"), new BigDecimal("21474836.47")),
        Arguments.of(Decimal.schema(2), new BigDecimal("21474836.48"), "21474836.48"),
        Arguments.of(Decimal.schema(0), new BigDecimal("1E+3"), "1E+3"),
        Arguments.of(null, BigInteger.valueOf(Long.MIN_VALUE), Long.MIN_VALUE),
        Arguments.of(null, new BigInteger("9223372036854775808"), "9223372036854775808"),
        Arguments.of(Timestamp.SCHEMA, new Date(1_000), new Date(1_000)),
        Arguments.of(Timestamp.SCHEMA, new Date(1_001), "1970-01-01T00:00:01.001Z"),
        Arguments.of(Timestamp.SCHEMA, new Date(-1_000), "1969-12-31T23:59:59Z"),
        Arguments.of(null, Map.of(ByteBuffer.wrap(new byte[] {1}), 2), Map.of("AQ==", 2)),
        Arguments.of(
            org.apache.kafka.connect.data.Date.SCHEMA, new Date(86_400_000), new Date(86_400_000)),
        Arguments.of(Time.SCHEMA, new Date(3_600_001), "01:00:00.001"),
        Arguments.of(Time.SCHEMA, new Date(3_600_000), "01:00:00"),
        Arguments.of(null, List.of("a", 1, List.of(true)), List.of("a", 1, List.of(true))),
        Arguments.of(null, Map.of("k", Map.of("k2", true)), Map.of("k", Map.of("k2", true))),
        Arguments.of(
            SchemaBuilder.array(Decimal.schema(0)).build(),
            List.of(new BigDecimal(5)),
            List.of(new BigDecimal(5))),
        Arguments.of(POINT, new Struct(POINT).put("x", 7).put("at", new Date(1_000)), point));
  }

  @ParameterizedTest
  @MethodSource("values")
  void everyValueKeepsItsTypeOrIsExactText(Schema schema, Object value, Object expected) {
    assertThat(AmqpHeaders.valueOf("h", schema, value)).isEqualTo(expected);
  }

  @Test
  void headersThatRabbitMqTakesRoutingKeysFromAreListsOfText() {
    Map<String, Object> table = new HashMap<>();
    table.put("CC", "q2");
    table.put("BCC", List.of("q3", 4));
    table.put("cc", "as it is");

    AmqpHeaders.makeListsOfCopies(table);

    assertThat(table)
        .isEqualTo(Map.of("CC", List.of("q2"), "BCC", List.of("q3", "4"), "cc", "as it is"));
    for (Object none : new Object[] {null, new byte[] {1}, Map.of("a", 1), List.of(List.of())}) {
      table.put("CC", none);
      AmqpHeaders.makeListsOfCopies(table);
      assertThat(table).doesNotContainKey("CC");
    }
  }

  @Test
  void aRepeatedHeaderBecomesAListInOrder() { // F67
    Map<String, Object> table = new LinkedHashMap<>();

    AmqpHeaders.addTo(
        table,
        new ConnectHeaders().addString("k", "a").addString("other", "c").addString("k", "b"));

    assertThat(table).isEqualTo(Map.of("k", List.of("a", "b"), "other", "c"));
  }

  @Test
  void aNullHeaderStaysNull() { // F68
    Map<String, Object> table = new LinkedHashMap<>();

    AmqpHeaders.addTo(table, new ConnectHeaders().add("k", null, null));

    assertThat(table).containsOnlyKeys("k").containsEntry("k", null);
  }

  @Test
  void headersThatTheBrokerOwnsAreNotForwarded() { // F70
    Map<String, Object> table = new LinkedHashMap<>();

    AmqpHeaders.addTo(
        table,
        new ConnectHeaders()
            .addList("x-death", List.of(), SchemaBuilder.array(Schema.STRING_SCHEMA).build())
            .addString("x-first-death-queue", "q")
            .addString("x-last-death-reason", "expired")
            .addLong("x-delivery-count", 3)
            .addLong("x-acquired-count", 3)
            .addLong("x-stream-offset", 3)
            .addString("x-mine", "kept"));

    assertThat(table).isEqualTo(Map.of("x-mine", "kept"));
  }
}
