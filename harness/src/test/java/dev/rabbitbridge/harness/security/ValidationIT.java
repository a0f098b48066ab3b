// SPDX-License-Identifier: Apache-2.0
package dev.rabbitbridge.harness.security;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.rabbitbridge.harness.Scenario;
import dev.rabbitbridge.harness.connect.Validation;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.RandomGenerator;
import net.jqwik.api.sessions.JqwikSession;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** What the worker's REST interface answers; an answer other than 200 is an exception here. */
class ValidationIT {
  private static final int CONFIGURATIONS_OF_EACH = 250;

  @RegisterExtension final Scenario scenario = new Scenario();

  private List<Map<String, String>> good;

  @BeforeEach
  void prepare() {
    good = List.of(scenario.sink("orders", "q"), scenario.source("q", "orders"));
  }

  @Test
  void aBrokerThatIsAwayIsNoErrorOfTheConfiguration() { // F89
    for (Map<String, String> config : good) {
      config.put("rabbitmq.host", "rabbitmq.invalid");
      long start = System.nanoTime();

      assertThat(validate(config).errors()).isEmpty();
      assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(Duration.ofSeconds(10));
    }
  }

  @Test
  void aMissingKeyIsSaidOfItselfAloneAndTheOthersHaveTheirDefaults() { // F90
    for (Map<String, String> config : good) {
      List<String> required = required(config);
      Map<String, String> full = withAllDefaults(config);
      assertThat(validate(full).errors()).isEmpty();
      for (String key : full.keySet()) {
        Map<String, String> less = new HashMap<>(full);
        less.remove(key);
        if (!key.equals("connector.class") && !key.equals("topics")) {
          assertThat(validate(less).errors().keySet())
              .as("without %s", key)
              .isEqualTo(required.contains(key) ? Set.of(key) : Set.of());
        }
      }

      Map<String, String> nothing = Map.of("connector.class", config.get("connector.class"));
      Validation answer = validate(nothing);
      assertThat(answer.errors()).containsKeys(required.toArray(new String[0]));
      assertThat(value(answer, "rabbitmq.requested.heartbeat.seconds")).isEqualTo("60");
      assertThat(value(answer, "rabbitmq.virtual.host")).isEqualTo("/");
    }
  }

  /** Sets every key to its default, where that is not to have none. */
  private Map<String, String> withAllDefaults(Map<String, String> config) {
    Map<String, String> full = new HashMap<>();
    for (JsonNode known : validate(config).answer().path("configs")) {
      JsonNode value = known.path("definition").path("default_value");
      String name = known.path("definition").path("name").asText();
      if (name.startsWith("rabbitmq.") && value.isTextual()) {
        full.put(name, value.asText());
      }
    }
    // Shown as stars in the answer.
    full.remove("rabbitmq.password");
    full.putAll(config);
    assertThat(full).hasSizeGreaterThan(40);
    return full;
  }

  private static List<String> required(Map<String, String> config) {
    return config.containsKey("topics")
        ? List.of("rabbitmq.exchange", "rabbitmq.routing.key")
        : List.of("rabbitmq.queue", "kafka.topic");
  }

  @Test
  void aWrongValueIsSaidOfItselfAlone() { // F90
    Map<String, String> wrong = new HashMap<>();
    wrong.put("rabbitmq.port", "70000");
    wrong.put("rabbitmq.requested.heartbeat.seconds", "-5");
    wrong.put("rabbitmq.security.protocol", "TLS");
    wrong.put("rabbitmq.sasl.mechanism", "3");
    wrong.put("rabbitmq.uri", "http://localhost");
    wrong.put("rabbitmq.addresses", "one,two:5672");
    wrong.put("rabbitmq.reconnect.backoff.max.ms", "1");
    wrong.put("rabbitmq.topology", "maybe");
    for (Map<String, String> config : good) {
      Map<String, String> all = new HashMap<>(wrong);
      boolean sink = config.containsKey("topics");
      all.put(sink ? "rabbitmq.delivery.mode" : "rabbitmq.prefetch.count", sink ? "3" : "-1");
      all.put(sink ? "rabbitmq.routing.key" : "kafka.topic", "${nothing}");
      // Else the URI is said to exclude them.
      List.of("rabbitmq.host", "rabbitmq.port", "rabbitmq.username", "rabbitmq.password")
          .forEach(config::remove);
      all.forEach(
          (key, value) -> {
            Map<String, String> bad = new HashMap<>(config);
            bad.put(key, value);
            assertThat(validate(bad).errors()).containsOnlyKeys(key);
            assertThat(validate(bad).errors().get(key)).singleElement().asString().contains(key);
          });
    }
  }

  @Test
  void aMisspeltKeyIsAnErrorAndTheFrameworksAreNot() { // F91
    for (Map<String, String> config : good) {
      config.put("transforms", "t");
      config.put("transforms.t.type", "org.apache.kafka.connect.transforms.InsertHeader");
      config.put("transforms.t.header", "h");
      config.put("transforms.t.value.literal", "v");
      config.put("errors.tolerance", "all");
      config.put("consumer.override.max.poll.records", "10");
      config.put("confluent.license", "");
      assertThat(validate(config).errors()).isEmpty();

      config.put("rabbitmq.virtualhost", "/");
      assertThat(validate(config).errors())
          .containsOnly(
              Map.entry(
                  "rabbitmq.virtualhost",
                  List.of(
                      "rabbitmq.virtualhost is no key of this connector; did you mean"
                          + " rabbitmq.virtual.host?")));
    }
  }

  @Test
  void nonsenseIsAnsweredToo() { // F90
    JqwikSession.run(() -> good.forEach(this::askNonsense));
  }

  private void askNonsense(Map<String, String> config) {
    List<String> keys = keys(validate(config));
    RandomGenerator<Map<String, String>> nonsense =
        nonsense(keys).generator(CONFIGURATIONS_OF_EACH);
    Random random = new Random(7);
    for (int i = 0; i < CONFIGURATIONS_OF_EACH; i++) {
      Map<String, String> bad = new HashMap<>(config);
      bad.putAll(nonsense.next(random).value());

      assertThat(keys(validate(bad))).as("%s", bad).containsAll(keys);
    }
  }

  private static Arbitrary<Map<String, String>> nonsense(List<String> keys) {
    List<String> names = new ArrayList<>(keys);
    names.removeIf(name -> !name.startsWith("rabbitmq.") && !name.equals("kafka.topic"));
    names.addAll(
        List.of("tasks.max", "topics", "batch.size", "rabbitmq.https.ssl.protocol", "rabbitmq.x"));
    Arbitrary<String> values =
        Arbitraries.oneOf(
            Arbitraries.of(
                "",
                " ",
                "0",
                "-1",
                "70000",
                "99999999999",
                "true",
                "SSL",
                "OAUTH2",
                "EXTERNAL",
                "declare",
                "stream",
                "retry",
                "PEM",
                "https://idp/token",
                "amqps://u:p@h/v",
                "a:1,b",
                "${topic}",
                "${",
                "${file:/no/such:key}",
                "{",
                "{}",
                "null",
                "{\"a\":null}",
                "/no/such/file"),
            Arbitraries.strings().ofMaxLength(20),
            Arbitraries.just((String) null));
    return Arbitraries.maps(Arbitraries.of(names), values).ofMaxSize(12);
  }

  private Validation validate(Map<String, String> config) {
    return scenario.worker().rest().validate(config);
  }

  private static String value(Validation validation, String key) {
    for (JsonNode config : validation.answer().path("configs")) {
      if (config.path("value").path("name").asText().equals(key)) {
        return config.path("value").path("value").asText();
      }
    }
    return "";
  }

  private static List<String> keys(Validation validation) {
    List<String> keys = new ArrayList<>();
    validation
        .answer()
        .path("configs")
        .forEach(config -> keys.add(config.path("value").path("name").asText()));
    return keys;
  }
}
