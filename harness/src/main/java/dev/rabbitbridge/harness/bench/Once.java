// SPDX-License-Identifier: Apache-2.0
package dev.rabbitbridge.harness.bench;

import dev.rabbitbridge.harness.rabbitmq.QueueKind;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * What exactly once costs: the same source on a worker with and on one without exactly-once mode,
 * and how many records a transaction has.
 */
final class Once {
  private static final int SIZE = 1000;
  private static final int WINDOW = 5000;

  private final Lab lab;
  private final Report report;
  private final Program.Extent extent;
  private final Connectors connectors;
  private final Map<String, List<Double>> perTransaction = new LinkedHashMap<>();

  Once(Lab lab, Report report, Program.Extent extent) {
    this.lab = lab;
    this.report = report;
    this.extent = extent;
    this.connectors = new Connectors(lab);
  }

  void run() throws Exception {
    report.heading("Exactly once");
    report.paragraph(
        "Counted when the source has Kafka's word for a record: on an exactly-once worker with the"
            + " commit of its transaction.");
    Plant once = lab.exactlyOncePlant();
    compare(QueueKind.QUORUM, Map.of(), Map.of("rabbitmq.deduplication", "message-id"), once);
    Map<String, String> stream = Map.of("rabbitmq.queue.type", "stream");
    compare(QueueKind.STREAM, stream, stream, once);
  }

  private void compare(
      QueueKind kind, Map<String, String> atLeastOnce, Map<String, String> exactlyOnce, Plant once)
      throws Exception {
    Load load = Load.of(kind, SIZE, WINDOW, extent.messages());
    Map<String, String> large = new HashMap<>(exactlyOnce);
    large.put("rabbitmq.prefetch.count", "4000");
    large.put("rabbitmq.poll.max.records", "2000");
    List<Contender> contenders =
        List.of(
            contender("at least once", lab.plant(), atLeastOnce),
            contender("exactly once", once, exactlyOnce),
            contender("exactly once, prefetch 4000, polls of 2000", once, large));
    Load little = load.withMessages(Math.min(load.messages(), 50_000));
    for (Contender contender : contenders) {
      Program.say("warm-up", contender.name(), measure(contender, little));
    }
    perTransaction.clear();
    report.add(
        Comparison.run(
            "Exactly once: " + load.inWords(),
            contenders,
            extent.pairs(),
            contender -> measure(contender, load),
            Program::say));
    List<List<String>> rows = new ArrayList<>();
    perTransaction.forEach(
        (name, records) -> rows.add(List.of(name, new Numbers(records).show("%,.0f"))));
    report.table(List.of("", "records in a transaction"), rows);
  }

  private Sample measure(Contender contender, Load load) throws Exception {
    String queue = lab.queue(load.kind());
    String topic = lab.emptyTopic();
    try {
      lab.fill(queue, load, true);
      lab.settle();
      try (Run run = contender.begin(new Place(load, topic, queue))) {
        return Sample.of(run, load);
      }
    } finally {
      lab.deleteQueue(queue);
      lab.kafka().deleteTopics(List.of(topic));
    }
  }

  private Contender contender(String name, Plant plant, Map<String, String> more) {
    return Connectors.contender(
        name,
        place -> {
          String connector = lab.name("connector");
          Map<String, String> config = connectors.sourceConfig(place, place.queue(), more);
          return new ConnectorRun(
              plant,
              connector,
              config,
              () -> (long) plant.metric("plugins", connector, "produced-total"),
              () -> count(name, plant, connector));
        });
  }

  private void count(String name, Plant plant, String connector) {
    if (plant == lab.plant()) {
      return; // it has no transactions
    }
    perTransaction
        .computeIfAbsent(name, first -> new ArrayList<>())
        .add(plant.metric("source-task-metrics", connector, "transaction-size-avg"));
  }
}
