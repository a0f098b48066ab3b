// SPDX-License-Identifier: Apache-2.0
package dev.rabbitbridge.source;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import org.apache.kafka.connect.errors.DataException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class RecordValueTest {
  @Test
  void jsonBecomesMapsListsAndSimpleValues() {
    assertThat(json("{\"a\":[1,2.5,\"x\",true,null],\"b\":{\"c\":-7}}"))
        .isEqualTo(
            Map.of("a", java.util.Arrays.asList(1L, 2.5, "x", true, null), "b", Map.of("c", -7L)));
  }

  @Test
  void numbersThatNothingHoldsExactlyStayText() {
    assertThat(json("[9223372036854775807,9223372036854775808]"))
        .isEqualTo(List.of(Long.MAX_VALUE, "9223372036854775808"));
    assertThat(json("[0.1,0.10000000000000000001,1e400,1e-400]"))
        .isEqualTo(List.of(0.1, "0.10000000000000000001", "1e400", "1e-400"));
    assertThat(json("[1e-99999999999,1E+99999999999,1e-2147483649]"))
        .isEqualTo(List.of("1e-99999999999", "1E+99999999999", "1e-2147483649"));
  }

  /** UTF-32 in an order that nobody uses, and UTF-32 with what is no character. */
  @ParameterizedTest
  @ValueSource(strings = {"0000FFFE", "FEFF0000", "0000FEFF7FFFFFFF", "000000227FFFFFFF00000022"})
  void whatOnlyBeginsLikeUnicodeIsNoJson(String hex) { // F08
    byte[] body = HexFormat.of().parseHex(hex);

    assertThatThrownBy(() -> RecordValue.json(body))
        .isInstanceOf(DataException.class)
        .hasMessageContaining("not JSON");
  }

  @ParameterizedTest
  @ValueSource(strings = {"", " ", "{", "1 2", "{\"secret\":1,\"secret\":2}", "nul", "[1,]"})
  void whatIsNotExactlyOneJsonValueIsRefusedWithoutQuotingIt(String body) {
    assertThatThrownBy(() -> json(body))
        .isInstanceOf(DataException.class)
        .hasMessageNotContaining("secret")
        .hasNoCause();
  }

  @Test
  void endlessNestingIsRefused() {
    assertThatThrownBy(() -> json("[".repeat(100_000))).isInstanceOf(DataException.class);
  }

  @Test
  void textIsDecodedInTheCharsetThatTheMessageNames() {
    byte[] latin = "grün".getBytes(StandardCharsets.ISO_8859_1);
    byte[] utf8 = "grün".getBytes(StandardCharsets.UTF_8);

    assertThat(RecordValue.string(latin, "text/plain; charset=ISO-8859-1", "utf-8").value())
        .isEqualTo("grün");
    assertThat(RecordValue.string(latin, null, "latin1").value()).isEqualTo("grün");
    assertThat(RecordValue.string(utf8, "text/plain", "gzip").value()).isEqualTo("grün");
    assertThatThrownBy(() -> RecordValue.string(latin, null, null))
        .isInstanceOf(DataException.class);
    assertThatThrownBy(() -> RecordValue.string(utf8, "text/plain; charset=klingon", null))
        .isInstanceOf(DataException.class);
  }

  @ParameterizedTest
  @CsvSource({
    "application/json, JSON",
    "application/vnd.x+json;v=1, JSON",
    "Text/Plain; charset=utf-8, STRING",
    "application/octet-stream, BYTES",
    ", BYTES"
  })
  void theContentTypeChoosesTheFormat(String contentType, ValueFormat format) {
    assertThat(RecordValue.formatOf(contentType)).isEqualTo(format);
  }

  private static Object json(String body) {
    return RecordValue.json(body.getBytes(StandardCharsets.UTF_8)).value();
  }
}
