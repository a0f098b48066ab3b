// SPDX-License-Identifier: Apache-2.0
package dev.rabbitbridge.config;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.apache.kafka.common.config.ConfigDef;
import org.apache.kafka.common.config.ConfigValue;
import org.junit.jupiter.api.Test;

class ConnectorKeysTest {
  private final ConnectorKeys keys =
      new ConnectorKeys(
          ConnectionConfig.addTo(new ConfigDef()),
          Map.of(
              "rabbitmq.https.ssl.",
              "rabbitmq.ssl.",
              "rabbitmq.hostname",
              ConnectionConfig.HOST_CONFIG),
          ConnectionConfig.IGNORED_KEYS);

  @Test
  void anUnknownKeyNamesTheClosestKnownOne() { // F91
    assertThat(errors(Map.of("rabbitmq.hots", "h")))
        .isEqualTo(
            Map.of(
                "rabbitmq.hots",
                List.of("rabbitmq.hots is no key of this connector; did you mean rabbitmq.host?")));
  }

  @Test
  void aKeyInCapitalsIsMisspelt() { // F91
    assertThat(errors(Map.of("RabbitMQ.Host", "h")))
        .isEqualTo(
            Map.of(
                "RabbitMQ.Host",
                List.of("RabbitMQ.Host is no key of this connector; did you mean rabbitmq.host?")));
  }

  @Test
  void whatIsMisspeltBelowAnAliasNamesTheClosestOfWhatItStandsFor() { // F91
    assertThat(errors(Map.of("rabbitmq.https.ssl.truststore.locaton", "/file")).values())
        .containsExactly(
            List.of(
                "rabbitmq.https.ssl.truststore.locaton is no key of this connector; did you mean"
                    + " rabbitmq.ssl.truststore.location?"));
  }

  @Test
  void everyMessageNamesItsKeyOnce() {
    Map<String, List<String>> errors =
        errors(
            Map.of(
                "rabbitmq.hots",
                "h",
                ConnectionConfig.CHANNEL_MAX_CONFIG,
                "70000",
                ConnectionConfig.HEARTBEAT_CONFIG,
                "often",
                ConnectionConfig.URI_CONFIG,
                "nothing",
                LoginConfig.MECHANISM_CONFIG,
                "EXTERNAL"));

    assertThat(errors).hasSize(5);
    errors.forEach(
        (key, messages) ->
            assertThat(messages)
                .singleElement()
                .asString()
                .containsOnlyOnce(key + (key.endsWith("host") ? " " : "")));
  }

  @Test
  void keysOfTheFrameworkAreNotComplainedAbout() { // F91
    assertThat(
            errors(
                Map.of(
                    "transforms", "t",
                    "errors.tolerance", "all",
                    "producer.override.acks", "all",
                    "confluent.license", "",
                    "value.converter", "x")))
        .isEmpty();
  }

  @Test
  void valuesOutOfRangeAreErrorsOnExactlyTheirKeys() { // F90
    assertThat(
            errors(
                    Map.of(
                        ConnectionConfig.PORT_CONFIG, "70000",
                        ConnectionConfig.HEARTBEAT_CONFIG, "-5",
                        ConnectionConfig.ADDRESSES_CONFIG, "a:1,b:99999",
                        ConnectionConfig.CONNECTION_TIMEOUT_CONFIG, "soon",
                        ConnectionConfig.HOST_CONFIG, "amqp://rabbit:5672",
                        ConnectionConfig.FRAME_MAX_CONFIG, "100",
                        ConnectionConfig.RECONNECT_BACKOFF_MAX_CONFIG, "10"))
                .keySet())
        .isEqualTo(
            Set.of(
                ConnectionConfig.HOST_CONFIG,
                ConnectionConfig.FRAME_MAX_CONFIG,
                ConnectionConfig.RECONNECT_BACKOFF_MAX_CONFIG,
                ConnectionConfig.PORT_CONFIG,
                ConnectionConfig.HEARTBEAT_CONFIG,
                ConnectionConfig.ADDRESSES_CONFIG,
                ConnectionConfig.CONNECTION_TIMEOUT_CONFIG));
  }

  @Test
  void aUriExcludesWhatItSays() {
    assertThat(
            errors(
                    Map.of(
                        ConnectionConfig.URI_CONFIG, "amqp://u:p@h:5672/v",
                        ConnectionConfig.HOST_CONFIG, "other",
                        ConnectionConfig.PASSWORD_CONFIG, "other"))
                .keySet())
        .isEqualTo(Set.of(ConnectionConfig.HOST_CONFIG, ConnectionConfig.PASSWORD_CONFIG));
  }

  @Test
  void aBadUriIsNotQuoted() { // F82
    Map<String, List<String>> errors =
        errors(Map.of(ConnectionConfig.URI_CONFIG, "amqp://user:s3cret@ho st"));

    assertThat(errors.keySet()).isEqualTo(Set.of(ConnectionConfig.URI_CONFIG));
    assertThat(errors.toString()).doesNotContain("s3cret");
  }

  @Test
  void anAliasStandsForItsKey() {
    Map<String, String> props =
        Map.of("rabbitmq.hostname", "h", "rabbitmq.https.ssl.protocol", "TLSv1.3");

    assertThat(errors(props)).isEmpty();
    assertThat(keys.resolve(props))
        .containsEntry(ConnectionConfig.HOST_CONFIG, "h")
        .containsEntry("rabbitmq.ssl.protocol", "TLSv1.3");
  }

  @Test
  void aWrongValueIsAlsoSaidOfTheAliasThatItWasSetBy() {
    assertThat(errors(Map.of("rabbitmq.hostname", "a b")).get(ConnectionConfig.HOST_CONFIG))
        .singleElement()
        .asString()
        .startsWith("Invalid value a b for configuration rabbitmq.host: ")
        .endsWith(" (set as rabbitmq.hostname)");
  }

  @Test
  void aNullMeansNotSet() { // F90
    Map<String, String> props = new HashMap<>();
    keys.definition().names().forEach(key -> props.put(key, null));
    props.put("rabbitmq.hots", null);

    assertThat(errors(props)).isEmpty();
    assertThat(keys.resolve(props)).isEmpty();
  }

  @Test
  void anOptionalKeyThatIsLeftBlankIsNotSet() { // F90
    Map<String, String> props = new HashMap<>();
    keys.definition().configKeys().values().stream()
        .filter(key -> key.defaultValue == null)
        .forEach(key -> props.put(key.name, key.name.endsWith("uri") ? "" : " "));
    props.put("rabbitmq.https.ssl.keystore.location", "");
    assertThat(props).containsKeys("rabbitmq.uri", "rabbitmq.port", "rabbitmq.connection.name");

    assertThat(errors(props)).isEmpty();
    assertThat(keys.resolve(props)).isEmpty();
    assertThat(keys.warnings(props)).isEmpty();
  }

  @Test
  void whatMeansSomethingByBeingEmptyIsSet() {
    String check = "rabbitmq.ssl.endpoint.identification.algorithm";
    ConnectorKeys some =
        new ConnectorKeys(
            keys.definition(), Map.of(), Set.of(), Set.of(ConnectionConfig.CONNECTION_NAME_CONFIG));

    assertThat(keys.resolve(Map.of(check, ""))).containsEntry(check, "");
    assertThat(some.resolve(Map.of(ConnectionConfig.CONNECTION_NAME_CONFIG, "")))
        .containsOnlyKeys(ConnectionConfig.CONNECTION_NAME_CONFIG);
  }

  @Test
  void everyKeyHasWhatFormsNeed() {
    assertThat(keys.definition().configKeys().values())
        .allSatisfy(
            key -> {
              assertThat(key.group).as(key.name).isNotEmpty();
              assertThat(key.orderInGroup).as(key.name).isPositive();
              assertThat(key.displayName).as(key.name).isNotEmpty().doesNotStartWith("rabbitmq.");
              assertThat(key.width).as(key.name).isNotEqualTo(ConfigDef.Width.NONE);
              assertThat(key.documentation).as(key.name).endsWith(".");
            });
    assertThat(
            keys.definition().configKeys().values().stream()
                .map(key -> key.group + "/" + key.orderInGroup))
        .doesNotHaveDuplicates();
  }

  @Test
  void aliasAndKeyTogetherAreAnErrorOnTheAlias() {
    assertThat(errors(Map.of("rabbitmq.hostname", "a", ConnectionConfig.HOST_CONFIG, "b")).keySet())
        .isEqualTo(Set.of("rabbitmq.hostname"));
  }

  @Test
  void keysWithoutMeaningHereAreWarnedAbout() {
    assertThat(
            keys.warnings(
                Map.of(
                    "confluent.topic.replication.factor",
                    "1",
                    "rabbitmq.automatic.recovery.enabled",
                    "true",
                    "name",
                    "n")))
        .hasSize(2)
        .allMatch(sentence -> sentence.contains("ignored"));
  }

  @Test
  void aKeyWithAnotherNameHereIsWarnedAbout() {
    assertThat(keys.warnings(Map.of("rabbitmq.https.ssl.protocol", "TLSv1.3")))
        .containsExactly(
            "rabbitmq.https.ssl.protocol is another name for rabbitmq.ssl.protocol; rename it");
  }

  private Map<String, List<String>> errors(Map<String, String> props) {
    return keys.validate(props, ConnectionConfig::checkRules).stream()
        .filter(value -> !value.errorMessages().isEmpty())
        .collect(Collectors.toMap(ConfigValue::name, ConfigValue::errorMessages));
  }
}
