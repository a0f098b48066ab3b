// SPDX-License-Identifier: Apache-2.0
package dev.rabbitbridge.config;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.apache.kafka.common.config.AbstractConfig;
import org.apache.kafka.common.config.ConfigDef;
import org.apache.kafka.common.config.ConfigValue;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

class LoginConfigTest {
  private static final String MECHANISM = LoginConfig.MECHANISM_CONFIG;
  private static final String ENDPOINT = LoginConfig.TOKEN_ENDPOINT_CONFIG;
  private static final String CLIENT = LoginConfig.CLIENT_ID_CONFIG;
  private static final String SECRET = LoginConfig.CLIENT_SECRET_CONFIG;

  private static final ConnectorKeys KEYS =
      new ConnectorKeys(
          ConnectionConfig.addTo(new ConfigDef()),
          ConnectionConfig.ALIASES,
          ConnectionConfig.IGNORED_KEYS);

  static Stream<Arguments> combinations() {
    return Stream.of(
        row(Map.of(MECHANISM, "PLAIN")),
        row(Map.of(MECHANISM, "plain")),
        row(Map.of(MECHANISM, "GSSAPI"), MECHANISM),
        row(Map.of(MECHANISM, "OAUTH2"), ENDPOINT, CLIENT, SECRET),
        row(
            Map.of(MECHANISM, "OAUTH2", ENDPOINT, "https://idp/token", CLIENT, "", SECRET, ""),
            CLIENT,
            SECRET),
        row(Map.of(MECHANISM, "OAUTH2", ENDPOINT, "https://idp/token", CLIENT, "c", SECRET, "s")),
        row(Map.of(MECHANISM, "OAUTH2", ENDPOINT, "idp", CLIENT, "c", SECRET, "s"), ENDPOINT),
        row(
            Map.of(MECHANISM, "OAUTH2", ENDPOINT, "https://idp:70000/", CLIENT, "c", SECRET, "s"),
            ENDPOINT),
        row(
            Map.of(MECHANISM, "OAUTH2", ENDPOINT, "ftp://idp/", CLIENT, "c", SECRET, "s"),
            ENDPOINT),
        row(
            Map.of(MECHANISM, "OAUTH2", ENDPOINT, "http://u:p@idp/", CLIENT, "c", SECRET, "s"),
            ENDPOINT),
        row(
            Map.of(
                MECHANISM,
                "OAUTH2",
                ENDPOINT,
                "https://idp/token",
                CLIENT,
                "c",
                SECRET,
                "s",
                "rabbitmq.oauth2.ssl.truststore.location",
                "/no/such/file"),
            "rabbitmq.oauth2.ssl.truststore.location"),
        // Forgetting the mechanism would log in as guest.
        row(Map.of(ENDPOINT, "https://idp/token"), MECHANISM),
        row(Map.of(MECHANISM, "EXTERNAL"), MECHANISM),
        row(Map.of(MECHANISM, "EXTERNAL", "rabbitmq.security.protocol", "SSL"), MECHANISM),
        row(Map.of(MECHANISM, "EXTERNAL", "rabbitmq.uri", "amqps://host"), MECHANISM));
  }

  @ParameterizedTest
  @MethodSource("combinations")
  void whatIsMissingIsSaidOfExactlyItsKey(Map<String, String> props, Set<String> wrong) {
    assertThat(errors(props).keySet()).isEqualTo(wrong);
  }

  @Test
  void aSecretThatGoesOverPlainHttpIsWarnedOf() {
    Map<String, String> props =
        Map.of(MECHANISM, "OAUTH2", ENDPOINT, "http://idp/token", CLIENT, "c", SECRET, "s");

    assertThat(new ConnectionConfig(new AbstractConfig(KEYS.definition(), props, false)).warnings())
        .singleElement()
        .asString()
        .startsWith(ENDPOINT + " is not https");
  }

  private static Arguments row(Map<String, String> props, String... wrong) {
    return Arguments.of(props, Set.of(wrong));
  }

  private static Map<String, List<String>> errors(Map<String, String> props) {
    return KEYS.validate(props, ConnectionConfig::checkRules).stream()
        .filter(value -> !value.errorMessages().isEmpty())
        .collect(Collectors.toMap(ConfigValue::name, ConfigValue::errorMessages));
  }
}
