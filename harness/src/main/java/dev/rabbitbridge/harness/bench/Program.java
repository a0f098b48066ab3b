// SPDX-License-Identifier: Apache-2.0
package dev.rabbitbridge.harness.bench;

import dev.rabbitbridge.harness.proxy.TcpProxy;
import dev.rabbitbridge.harness.rabbitmq.QueueKind;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.stream.IntStream;

/** What is measured, part by part. */
final class Program {
  private static final int SIZE = 1000;
  private static final int WINDOW = 5000;
  private static final int BATCH = 100;
  private static final int DEFAULT_BATCH_BYTES = 16 * 1024;

  /** Added to the way there and back: together a millisecond. */
  private static final Duration ONE_WAY = Duration.ofNanos(500_000);

  private final Lab lab;
  private final Report report;
  private final List<Peer> peers;
  private final Extent extent;
  private final Connectors connectors;

  /** How much of everything. */
  record Extent(
      int pairs,
      int messages,
      List<Integer> sizes,
      List<Integer> windows,
      List<QueueKind> queues,
      int backlog,
      int seconds) {}

  Program(Lab lab, Report report, List<Peer> peers, Extent extent) {
    this.lab = lab;
    this.report = report;
    this.peers = peers;
    this.extent = extent;
    this.connectors = new Connectors(lab);
  }

  void run(Set<Section> sections) throws Exception {
    report.paragraph(Machine.inWords(lab));
    report.paragraph(
        String.format(
            Locale.ROOT,
            "Medians of %d runs of each, in turns, with their range; \"of\" is the median of the"
                + " ratios run by run. The first fifth of each run is not measured. CPU and"
                + " allocation are those of the whole process that moves the messages: of the"
                + " Connect worker for connectors. The cores are those of the whole machine, with"
                + " RabbitMQ, Kafka and all others on it: near 1.00 the machine is the limit.",
            extent.pairs()));
    for (Section section : Section.values()) {
      if (sections.contains(section)) {
        switch (section) {
          case SINK -> sink();
          case SOURCE -> source();
          case FLOOR -> floor();
          case MODES -> modes();
          case LATENCY -> latency();
          case SCALING -> new Scaling(lab, report, extent).run();
          case ONCE -> new Once(lab, report, extent).run();
        }
      }
    }
  }

  private void sink() throws Exception {
    report.heading("Sink");
    List<Contender> contenders =
        new ArrayList<>(List.of(bareLoop(), connectors.sink(), PerfTest.publisher(lab)));
    for (Peer peer : peers) {
      if (peer.sink() != null) {
        contenders.add(connectors.peerSink(peer, peer.sink()));
      }
    }
    warmUp(Arena.TO_QUEUE, contenders);
    for (QueueKind kind : extent.queues()) {
      for (int size : extent.sizes()) {
        for (int window : extent.windows()) {
          Load load = Load.of(kind, size, window, extent.messages());
          compare(
              "Sink: " + load.inWords() + ", window " + window, Arena.TO_QUEUE, contenders, load);
        }
      }
    }
  }

  private void source() throws Exception {
    report.heading("Source");
    List<Contender> contenders =
        new ArrayList<>(
            List.of(
                bareConsumer(),
                connectors.source(),
                PerfTest.consumer(lab),
                connectors.memorySource()));
    for (Peer peer : peers) {
      if (peer.source() != null) {
        contenders.add(connectors.peerSource(peer, peer.source()));
      }
    }
    warmUp(Arena.FROM_QUEUE, contenders);
    for (QueueKind kind : extent.queues()) {
      for (int size : extent.sizes()) {
        Load load = Load.of(kind, size, WINDOW, extent.messages());
        compare("Source: " + load.inWords(), Arena.FROM_QUEUE, contenders, load);
      }
    }
    Load load = Load.of(QueueKind.QUORUM, SIZE, WINDOW, extent.messages());
    List<Contender> settings = new ArrayList<>(List.of(connectors.sourceAsItComes()));
    IntStream.of(DEFAULT_BATCH_BYTES, 4 * DEFAULT_BATCH_BYTES, Connectors.BATCH_BYTES)
        .mapToObj(connectors::source)
        .forEach(settings::add);
    compare(
        "Source: what its producer sends at a time, " + load.inWords(),
        Arena.FROM_QUEUE,
        settings,
        load);
  }

  private void floor() throws Exception {
    report.heading("CPU of the worker beside what it cannot do without");
    Load load = Load.of(QueueKind.QUORUM, SIZE, WINDOW, extent.messages());
    List<Contender> sinks = List.of(bareLoop(), connectors.noOpSink(), connectors.sink());
    warmUp(Arena.TO_QUEUE, sinks);
    budget(compare("Floor of the sink: " + load.inWords(), Arena.TO_QUEUE, sinks, load));
    List<Contender> sources =
        List.of(bareConsumer(), connectors.memorySource(), connectors.source());
    warmUp(Arena.FROM_QUEUE, sources);
    budget(compare("Floor of the source: " + load.inWords(), Arena.FROM_QUEUE, sources, load));
  }

  /**
   * Says what the third costs above the other two, and how near it comes to what one machine for
   * everything could do if it cost nothing above them.
   */
  private void budget(Comparison comparison) {
    List<String> names = List.copyOf(comparison.samples().keySet());
    List<Double> above = new ArrayList<>();
    List<Double> reached = new ArrayList<>();
    List<Double> most = new ArrayList<>();
    for (int i = 0; i < extent.pairs(); i++) {
      Sample client = comparison.samples().get(names.get(0)).get(i);
      Sample framework = comparison.samples().get(names.get(1)).get(i);
      Sample ours = comparison.samples().get(names.get(2)).get(i);
      above.add(ours.cpuMicros() - client.cpuMicros() - framework.cpuMicros());
      most.add(1 / (framework.machinePerMessage() + client.machinePerMessage()));
      reached.add(ours.perSecond() / most.get(i));
    }
    String both = names.get(0) + " and " + names.get(1) + " together";
    report.paragraph(
        names.get(2)
            + " above "
            + both
            + ": "
            + new Numbers(above).show("%.1f")
            + " us of CPU per message. All processes of the machine needed so much for "
            + both
            + " that a connector that costs nothing above them could move "
            + new Numbers(most).show("%,.0f")
            + " messages/s on it; "
            + names.get(2)
            + " reached "
            + new Numbers(reached).show("%.2f")
            + " of that.");
  }

  private void modes() throws Exception {
    report.heading("Confirm modes and transactions");
    Load load = Load.of(QueueKind.QUORUM, SIZE, WINDOW, extent.messages());
    warmUp(Arena.TO_QUEUE, List.of(connectors.sink()));
    modes("Modes: " + load.inWords(), null, load);
    try (TcpProxy proxy = lab.harness().newProxy()) {
      proxy.delay(ONE_WAY, ONE_WAY);
      modes("Modes: " + load.inWords() + ", 1 ms of delay added", proxy, load);
    }
  }

  private void modes(String title, @org.jspecify.annotations.Nullable TcpProxy proxy, Load load)
      throws Exception {
    var through = proxy == null ? null : proxy.endpoint();
    String mode = "rabbitmq.publish.confirm.mode";
    String poll = Integer.toString(BATCH);
    List<Contender> contenders =
        List.of(
            connectors.sink("async", through, Map.of()),
            connectors.sink(
                "batch of " + BATCH,
                through,
                Map.of(mode, "batch", "consumer.override.max.poll.records", poll)),
            connectors.sink("single", through, Map.of(mode, "single")),
            Connectors.contender(
                "transactions of " + BATCH,
                place -> new TransactionPublisher(lab, through, place, BATCH)),
            Connectors.contender(
                "transaction each", place -> new TransactionPublisher(lab, through, place, 1)));
    Set<String> slow = Set.of("single", "transaction each");
    Comparison comparison =
        Comparison.run(
            title,
            contenders,
            extent.pairs(),
            contender ->
                Arena.TO_QUEUE.measure(
                    lab,
                    contender,
                    slow.contains(contender.name())
                        ? load.withMessages(Math.max(1000, load.messages() / 50))
                        : load),
            Program::say);
    report.add(comparison);
  }

  private void latency() throws Exception {
    report.heading("Latency");
    Latencies latencies = new Latencies(lab, connectors, extent.seconds());
    List<List<String>> rows = new ArrayList<>();
    Load load = Load.of(QueueKind.QUORUM, SIZE, WINDOW, extent.messages());
    for (Arena arena : Arena.values()) {
      boolean sink = arena == Arena.TO_QUEUE;
      Contender contender = sink ? connectors.sink() : connectors.source();
      warmUp(arena, List.of(contender));
      Sample most = arena.measure(lab, contender, load);
      // Sender and receiver take their part of the machine too.
      double sustained = latencies.measure(sink, (int) most.perSecond()).perSecond();
      for (int rate : new int[] {1000, (int) (sustained * 0.7)}) {
        List<String> row = latencies.measure(sink, rate).row(contender.name(), rate);
        System.out.println(String.join("  ", row));
        rows.add(row);
      }
    }
    report.paragraph(
        "From the moment a message was due to be sent until it arrived on the other side: Kafka"
            + " to RabbitMQ for the sink, RabbitMQ to Kafka for the source; quorum queue, "
            + SIZE
            + " bytes, "
            + extent.seconds()
            + " s, producers that linger for 1 ms. The second rate is 70 % of the most that came through just before with"
            + " sender and receiver on the machine.");
    report.table(
        List.of("", "messages/s", "p50 ms", "p99 ms", "p99.9 ms", "longest ms", "lost"), rows);
  }

  private Contender bareLoop() {
    return Connectors.contender(
        "bare loop", place -> new BarePublisher(lab, place.queue(), place.load()));
  }

  private Contender bareConsumer() {
    return Connectors.contender(
        "bare consumer", place -> new BareConsumer(lab, place.queue(), place.load().window()));
  }

  /** Lets the JVMs that stay compile what is measured. */
  private void warmUp(Arena arena, List<Contender> contenders) throws Exception {
    Load load = Load.of(QueueKind.QUORUM, SIZE, WINDOW, 2 * extent.messages());
    for (Contender contender : contenders) {
      if (!contender.name().equals("PerfTest")) {
        say("warm-up", contender.name(), arena.measure(lab, contender, load));
      }
    }
  }

  private Comparison compare(String title, Arena arena, List<Contender> contenders, Load load)
      throws Exception {
    Comparison comparison =
        Comparison.run(
            title,
            contenders,
            extent.pairs(),
            contender -> arena.measure(lab, contender, load),
            Program::say);
    report.add(comparison);
    return comparison;
  }

  static void say(String title, String contender, Sample sample) {
    System.out.printf(
        Locale.ROOT,
        "%s: %s: %,.0f messages/s, %.1f us CPU, %,.0f bytes per message%n",
        title,
        contender,
        sample.perSecond(),
        sample.cpuMicros(),
        sample.bytes());
  }
}
