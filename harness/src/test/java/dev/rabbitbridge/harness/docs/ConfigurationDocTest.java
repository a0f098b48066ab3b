// SPDX-License-Identifier: Apache-2.0
package dev.rabbitbridge.harness.docs;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rabbitbridge.harness.Checkout;
import dev.rabbitbridge.sink.RabbitMQSinkConnector;
import dev.rabbitbridge.source.RabbitMQSourceConnector;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.apache.kafka.common.config.ConfigDef;
import org.apache.kafka.common.config.ConfigDef.ConfigKey;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class ConfigurationDocTest {
  private static final Path FILE = Checkout.root().resolve("docs/configuration.md");
  private static final String RENDER =
      "mvn verify -pl harness -am -Dtest=ConfigurationDocTest -Dsurefire.failIfNoSpecifiedTests=false"
          + " -DskipITs -Ddocs.render";

  private static final ConfigDef SINK = new RabbitMQSinkConnector().config();
  private static final ConfigDef SOURCE = new RabbitMQSourceConnector().config();

  @Test
  void theTablesAreWhatTheConnectorsDefine() throws IOException {
    ConfigurationDoc doc = new ConfigurationDoc(SINK, SOURCE);
    String written = Files.readString(FILE);
    if (System.getProperty("docs.render") != null) {
      Files.writeString(FILE, doc.rendered(written));
      written = Files.readString(FILE);
    }

    assertThat(doc.missingIn(written)).isEmpty();
    assertThat(written)
        .as("docs/configuration.md is out of date; write it anew with: %s", RENDER)
        .isEqualTo(doc.rendered(written));
  }

  static Stream<ConfigDef> definitions() {
    return Stream.of(SINK, SOURCE);
  }

  @ParameterizedTest
  @MethodSource("definitions")
  void everyKeyHasWhatFormsNeed(ConfigDef definition) {
    assertThat(definition.configKeys().values())
        .allSatisfy(
            key -> {
              assertThat(key.group).as(key.name).isNotEmpty();
              assertThat(key.orderInGroup).as(key.name).isPositive();
              assertThat(key.displayName).as(key.name).isNotEmpty().isNotEqualTo(key.name);
              assertThat(key.width).as(key.name).isNotEqualTo(ConfigDef.Width.NONE);
              assertThat(key.documentation).as(key.name).endsWith(".");
            });
    assertThat(definition.configKeys().values().stream().map(ConfigurationDocTest::place))
        .doesNotHaveDuplicates();
  }

  @ParameterizedTest
  @MethodSource("definitions")
  void formsOfferTheDefaultOfEveryChoice(ConfigDef definition) {
    assertThat(definition.configKeys().values())
        .filteredOn(key -> key.recommender != null && key.defaultValue instanceof String)
        .allSatisfy(
            key -> {
              List<Object> offered = key.recommender.validValues(key.name, Map.of());
              assertThat(offered.isEmpty() || offered.contains(key.defaultValue))
                  .as("%s is offered %s and has %s", key.name, offered, key.defaultValue)
                  .isTrue();
            });
  }

  @ParameterizedTest
  @MethodSource("definitions")
  void whateverLooksLikeASecretIsOne(ConfigDef definition) { // F82
    assertThat(definition.configKeys().values())
        .filteredOn(key -> key.name.matches(".*(password|secret|\\.uri|keystore\\.key)$"))
        .filteredOn(key -> !key.name.equals("rabbitmq.oauth2.token.endpoint.uri"))
        .isNotEmpty()
        .allSatisfy(key -> assertThat(key.type).as(key.name).isEqualTo(ConfigDef.Type.PASSWORD));
  }

  private static String place(ConfigKey key) {
    return key.group + "/" + key.orderInGroup;
  }
}
