// SPDX-License-Identifier: Apache-2.0
package dev.rabbitbridge.message;

import static org.assertj.core.api.Assertions.assertThat;

import com.rabbitmq.client.impl.LongStringHelper;
import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Date;
import java.util.List;
import java.util.Map;
import org.apache.kafka.connect.data.Decimal;
import org.apache.kafka.connect.data.Schema;
import org.apache.kafka.connect.data.SchemaAndValue;
import org.apache.kafka.connect.data.Timestamp;
import org.apache.kafka.connect.header.ConnectHeaders;
import org.junit.jupiter.api.Test;

class ReceivedFieldTest {
  private static final Date NOON = new Date(1_700_000_000_000L);

  @Test
  void scalarsKeepTheirTypes() {
    assertIs(true, Schema.BOOLEAN_SCHEMA, true);
    assertIs((byte) -1, Schema.INT8_SCHEMA, (byte) -1);
    assertIs((short) 1, Schema.INT16_SCHEMA, (short) 1);
    assertIs(1, Schema.INT32_SCHEMA, 1);
    assertIs(4_000_000_000L, Schema.INT64_SCHEMA, 4_000_000_000L);
    assertIs(1.5f, Schema.FLOAT32_SCHEMA, 1.5f);
    assertIs(1.5, Schema.FLOAT64_SCHEMA, 1.5);
    assertIs("text", Schema.STRING_SCHEMA, "text");
    assertIs(new byte[] {1}, Schema.BYTES_SCHEMA, new byte[] {1});
    assertIs(NOON, Timestamp.SCHEMA, NOON);
    assertIs(new BigDecimal("12.340"), Decimal.schema(3), new BigDecimal("12.340"));
  }

  @Test
  void aVoidFieldIsNull() { // F03
    assertThat(ReceivedField.toConnect(null)).isEqualTo(SchemaAndValue.NULL);
  }

  @Test
  void aLongStringIsItsText() { // F02
    assertIs(LongStringHelper.asLongString("grün"), Schema.STRING_SCHEMA, "grün");
  }

  @Test
  void aLongStringThatIsNoTextStaysItsBytes() {
    byte[] bytes = {(byte) 0xC3, (byte) 0x28};

    assertIs(LongStringHelper.asLongString(bytes), Schema.BYTES_SCHEMA, bytes);
  }

  @Test
  void listsAndTablesKeepNestingAndOrder() { // F01
    Object field =
        List.of(
            Map.of("uri", LongStringHelper.asLongString("u1"), "n", 1L),
            Arrays.asList(true, null, LongStringHelper.asLongString("x")));

    assertThat(ReceivedField.toConnect(field))
        .isEqualTo(
            new SchemaAndValue(
                null, List.of(Map.of("uri", "u1", "n", 1L), Arrays.asList(true, null, "x"))));
  }

  @Test
  void insideThemWhatOnlyASchemaTellsApartIsText() {
    Object field = List.of(NOON, new BigDecimal("1E+3"), "é".getBytes(StandardCharsets.ISO_8859_1));

    assertThat(ReceivedField.toConnect(field).value())
        .isEqualTo(List.of("2023-11-14T22:13:20Z", "1000", "6Q=="));
  }

  @Test
  void everyConvertedValueIsAValidHeader() {
    ConnectHeaders headers = new ConnectHeaders();

    ReceivedProperties.addOwnHeaders(
        headers, Map.of("a", List.of(1, "x"), "b", NOON, "c", new BigDecimal("1.5")), "p.");

    assertThat(headers).extracting(header -> header.key()).contains("p.a", "p.b", "p.c");
  }

  private static void assertIs(Object field, Schema schema, Object value) {
    SchemaAndValue converted = ReceivedField.toConnect(field);
    assertThat(converted.schema()).isEqualTo(schema);
    assertThat(converted.value()).isEqualTo(value);
  }
}
