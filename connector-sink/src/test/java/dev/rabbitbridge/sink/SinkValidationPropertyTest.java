// SPDX-License-Identifier: Apache-2.0
package dev.rabbitbridge.sink;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Example;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import org.apache.kafka.common.config.ConfigValue;

class SinkValidationPropertyTest {
  private static final Map<String, String> GOOD =
      Map.of(
          "topics", "orders",
          "rabbitmq.host", "rabbit",
          "rabbitmq.exchange", "e",
          "rabbitmq.routing.key", "${topic}",
          "rabbitmq.topic.queue.map", "{\"returns\":\"q\"}",
          "rabbitmq.delivery.mode", "TRANSIENT",
          "rabbitmq.publish.max.batch.size", "10",
          "rabbitmq.topology", "check");

  private final RabbitMQSinkConnector connector = new RabbitMQSinkConnector();

  @Property(tries = 500)
  void validateAnswersWhateverItIsAsked(@ForAll("configurations") Map<String, String> props) {
    // F90
    List<ConfigValue> values = connector.validate(props).configValues();

    assertThat(values).extracting(ConfigValue::name).containsAll(connector.config().names());
  }

  @Example
  void eachMissingKeyIsSaidOfItselfAlone() { // F90
    assertThat(wrong(GOOD)).isEmpty();
    for (String key : GOOD.keySet()) {
      Map<String, String> less = new HashMap<>(GOOD);
      less.remove(key);
      boolean needed = key.equals("rabbitmq.exchange") || key.equals("rabbitmq.routing.key");

      assertThat(wrong(less)).as(key).isEqualTo(needed ? List.of(key) : List.of());
    }
    assertThat(wrong(Map.of()))
        .containsExactlyInAnyOrder("rabbitmq.exchange", "rabbitmq.routing.key");
  }

  private List<String> wrong(Map<String, String> props) {
    return connector.validate(props).configValues().stream()
        .filter(value -> !value.errorMessages().isEmpty())
        .map(ConfigValue::name)
        .toList();
  }

  @Provide
  Arbitrary<Map<String, String>> configurations() {
    List<String> names = new ArrayList<>(connector.config().names());
    names.addAll(List.of("topics", "topics.regex", "tasks.max", "rabbitmq.publish.ack.timeout"));
    Arbitrary<String> values =
        Arbitraries.oneOf(
            Arbitraries.of(
                "",
                "0",
                "1",
                "-1",
                "99999999999",
                "true",
                "none",
                "check",
                "declare",
                "json",
                "single",
                "orders",
                "a:1,b:2",
                "${topic}",
                "${",
                "${nothing}",
                "${header:x|y}",
                "{}",
                "[]",
                "null",
                "1",
                "{\"a\":null}",
                "{\"a\":\"b\"}",
                "{\"a\":{}}",
                ",",
                ":"),
            Arbitraries.strings().ofMaxLength(20),
            Arbitraries.just((String) null));
    return Arbitraries.maps(Arbitraries.of(names), values).ofMaxSize(15);
  }
}
