// SPDX-License-Identifier: Apache-2.0
package dev.rabbitbridge.message;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Map;
import java.util.Set;
import org.apache.kafka.common.config.ConfigException;
import org.apache.kafka.connect.errors.DataException;
import org.junit.jupiter.api.Test;

class TemplateTest {
  private static final Set<String> NAMES = Set.of("topic", "header:");
  private final Map<String, String> values = Map.of("topic", "orders", "header:region", "us");

  @Test
  void literalTextIsTheSameForEveryRecord() {
    assertThat(parse("a.b").isStatic()).isTrue();
    assertThat(parse("").isStatic()).isTrue();
    assertThat(render("")).isEmpty();
    assertThat(render("costs $5 {x}")).isEqualTo("costs $5 {x}");
  }

  @Test
  void referencesAreFilledIn() {
    assertThat(parse("${topic}").isStatic()).isFalse();
    assertThat(render("${topic}")).isEqualTo("orders");
    assertThat(render("x.${topic}.${header:region}.y")).isEqualTo("x.orders.us.y");
  }

  @Test
  void aDefaultStandsInForAMissingValue() {
    assertThat(render("${header:zone|eu}")).isEqualTo("eu");
    assertThat(render("${header:zone|}")).isEmpty();
    assertThat(render("${header:region|eu}")).isEqualTo("us");
  }

  @Test
  void aMissingValueWithoutADefaultIsARecordError() {
    assertThatThrownBy(() -> render("${header:zone}"))
        .isInstanceOf(DataException.class)
        .hasMessageContaining("${header:zone}");
  }

  @Test
  void badTemplatesAreRefusedWithTheKeyAndWhatIsKnown() {
    assertThatThrownBy(() -> parse("${topic"))
        .isInstanceOf(ConfigException.class)
        .hasMessageContaining("rabbitmq.exchange");
    assertThatThrownBy(() -> parse("${tpoic}")).hasMessageContaining("${topic}");
    assertThatThrownBy(() -> parse("${header:}")).isInstanceOf(ConfigException.class);
    assertThatThrownBy(() -> parse("${header}")).isInstanceOf(ConfigException.class);
  }

  private Template parse(String text) {
    return Template.parse("rabbitmq.exchange", text, NAMES);
  }

  private String render(String text) {
    return parse(text).render((name, argument) -> values.get(name + argument));
  }
}
