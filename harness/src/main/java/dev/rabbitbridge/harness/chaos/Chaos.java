// SPDX-License-Identifier: Apache-2.0
package dev.rabbitbridge.harness.chaos;

import dev.rabbitbridge.harness.Harness;
import dev.rabbitbridge.harness.Mode;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** The command behind {@code bin/chaos}. */
@Command(
    name = "bin/chaos",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    description = {
      "Breaks RabbitMQ, Kafka, the network and Connect workers while messages go through the"
          + " connectors, and counts what became of each message.",
      "Exit code 0 only if nothing was lost and all went on as it must."
    })
public final class Chaos implements Callable<Integer> {
  @Option(names = "--matrix", description = "try each fault alone, and print the table")
  private boolean matrix;

  @Option(
      names = "--only",
      split = ",",
      paramLabel = "NAME",
      description = "only these faults of the matrix")
  private @Nullable List<String> only;

  @Option(
      names = "--connector",
      paramLabel = "sink|source",
      description = "only this connector",
      converter = SideConverter.class)
  private @Nullable Side connector;

  @Option(names = "--full", description = "let the long faults last as long as they can in life")
  private boolean full;

  @Option(names = "--list", description = "print the names of the faults")
  private boolean list;

  @Option(
      names = "--rate",
      paramLabel = "N",
      defaultValue = "200",
      description = "messages per second for each connector (default: ${DEFAULT-VALUE})")
  private int rate;

  @Option(
      names = "--minutes",
      paramLabel = "N",
      description = "random faults on a round trip of both connectors for so long")
  private int minutes;

  @Option(
      names = "--seed",
      paramLabel = "S",
      description = "of the random faults; the same seed makes the same ones (default: any)")
  private long seed = System.nanoTime() % 100_000;

  @Option(
      names = "--soak",
      description = "no faults for --minutes, and what the worker holds on to")
  private boolean soak;

  @Option(names = "--report", paramLabel = "FILE", description = "write the table to a file too")
  private @Nullable Path report;

  private Chaos() {}

  static final class SideConverter implements CommandLine.ITypeConverter<Side> {
    @Override
    public Side convert(String value) {
      return Side.valueOf(value.toUpperCase(java.util.Locale.ROOT));
    }
  }

  /**
   * Runs the command and ends the JVM with its exit code.
   *
   * @param arguments of the command line
   */
  public static void main(String[] arguments) {
    CommandLine command = new CommandLine(new Chaos());
    command.setExecutionExceptionHandler(
        (failure, line, parsed) -> {
          System.err.println("chaos: " + failure);
          return 1;
        });
    System.exit(command.execute(arguments));
  }

  @Override
  public Integer call() throws Exception {
    List<Fault> faults = chosen();
    if (list) {
      faults.forEach(
          fault ->
              System.out.printf("%-24s %-14s %s%n", fault.name(), fault.sides(), fault.what()));
      return 0;
    }
    if (!matrix && minutes < 1) {
      throw new CommandLine.ParameterException(
          new CommandLine(this), "Say what to do: --matrix, --minutes N, --soak or --list");
    }
    // Signals, free choice of ports and rabbitmqctl: what is broken here are processes.
    try (Harness harness = Harness.open(Mode.LOCAL)) {
      return matrix ? run(harness, faults) : storm(harness);
    }
  }

  private List<Fault> chosen() {
    List<Fault> all = Faults.all(full);
    List<String> names = only;
    if (names == null) {
      return all;
    }
    Set<String> unknown = new HashSet<>(names);
    all.forEach(fault -> unknown.remove(fault.name()));
    if (!unknown.isEmpty()) {
      throw new CommandLine.ParameterException(
          new CommandLine(this), "No such fault: " + unknown + "; --list prints their names");
    }
    return all.stream().filter(fault -> names.contains(fault.name())).toList();
  }

  private int storm(Harness harness) throws Exception {
    System.out.println(soak ? "Soak" : "Seed " + seed);
    return new Storm(harness, rate).run(Duration.ofMinutes(minutes), seed, !soak) ? 0 : 1;
  }

  private int run(Harness harness, List<Fault> faults) throws Exception {
    Set<Side> sides = connector == null ? EnumSet.allOf(Side.class) : EnumSet.of(connector);
    Matrix runner = new Matrix(harness, rate);
    List<Row> rows = new ArrayList<>();
    boolean good = true;
    System.out.print(Row.HEAD);
    for (Fault fault : faults) {
      if (java.util.Collections.disjoint(fault.sides(), sides)) {
        continue;
      }
      long begun = System.nanoTime();
      try {
        for (Row row : runner.run(fault, sides)) {
          rows.add(row);
          good &= row.isGood();
          System.out.println(row.markdown());
          row.findings().forEach(finding -> System.out.println("    " + finding));
        }
      } catch (Exception e) {
        good = false;
        System.out.println("    " + fault.name() + " could not be tried: " + e);
        e.printStackTrace();
      }
      System.err.printf(
          "%s took %d s%n", fault.name(), Duration.ofNanos(System.nanoTime() - begun).toSeconds());
    }
    if (report != null) {
      StringBuilder table = new StringBuilder(Row.HEAD);
      rows.forEach(row -> table.append(row.markdown()).append('\n'));
      Files.writeString(report, table.toString(), StandardCharsets.UTF_8);
    }
    return good ? 0 : 1;
  }
}
