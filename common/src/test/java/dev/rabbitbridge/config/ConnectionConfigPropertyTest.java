// SPDX-License-Identifier: Apache-2.0
package dev.rabbitbridge.config;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import org.apache.kafka.common.config.AbstractConfig;
import org.apache.kafka.common.config.ConfigDef;
import org.apache.kafka.common.config.ConfigValue;

class ConnectionConfigPropertyTest {
  private static final String SECRET = "s3cret-marker";
  private static final ConnectorKeys KEYS =
      new ConnectorKeys(
          ConnectionConfig.addTo(new ConfigDef()),
          ConnectionConfig.ALIASES,
          ConnectionConfig.IGNORED_KEYS);

  @Property(tries = 500)
  void validateAnswersWhateverItIsAsked(@ForAll("configurations") Map<String, String> props) {
    // F82, F90
    List<ConfigValue> values = KEYS.validate(props, ConnectionConfig::checkRules);

    assertThat(values).extracting(ConfigValue::name).containsAll(KEYS.definition().names());
    assertThat(values)
        .filteredOn(value -> isSecret(value.name()))
        .allSatisfy(
            value ->
                assertThat(value.errorMessages() + " " + value.value()).doesNotContain(SECRET));
  }

  @Property(tries = 500)
  void whatIsValidCanBeRead(@ForAll("configurations") Map<String, String> props) {
    List<ConfigValue> values = KEYS.validate(props, ConnectionConfig::checkRules);
    if (values.stream().allMatch(value -> value.errorMessages().isEmpty())) {
      ConnectionConfig config =
          new ConnectionConfig(new AbstractConfig(KEYS.definition(), KEYS.resolve(props), false));

      assertThat(config.addresses()).isNotEmpty();
      assertThat(config.login().mechanism()).isNotNull();
      assertThat(config.warnings().toString()).doesNotContain(SECRET);
      if (config.isTls()) {
        assertThat(config.tls().context()).isNotNull();
      }
    }
  }

  @Provide
  Arbitrary<Map<String, String>> configurations() {
    List<String> names = new ArrayList<>(KEYS.definition().names());
    names.addAll(
        List.of(
            "rabbitmq.https.ssl.protocol", "confluent.license", "rabbitmq.nonsense", "tasks.max"));
    Arbitrary<String> values =
        Arbitraries.oneOf(
            Arbitraries.of(
                "",
                "0",
                "1",
                "-1",
                "5672",
                "70000",
                "true",
                "SSL",
                "PLAINTEXT",
                "PLAIN",
                "EXTERNAL",
                "OAUTH2",
                "PEM",
                "TLSv1.3",
                "https",
                "https://idp/token",
                "a:1,b:2",
                "localhost",
                SECRET,
                "amqps://u:" + SECRET + "@h/v",
                "amqp://" + SECRET + "@",
                "/no/such/file",
                "java.lang.String"),
            Arbitraries.strings().ofMaxLength(20),
            Arbitraries.just((String) null));
    return Arbitraries.maps(Arbitraries.of(names), values).ofMaxSize(12);
  }

  private static boolean isSecret(String key) {
    ConfigDef.ConfigKey known = KEYS.definition().configKeys().get(key);
    return known != null && known.type == ConfigDef.Type.PASSWORD;
  }
}
