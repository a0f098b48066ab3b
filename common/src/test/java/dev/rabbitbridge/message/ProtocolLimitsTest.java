// SPDX-License-Identifier: Apache-2.0
package dev.rabbitbridge.message;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.rabbitmq.client.AMQP.BasicProperties;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import org.apache.kafka.connect.errors.DataException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ProtocolLimitsTest {
  private static final int FRAME_MAX = 131_072;

  @Test
  void shortStringsAreMeasuredInBytes() {
    assertThat(ProtocolLimits.shortString("routing key", "a".repeat(255))).hasSize(255);
    assertThat(ProtocolLimits.shortString("routing key", null)).isNull();
    assertThatThrownBy(() -> ProtocolLimits.shortString("routing key", "a".repeat(256)))
        .isInstanceOf(DataException.class)
        .hasMessage("routing key has 256 bytes; AMQP allows 255");
    assertThatThrownBy(() -> ProtocolLimits.shortString("routing key", "ü".repeat(128)))
        .isInstanceOf(DataException.class);
    assertThatThrownBy(() -> ProtocolLimits.shortString("routing key", "\u20ac".repeat(86)))
        .isInstanceOf(DataException.class);
  }

  @ParameterizedTest
  @ValueSource(strings = {"1500.5", "later", "-1", "", "4294967296", "99999999999999999999"})
  void anExpirationThatTheBrokerWouldRefuseIsARecordError(String text) { // F61
    assertThatThrownBy(() -> ProtocolLimits.expiration(text)).isInstanceOf(DataException.class);
  }

  @Test
  void wholeMillisecondsAreAnExpiration() { // F61
    assertThat(ProtocolLimits.expiration("1500")).isEqualTo("1500");
    assertThat(ProtocolLimits.expiration("0")).isEqualTo("0");
  }

  @Test
  void prioritiesGoFrom0To255() {
    assertThat(ProtocolLimits.priority("255")).isEqualTo(255);
    assertThatThrownBy(() -> ProtocolLimits.priority("256")).isInstanceOf(DataException.class);
  }

  @Test
  void timestampsBeginWith1970() {
    assertThat(ProtocolLimits.timestamp("0")).isZero();
    assertThatThrownBy(() -> ProtocolLimits.timestamp("-1")).isInstanceOf(DataException.class);
    assertThatThrownBy(() -> ProtocolLimits.timestamp("1970-01-01"))
        .isInstanceOf(DataException.class)
        .hasMessageContaining("milliseconds");
  }

  @Test
  void nestedHeaderNamesAreChecked() {
    Map<String, Object> table = Map.of("ok", List.of(Map.of("n".repeat(256), 1)));

    assertThatThrownBy(() -> ProtocolLimits.headerNames(table)).isInstanceOf(DataException.class);
  }

  @Test
  void headersLargerThanAFrameAreARecordError() { // F59
    BasicProperties large = withHeader("h".repeat(200 * 1024));

    assertThatThrownBy(() -> ProtocolLimits.headerFrame(large, FRAME_MAX))
        .isInstanceOf(DataException.class)
        .hasMessageContaining("131072");
    assertThatCode(() -> ProtocolLimits.headerFrame(large, 0)).doesNotThrowAnyException();
  }

  @Test
  void headersThatJustFitAreNotRefused() throws IOException { // F59
    int around = withHeader("").toFrame(0, 0).size();

    assertThatCode(
            () -> ProtocolLimits.headerFrame(withHeader("h".repeat(FRAME_MAX - around)), FRAME_MAX))
        .doesNotThrowAnyException();
    assertThatThrownBy(
            () ->
                ProtocolLimits.headerFrame(
                    withHeader("h".repeat(FRAME_MAX - around + 1)), FRAME_MAX))
        .isInstanceOf(DataException.class);
  }

  private static BasicProperties withHeader(String value) {
    return new BasicProperties.Builder().headers(Map.of("h", value)).build();
  }
}
