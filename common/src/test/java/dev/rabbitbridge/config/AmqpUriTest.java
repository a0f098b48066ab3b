// SPDX-License-Identifier: Apache-2.0
package dev.rabbitbridge.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

class AmqpUriTest {

  static Stream<Arguments> parts() {
    return Stream.of(
        row("amqp://host", false, "host", 5672, null, null, null),
        row("amqps://host", true, "host", 5671, null, null, null),
        row("AMQPS://host:1/v", true, "host", 1, null, null, "v"),
        row("amqp://user@host", false, "host", 5672, "user", null, null),
        row("amqp://user:pass@host:10000/vhost", false, "host", 10000, "user", "pass", "vhost"),
        // An underscore makes java.net.URI lose the host, and the client connect to localhost.
        row("amqp://u:p@rabbit_mq:5672/v", false, "rabbit_mq", 5672, "u", "p", "v"),
        row("amqp://[::1]:5673", false, "[::1]", 5673, null, null, null),
        row("amqp://host/%2f", false, "host", 5672, null, null, "/"),
        row("amqp://host/", false, "host", 5672, null, null, ""),
        row("amqp://host/a%2525b", false, "host", 5672, null, null, "a%25b"),
        row(
            "amqp://us%61r:p%3A%40%2F%3f+%C3%A9@host",
            false, "host", 5672, "usar", "p:@/?+é", null),
        row("amqp://user:p:q@host", false, "host", 5672, "user", "p:q", null),
        row("  amqp://host  ", false, "host", 5672, null, null, null));
  }

  @ParameterizedTest
  @MethodSource("parts")
  void everyPartIsFoundAndDecodedOnce(
      String text, boolean tls, String host, int port, String user, String password, String vhost) {
    assertThat(AmqpUri.parse(text)).isEqualTo(new AmqpUri(tls, host, port, user, password, vhost));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "host:5672",
        "http://user:s3cret@host",
        "amqp://",
        "amqp://user:s3cret@",
        "amqp://user:s3cret@ho st",
        "amqp://user:s3cret@host:port",
        "amqp://user:s3cret@host:70000",
        "amqp://user:s3cret@host:0",
        "amqp://user:s3cret%zz@host",
        "amqp://user:s3cret@host/a/b",
        "amqp://user:s3cret@host?heartbeat=5",
        "amqp://user:s3cret@host,other",
        "amqp://user:s3cret@@host"
      })
  void whatIsNotOneIsRefusedWithoutQuotingIt(String text) { // F82
    assertThatThrownBy(() -> AmqpUri.parse(text))
        .isInstanceOf(InvalidSetting.class)
        .hasMessageStartingWith("rabbitmq.uri ")
        .hasMessageNotContaining("s3cret")
        .hasNoCause();
  }

  @Test
  void itsTextHoldsNoSecret() { // F82
    assertThat(AmqpUri.parse("amqps://user:s3cret@host/v")).hasToString("amqps://host:5671");
  }

  private static Arguments row(Object... parts) {
    return Arguments.of(parts);
  }
}
