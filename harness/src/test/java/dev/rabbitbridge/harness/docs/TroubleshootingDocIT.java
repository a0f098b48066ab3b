// SPDX-License-Identifier: Apache-2.0
package dev.rabbitbridge.harness.docs;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rabbitbridge.harness.Checkout;
import dev.rabbitbridge.harness.Scenario;
import dev.rabbitbridge.harness.rabbitmq.QueueKind;
import java.io.IOException;
import java.nio.file.Files;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** What fails a task before or behind the connector, where only Connect's own words are shown. */
class TroubleshootingDocIT {
  @RegisterExtension final Scenario scenario = new Scenario();

  @Test
  void whatKafkaConnectFailsATaskWithHasItsParagraph() throws IOException {
    String queue = scenario.queue(QueueKind.CLASSIC);
    String topic = scenario.topic(1);
    scenario.kafka().client().produce(topic, List.of("no JSON"));
    Map<String, String> unreadable = scenario.sink(topic, queue);
    unreadable.put("value.converter", "org.apache.kafka.connect.json.JsonConverter");
    Map<String, String> noDeadLetters = scenario.sink(topic, queue);
    noDeadLetters.put("errors.tolerance", "all");
    noDeadLetters.put("errors.deadletterqueue.topic.name", scenario.name("needs-three-brokers"));
    String large = scenario.queue(QueueKind.CLASSIC);
    scenario.amqp().publish(large, List.of("x".repeat(2_000_000)));

    List<String> failing =
        List.of(
            scenario.put(unreadable),
            scenario.put(noDeadLetters),
            scenario.put(scenario.source(large, scenario.topic(1))));

    List<String> traces = failing.stream().map(scenario.worker().rest()::awaitFailed).toList();
    assertExplained(traces.get(0), "Tolerance exceeded in error handler", "DataException");
    assertExplained(
        traces.get(1),
        "Could not initialize dead letter queue",
        "InvalidReplicationFactorException");
    assertExplained(
        traces.get(2),
        "Unrecoverable exception from producer send callback",
        "RecordTooLargeException");
  }

  private static void assertExplained(String trace, String sentence, String reason)
      throws IOException {
    assertThat(trace.lines().findFirst()).get().asString().contains(sentence);
    assertThat(trace).contains(reason).doesNotContain("RB-");
    assertThat(Files.readString(Checkout.root().resolve("docs/troubleshooting.md")))
        .contains("**" + sentence + ".**");
  }
}
