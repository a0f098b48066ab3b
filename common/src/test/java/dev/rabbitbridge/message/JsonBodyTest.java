// SPDX-License-Identifier: Apache-2.0
package dev.rabbitbridge.message;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.apache.kafka.connect.data.Date;
import org.apache.kafka.connect.data.Decimal;
import org.apache.kafka.connect.data.Schema;
import org.apache.kafka.connect.data.SchemaBuilder;
import org.apache.kafka.connect.data.Struct;
import org.apache.kafka.connect.data.Time;
import org.apache.kafka.connect.data.Timestamp;
import org.apache.kafka.connect.errors.DataException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

class JsonBodyTest {
  private static final Schema ORDER =
      SchemaBuilder.struct()
          .field("id", Schema.INT64_SCHEMA)
          .field("price", Decimal.schema(2))
          .field("at", Timestamp.SCHEMA)
          .field("note", Schema.OPTIONAL_STRING_SCHEMA)
          .build();

  static Stream<Arguments> values() {
    Map<String, Object> ordered = new LinkedHashMap<>();
    ordered.put("a", 1);
    ordered.put("b", null);
    return Stream.of(
        Arguments.of(Schema.STRING_SCHEMA, "say \"hi\"\n", "\"say \\\"hi\\\"\\n\""),
        Arguments.of(Schema.INT8_SCHEMA, (byte) -1, "-1"),
        Arguments.of(Schema.INT64_SCHEMA, Long.MAX_VALUE, "9223372036854775807"),
        Arguments.of(Schema.FLOAT32_SCHEMA, 0.1f, "0.1"),
        Arguments.of(Schema.FLOAT64_SCHEMA, 0.1, "0.1"),
        Arguments.of(Schema.FLOAT64_SCHEMA, Double.NaN, "\"NaN\""),
        Arguments.of(Schema.BOOLEAN_SCHEMA, true, "true"),
        Arguments.of(Schema.OPTIONAL_STRING_SCHEMA, null, "null"),
        Arguments.of(Schema.BYTES_SCHEMA, new byte[] {1, 2, 3}, "\"AQID\""),
        Arguments.of(Schema.BYTES_SCHEMA, ByteBuffer.wrap(new byte[] {1, 2, 3}), "\"AQID\""),
        Arguments.of(Decimal.schema(2), new BigDecimal("12.50"), "12.50"),
        Arguments.of(Decimal.schema(-3), new BigDecimal("1E+3"), "1000"),
        Arguments.of(null, new BigInteger("9223372036854775808"), "9223372036854775808"),
        Arguments.of(Timestamp.SCHEMA, new java.util.Date(1), "\"1970-01-01T00:00:00.001Z\""),
        Arguments.of(null, new java.util.Date(1), "\"1970-01-01T00:00:00.001Z\""),
        Arguments.of(Date.SCHEMA, new java.util.Date(86_400_000), "\"1970-01-02\""),
        Arguments.of(Time.SCHEMA, new java.util.Date(1), "\"00:00:00.001\""),
        Arguments.of(null, ordered, "{\"a\":1,\"b\":null}"),
        Arguments.of(null, Map.of(1, "x"), "{\"1\":\"x\"}"),
        Arguments.of(null, Map.of(ByteBuffer.wrap(new byte[] {1}), 1), "{\"AQ==\":1}"),
        Arguments.of(
            SchemaBuilder.map(Date.SCHEMA, Schema.INT32_SCHEMA).build(),
            Map.of(new java.util.Date(86_400_000), 1),
            "{\"1970-01-02\":1}"),
        Arguments.of(null, Map.of(List.of("a"), 1), "{\"[\\\"a\\\"]\":1}"),
        Arguments.of(null, "\ud83d\ude00", "\"\\uD83D\\uDE00\""),
        Arguments.of(null, Arrays.asList("a", null, List.of(1)), "[\"a\",null,[1]]"),
        Arguments.of(
            ORDER,
            new Struct(ORDER)
                .put("id", 1L)
                .put("price", new BigDecimal("9.99"))
                .put("at", new java.util.Date(0)),
            "{\"id\":1,\"price\":9.99,\"at\":\"1970-01-01T00:00:00Z\",\"note\":null}"));
  }

  @ParameterizedTest
  @MethodSource("values")
  void everyConnectTypeHasItsNaturalJson(Schema schema, Object value, String json) {
    assertThat(new String(JsonBody.of(schema, value), StandardCharsets.UTF_8)).isEqualTo(json);
  }

  @Test
  void aValueThatIsNoConnectTypeIsARecordError() {
    assertThatThrownBy(() -> JsonBody.of(null, new Object())).isInstanceOf(DataException.class);
  }
}
