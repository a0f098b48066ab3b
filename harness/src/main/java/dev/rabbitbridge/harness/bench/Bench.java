// SPDX-License-Identifier: Apache-2.0
package dev.rabbitbridge.harness.bench;

import dev.rabbitbridge.harness.Checkout;
import dev.rabbitbridge.harness.rabbitmq.QueueKind;
import java.nio.file.Path;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** The command behind {@code bin/bench}. */
@Command(
    name = "bin/bench",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    description = {
      "Measures the connectors beside RabbitMQ's PerfTest, bare loops of its Java client, and what"
          + " Kafka Connect costs without them, all on one broker and one worker, in turns."
          + " Prints Markdown; writes it and a chart to a folder.",
      "bin/bench --jmh [ARGUMENTS OF JMH] runs the micro-benchmarks instead."
    })
public final class Bench implements Callable<Integer> {
  private static final int INTERRUPTED = 130;

  @Option(
      names = "--only",
      split = ",",
      paramLabel = "PART",
      description = "some of ${COMPLETION-CANDIDATES} (default: all)")
  private Set<Section> only = EnumSet.allOf(Section.class);

  @Option(
      names = "--pairs",
      paramLabel = "N",
      defaultValue = "5",
      description = "runs of each contender, in turns (default: ${DEFAULT-VALUE})")
  private int pairs;

  @Option(
      names = "--messages",
      paramLabel = "N",
      defaultValue = "200000",
      description =
          "messages of a run, fewer where they are large or slow (default: ${DEFAULT-VALUE})")
  private int messages;

  @Option(
      names = "--sizes",
      split = ",",
      paramLabel = "BYTES",
      defaultValue = "100,1000,10000",
      description = "of a message (default: ${DEFAULT-VALUE})")
  private List<Integer> sizes = List.of();

  @Option(
      names = "--windows",
      split = ",",
      paramLabel = "N",
      defaultValue = "1,100,1000,5000",
      description = "messages without a confirm (default: ${DEFAULT-VALUE})")
  private List<Integer> windows = List.of();

  @Option(
      names = "--queues",
      split = ",",
      paramLabel = "KIND",
      defaultValue = "QUORUM,CLASSIC",
      description = "types of queue (default: ${DEFAULT-VALUE})")
  private List<QueueKind> queues = List.of();

  @Option(
      names = "--backlog",
      paramLabel = "N",
      defaultValue = "5000000",
      description = "records of the large backlog (default: ${DEFAULT-VALUE})")
  private int backlog;

  @Option(
      names = "--seconds",
      paramLabel = "N",
      defaultValue = "20",
      description = "how long latency is measured (default: ${DEFAULT-VALUE})")
  private int seconds;

  @Option(
      names = "--quick",
      description = "a minute: sink and source, one pair, 1000 bytes, a quorum queue, window 5000")
  private boolean quick;

  @Option(
      names = "--peer",
      paramLabel = "NAME=FOLDER:SINKJSON:SOURCEJSON",
      description =
          "another connector: its plugin folder and configurations; either JSON may be empty. In"
              + " their values $${host}, $${port}, $${username}, $${password}, $${vhost},"
              + " $${queue}, $${topic}, $${window} and $${prefetch} are filled in")
  private List<String> peers = List.of();

  @Option(
      names = "--out",
      paramLabel = "FOLDER",
      description = "for report.md and report.svg (default: harness/target/bench)")
  private @Nullable Path out;

  private Bench() {}

  /**
   * Runs the benchmark and ends the JVM with its exit code.
   *
   * @param arguments of the command line
   */
  public static void main(String[] arguments) {
    CommandLine command = new CommandLine(new Bench());
    command.setCaseInsensitiveEnumValuesAllowed(true);
    command.setExecutionExceptionHandler(
        (failure, line, parsed) -> {
          System.err.println("bench: " + failure);
          if (Boolean.getBoolean("bench.trace")) {
            failure.printStackTrace();
          }
          return 1;
        });
    System.exit(command.execute(arguments));
  }

  @Override
  public Integer call() throws Exception {
    if (quick) {
      only = EnumSet.of(Section.SINK, Section.SOURCE);
      pairs = 1;
      messages = Math.min(messages, 50_000);
      sizes = List.of(1000);
      windows = List.of(5000);
      queues = List.of(QueueKind.QUORUM);
    }
    if (pairs < 1 || messages < 1000 || backlog < 100_000 || seconds < 1) {
      throw new IllegalArgumentException(
          "at least 1 pair, 1000 messages, a backlog of 100000 and 1 second");
    }
    Path folder = out == null ? Checkout.root().resolve("harness/target/bench") : out;
    List<Peer> others = peers.stream().map(Peer::parse).toList();
    Report report = new Report();
    System.out.println("Starting RabbitMQ, Kafka and a Connect worker ...");
    try (Lab lab = new Lab(others)) {
      try {
        Program program =
            new Program(
                lab,
                report,
                others,
                new Program.Extent(pairs, messages, sizes, windows, queues, backlog, seconds));
        program.run(only);
      } catch (Exception e) {
        if (lab.harness().isClosed()) {
          return INTERRUPTED;
        }
        throw e;
      } finally {
        // What was measured before a failure is worth keeping.
        report.write(folder);
      }
    }
    System.out.println(report.markdown());
    System.out.println("Written to " + folder + ": report.md, report.svg");
    return 0;
  }
}
