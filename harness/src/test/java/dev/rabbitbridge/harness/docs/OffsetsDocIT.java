// SPDX-License-Identifier: Apache-2.0
package dev.rabbitbridge.harness.docs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;
import static org.awaitility.Awaitility.await;

import dev.rabbitbridge.harness.Checkout;
import dev.rabbitbridge.harness.Scenario;
import dev.rabbitbridge.harness.node.Endpoint;
import dev.rabbitbridge.harness.rabbitmq.Message;
import dev.rabbitbridge.harness.rabbitmq.QueueKind;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** Runs the recipes of docs/offsets.md as they are written, with names of the test's own. */
class OffsetsDocIT {
  private static final Duration LONG = Duration.ofMinutes(2);

  @RegisterExtension final Scenario scenario = new Scenario();
  @TempDir Path folder;

  /** What stands in the recipes, and what is there instead. */
  private final Map<String, String> names = new LinkedHashMap<>();

  @Test
  void aSinkGoesOnWhereAnotherStopped() throws Exception {
    assumeThat(Checkout.kafkaVersion()).as("without initial_state").doesNotStartWith("3.6.");
    String orders = topicAndQueue(QueueKind.QUORUM);
    String old = scenario.running(scenario.sink(orders, orders));
    produce(orders, 0, 5);
    awaitPublished(orders, ids(0, 5));
    awaitCommitted(old, orders, 5);
    name("old-sink", old);
    String sink = name("orders-sink", newConnector());

    run("Go on where another sink stopped");
    produce(orders, 5, 8);

    awaitPublished(orders, ids(5, 8));
    awaitCommitted(sink, orders, 8);
  }

  @Test
  void aSinkReplaysFromAnOffsetAndStartsOver() throws Exception { // F77
    String orders = topicAndQueue(QueueKind.QUORUM);
    String sink = name("orders-sink", scenario.running(scenario.sink(orders, orders)));
    produce(orders, 0, 8);
    List<String> first = awaitPublished(orders, ids(0, 8));
    awaitCommitted(sink, orders, 8);

    run("Replay from an offset");
    assertThat(awaitPublished(orders, ids(4, 8))).isEqualTo(first.subList(4, 8));
    awaitCommitted(sink, orders, 8);

    run("Start over");
    assertThat(awaitPublished(orders, ids(0, 8))).isEqualTo(first);
  }

  @Test
  void aStreamIsReadAfterAnOffsetAgainAndFromItsBeginning() throws Exception {
    assumeThat(Checkout.kafkaVersion()).as("without initial_state").doesNotStartWith("3.6.");
    String events = topicAndQueue(QueueKind.STREAM, "events");
    scenario.amqp().publish(events, ids(0, 50));
    name("events-source", newConnector());
    List<String> expected = new ArrayList<>(ids(42, 50));

    run("Go on after an offset");
    awaitValues(events, expected);

    run("Read a part again");
    expected.addAll(ids(45, 50));
    awaitValues(events, expected);

    run("Forget the position");
    expected.addAll(ids(0, 50));
    awaitValues(events, expected);
  }

  @Test
  void aResetOfAQueueChangesNothing() throws Exception { // F77
    String jobs = topicAndQueue(QueueKind.QUORUM, "jobs");
    name("jobs-source", scenario.running(scenario.source(jobs, jobs)));
    scenario.amqp().publish(jobs, ids(0, 5));
    awaitValues(jobs, ids(0, 5));

    run("Source of a queue");
    scenario.amqp().publish(jobs, ids(5, 8));

    awaitValues(jobs, ids(0, 8));
  }

  private String topicAndQueue(QueueKind kind) {
    return topicAndQueue(kind, "orders");
  }

  /** Returns the name that both have, as in the recipes. */
  private String topicAndQueue(QueueKind kind, String written) {
    String queue = name(written, scenario.queue(kind));
    scenario.kafka().client().createTopic(queue, 1);
    scenario.atEnd(() -> scenario.kafka().client().deleteTopics(List.of(queue)));
    return queue;
  }

  private String newConnector() {
    String connector = scenario.name("connector");
    scenario.atEnd(() -> scenario.worker().rest().delete(connector));
    return connector;
  }

  private String name(String written, String real) {
    names.put(written, real);
    return real;
  }

  /** Runs what stands between a heading and the next one. */
  private void run(String heading) throws IOException, InterruptedException {
    String doc = Files.readString(Checkout.root().resolve("docs/offsets.md"));
    String script = block(doc, "Offsets: migrate, replay, reset") + block(doc, heading);
    for (Map.Entry<String, String> name : replacements().entrySet()) {
      script =
          script.replaceAll(
              "(?<![\\w.-])" + Pattern.quote(name.getKey()) + "(?![\\w.-])",
              Matcher.quoteReplacement(name.getValue()));
    }
    Path output = folder.resolve("output");
    Process shell =
        new ProcessBuilder("bash", "-e", "-c", script)
            .directory(folder.toFile())
            .redirectErrorStream(true)
            .redirectOutput(output.toFile())
            .start();

    assertThat(shell.waitFor()).as(() -> heading + ":\n" + read(output)).isZero();
  }

  private static String block(String doc, String heading) {
    Matcher block =
        Pattern.compile(
                "#+ " + Pattern.quote(heading) + "\n(?:(?!\n#).)*?```sh\n(.*?)```", Pattern.DOTALL)
            .matcher(doc);
    assertThat(block.find()).as(heading).isTrue();
    return block.group(1);
  }

  private Map<String, String> replacements() {
    Endpoint broker = scenario.rabbitMQ().amqpFromWorker();
    Map<String, String> all = new HashMap<>(names);
    all.put("localhost:8083", scenario.worker().restEndpoint().toString());
    all.put("rabbitmq.example.com:5672", broker.host() + ":" + broker.port());
    all.put("bridge", scenario.rabbitMQ().username());
    all.put("change-me", scenario.rabbitMQ().password());
    return all;
  }

  private static String read(Path output) {
    try {
      return Files.readString(output);
    } catch (IOException e) {
      return e.toString();
    }
  }

  private void produce(String topic, int from, int to) {
    scenario.kafka().client().produce(topic, ids(from, to));
  }

  /** Takes exactly these messages out of a queue, and returns their ids. */
  private List<String> awaitPublished(String queue, List<String> bodies) {
    await()
        .atMost(LONG)
        .untilAsserted(() -> assertThat(scenario.amqp().ready(queue)).isEqualTo(bodies.size()));
    List<Message> messages = scenario.amqp().drain(queue);
    assertThat(messages).extracting(Message::text).containsExactlyElementsOf(bodies);
    return messages.stream().map(message -> message.properties().getMessageId()).toList();
  }

  private void awaitCommitted(String sink, String topic, long offset) {
    await()
        .atMost(LONG)
        .untilAsserted(
            () ->
                assertThat(scenario.kafka().client().committedBySink(sink))
                    .containsEntry(new TopicPartition(topic, 0), offset));
  }

  private void awaitValues(String topic, List<String> values) {
    await()
        .atMost(LONG)
        .untilAsserted(
            () ->
                assertThat(scenario.kafka().client().values(topic))
                    .containsExactlyElementsOf(values));
  }

  private static List<String> ids(int from, int to) {
    return IntStream.range(from, to).mapToObj(i -> "id-" + i).toList();
  }
}
