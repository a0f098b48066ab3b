// SPDX-License-Identifier: Apache-2.0
package dev.rabbitbridge.sink;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.apache.kafka.common.config.ConfigValue;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class RabbitMQSinkConnectorTest {
  private final RabbitMQSinkConnector connector = new RabbitMQSinkConnector();

  @Test
  void aMinimalConfigurationIsValid() {
    assertThat(errors(valid())).isEmpty();
  }

  @Test
  void missingKeysAreErrorsOnExactlyThoseKeys() { // F90
    assertThat(errors(Map.of()).keySet())
        .isEqualTo(Set.of("rabbitmq.exchange", "rabbitmq.routing.key"));
  }

  @Test
  void theDefaultExchangeHasAnEmptyName() { // F56
    Map<String, String> props = valid();
    props.put("rabbitmq.exchange", "");
    props.put("rabbitmq.routing.key", "");

    assertThat(errors(props)).isEmpty();
  }

  @Test
  void anOptionalKeyThatIsLeftBlankIsNotSet() { // F90
    Map<String, String> props = valid();
    connector.config().configKeys().values().stream()
        .filter(key -> key.defaultValue == null)
        .forEach(key -> props.put(key.name, ""));

    RabbitMQSinkConfig config = new RabbitMQSinkConfig(props);

    assertThat(errors(props)).isEmpty();
    assertThat(config.property("priority")).isNull();
    assertThat(config.topicQueueMap()).isEmpty();
    assertThat(config.routingKey()).as("empty is a routing key").isNotNull();
  }

  @Test
  void theRoutingKeyIsNotNeededWhereTheMapCoversEveryTopic() {
    Map<String, String> props = valid();
    props.remove("rabbitmq.routing.key");
    props.put("topics", "a, b");
    props.put("rabbitmq.topic.queue.map", "{\"a\":\"qa\",\"b\":\"qb\"}");
    assertThat(errors(props)).isEmpty();

    props.put("topics", "a,b,c");
    assertThat(errors(props).keySet()).isEqualTo(Set.of("rabbitmq.routing.key"));
  }

  @ParameterizedTest
  @CsvSource({
    "rabbitmq.port, 70000",
    "rabbitmq.requested.heartbeat.seconds, -5",
    "rabbitmq.delivery.mode, 3",
    "rabbitmq.value.format, xml",
    "rabbitmq.null.value.behavior, drop",
    "rabbitmq.publish.confirm.mode, none",
    "rabbitmq.publish.max.in.flight, 0",
    "rabbitmq.publish.confirm.timeout.ms, soon",
    "rabbitmq.publish.max.retries, -2",
    "rabbitmq.exchange, ${nope}",
    "rabbitmq.routing.key, ${header:}",
    "rabbitmq.property.priority, ${",
    "rabbitmq.topic.queue.map, not json",
    "rabbitmq.topic.queue.map, '{\"orders\":\"\"}'",
    "rabbitmq.headers, nocolon",
    "rabbitmq.mandatory, perhaps",
    "rabbitmq.topology, make",
    "rabbitmq.topology.queue.arguments, []",
    "rabbitmq.routing.keys, typo",
    "rabbitmq.property.colour, red",
    "consumer.override.enable.auto.commit, true"
  })
  void aBadValueIsAnErrorOnExactlyItsKey(String key, String value) { // F90, F91
    Map<String, String> props = valid();
    props.put(key, value);

    assertThat(errors(props).keySet()).isEqualTo(Set.of(key));
  }

  @Test
  void otherNamesOfASettingAreTaken() {
    Map<String, String> props = valid();
    props.put("rabbitmq.publish.max.batch.size", "7");
    props.put("rabbitmq.publish.ack.timeout", "1234");

    RabbitMQSinkConfig config = new RabbitMQSinkConfig(props);

    assertThat(errors(props)).isEmpty();
    assertThat(config.maxInFlight()).isEqualTo(7);
    assertThat(config.confirmTimeout()).hasMillis(1234);
  }

  @Test
  void aTemplateCannotBeDeclared() {
    Map<String, String> props = valid();
    props.put("rabbitmq.exchange", "ex-${topic}");
    for (String written : List.of("declare", "Declare")) {
      props.put("rabbitmq.topology", written);

      assertThat(errors(props).keySet()).isEqualTo(Set.of("rabbitmq.exchange"));
    }
  }

  @Test
  void everyTaskKnowsItsNumber() {
    connector.start(valid());

    assertThat(connector.taskConfigs(3))
        .extracting(props -> props.get(RabbitMQSinkConfig.TASK_ID))
        .containsExactly("0", "1", "2");
  }

  @Test
  void theVersionIsTheReleases() { // F92
    assertThat(connector.version()).matches("\\d+\\.\\d+\\.\\d+.*");
    assertThat(new RabbitMQSinkTask().version()).isEqualTo(connector.version());
  }

  private static Map<String, String> valid() {
    return new HashMap<>(
        Map.of("topics", "t", "rabbitmq.exchange", "ex", "rabbitmq.routing.key", "key"));
  }

  private Map<String, List<String>> errors(Map<String, String> props) {
    return connector.validate(props).configValues().stream()
        .filter(value -> !value.errorMessages().isEmpty())
        .collect(Collectors.toMap(ConfigValue::name, ConfigValue::errorMessages));
  }
}
