// SPDX-License-Identifier: Apache-2.0
package dev.rabbitbridge.harness.bench;

import dev.rabbitbridge.harness.rabbitmq.QueueKind;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** Whether the cost of a message stays what it is when there is more of something. */
final class Scaling {
  private static final int SIZE = 1000;
  private static final int SMALL = 100;
  private static final int WINDOW = 5000;
  private static final int MANY_QUEUES = 128;
  private static final int BACKLOG_ROUNDS = 2;

  private final Lab lab;
  private final Report report;
  private final Program.Extent extent;
  private final Connectors connectors;

  Scaling(Lab lab, Report report, Program.Extent extent) {
    this.lab = lab;
    this.report = report;
    this.extent = extent;
    this.connectors = new Connectors(lab);
  }

  /** Gives a run of a load for one number of something. */
  private interface Variant {
    Run begin(Load load, int number) throws Exception;
  }

  void run() throws Exception {
    report.heading("Scaling");
    Load load = Load.of(QueueKind.QUORUM, SIZE, WINDOW, extent.messages());
    series(
        "Sink: tasks, 4 partitions", "tasks", load, List.of(1, 2, 4), (l, n) -> sink(l, n, 4, 1));
    series(
        "Sink: partitions, 1 task", "partitions", load, List.of(1, 64), (l, n) -> sink(l, 1, n, 1));
    // Classic, because a hundred quorum queues are a hundred logs on one disk.
    Load classic = Load.of(QueueKind.CLASSIC, SIZE, WINDOW, extent.messages());
    List<Integer> queues = List.of(1, 16, MANY_QUEUES);
    series("Sink: queues", "queues", classic, queues, (l, n) -> sink(l, 1, 1, n));
    series("Source: queues, 1 task", "queues", classic, queues, (l, n) -> source(l, 1, n));
    series(
        "Source: tasks sharing a queue",
        "tasks",
        load,
        List.of(1, 2, 4),
        (l, n) -> source(l, n, 1));
    backlog();
  }

  private void series(String title, String what, Load load, List<Integer> numbers, Variant variant)
      throws Exception {
    Map<String, Load> loads = new LinkedHashMap<>();
    List<Contender> contenders = new ArrayList<>();
    for (int number : numbers) {
      String name = number + " " + what;
      loads.put(name, load);
      contenders.add(Connectors.contender(name, place -> variant.begin(load, number)));
    }
    compare(title + ", " + load.inWords(), contenders, loads, extent.pairs());
  }

  private void backlog() throws Exception {
    Map<String, Load> loads = new LinkedHashMap<>();
    List<Contender> contenders = new ArrayList<>();
    for (int count : List.of(extent.backlog() / 10, extent.backlog())) {
      String name = String.format(Locale.ROOT, "%,d records", count);
      Load load = new Load(QueueKind.QUORUM, SMALL, WINDOW, count);
      loads.put(name, load);
      contenders.add(Connectors.contender(name, place -> sink(load, 1, 1, 1)));
    }
    compare(
        "Sink: backlog, quorum queue, 100 bytes",
        contenders,
        loads,
        Math.min(BACKLOG_ROUNDS, extent.pairs()));
  }

  private void compare(
      String title, List<Contender> contenders, Map<String, Load> loads, int rounds)
      throws Exception {
    report.add(
        Comparison.run(
            title,
            contenders,
            rounds,
            contender -> measure(contender, loads.get(contender.name())),
            Program::say));
  }

  private static Sample measure(Contender contender, Load load) throws Exception {
    // Each variant lays out topic and queues of its own.
    try (Run run = contender.begin(new Place(load, "", ""))) {
      return Sample.of(run, load);
    }
  }

  /** From so many partitions into so many queues, which the record's key chooses. */
  private Run sink(Load load, int tasks, int partitions, int queues) {
    String topic = lab.filledTopic(load.size(), load.messages(), partitions, queues);
    List<String> names = queues(load, queues);
    String connector = lab.name("connector");
    Map<String, String> config =
        connectors.sinkConfig(
            new Place(load, topic, prefix(names) + (queues == 1 ? "0" : "${key}")),
            null,
            Map.of("tasks.max", Integer.toString(tasks)));
    lab.settle();
    return new Clearing(
        new ConnectorRun(
            lab.plant(),
            connector,
            config,
            () -> (long) lab.plant().metric("plugins", connector, "confirmed-total")),
        () -> names.forEach(lab::deleteQueue));
  }

  /** From so many queues, or from one that so many tasks share. */
  private Run source(Load load, int tasks, int queues) throws Exception {
    List<String> names = queues(load, queues);
    for (int i = 0; i < queues; i++) {
      int even = load.messages() / queues;
      lab.fill(
          names.get(i), load.withMessages(i == 0 ? load.messages() - even * (queues - 1) : even));
    }
    String topic = lab.emptyTopic();
    Map<String, String> more = new HashMap<>();
    more.put("tasks.max", Integer.toString(tasks));
    more.put("rabbitmq.max.queue.per.task", Integer.toString(queues));
    if (tasks > 1) {
      more.put("rabbitmq.queue.consumer.mode", "shared");
    }
    Map<String, String> config =
        connectors.sourceConfig(
            new Place(load, topic, names.get(0)), String.join(",", names), more);
    lab.settle();
    return new Clearing(
        new ConnectorRun(lab.plant(), lab.name("connector"), config, () -> lab.records(topic)),
        () -> {
          names.forEach(lab::deleteQueue);
          lab.kafka().deleteTopics(List.of(topic));
        });
  }

  private List<String> queues(Load load, int count) {
    String prefix = lab.name("queues");
    List<String> names = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      names.add(prefix + "-" + i);
      lab.broker().management().declareQueue(names.get(i), load.kind(), Map.of());
    }
    return names;
  }

  private static String prefix(List<String> names) {
    String first = names.get(0);
    return first.substring(0, first.length() - 1);
  }

  /** A run that clears away what was made for it. */
  private record Clearing(Run run, Runnable clear) implements Run {
    @Override
    public long arrived() throws Exception {
      return run.arrived();
    }

    @Override
    public Usage usage() {
      return run.usage();
    }

    @Override
    public void check() {
      run.check();
    }

    @Override
    public void close() {
      try {
        run.close();
      } finally {
        clear.run();
      }
    }
  }
}
