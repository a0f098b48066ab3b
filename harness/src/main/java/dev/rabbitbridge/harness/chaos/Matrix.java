// SPDX-License-Identifier: Apache-2.0
package dev.rabbitbridge.harness.chaos;

import dev.rabbitbridge.harness.Harness;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Tries faults one by one on connectors under load. A fault that concerns both connectors hits both
 * at once, each with its own books.
 */
final class Matrix {
  private static final Duration WARM_UP = Duration.ofMinutes(1);

  /** RabbitMQ 3.10 may forget a durable queue when it is killed within two seconds after. */
  private static final int FLOW_SECONDS = 5;

  private static final Duration GIVE_UP = Duration.ofSeconds(90);
  private static final Duration DRAIN = Duration.ofMinutes(2);
  private static final Duration AFTER = Duration.ofSeconds(2);
  private static final Duration TICK = Duration.ofMillis(200);

  private final Harness harness;
  private final int rate;

  /**
   * Creates a matrix.
   *
   * @param rate messages per second for each connector
   */
  Matrix(Harness harness, int rate) {
    this.harness = harness;
    this.rate = rate;
  }

  /** Tries a fault on those of its connectors that are wanted. */
  List<Row> run(Fault fault, Set<Side> wanted) throws Exception {
    Set<Side> sides = EnumSet.copyOf(fault.sides());
    sides.retainAll(wanted);
    try (Rig rig = new Rig(harness, fault, rate)) {
      rig.begin(sides);
      for (Flow flow : rig.flows) {
        if (!await(WARM_UP, () -> flow.progress.delivered() >= (long) FLOW_SECONDS * rate)) {
          throw new IllegalStateException(
              "The " + flow.side + " does not flow before " + fault.name() + ": " + trace(flow));
        }
      }
      return afterwards(rig);
    }
  }

  private List<Row> afterwards(Rig rig) throws Exception {
    Fault fault = rig.fault;
    fault.begin().on(rig);
    List<List<String>> problems = new ArrayList<>();
    if (fault.failure() == null) {
      Rig.sleep(fault.hold());
      fault.end().on(rig);
      rig.flows.forEach(flow -> problems.add(new ArrayList<>()));
    } else {
      Pattern sentence = Pattern.compile(fault.failure());
      for (Flow flow : rig.flows) {
        problems.add(new ArrayList<>(awaitFailure(flow, sentence)));
      }
      fault.end().on(rig);
      rig.flows.forEach(flow -> rig.rest().restart(flow.connector));
    }
    long ended = System.nanoTime();
    for (Flow flow : rig.flows) {
      await(GIVE_UP, () -> flow.progress.firstAfter(ended).isPresent());
    }
    Rig.sleep(AFTER);
    rig.flows.forEach(Flow::endLoad);
    List<Row> rows = new ArrayList<>();
    for (int i = 0; i < rig.flows.size(); i++) {
      rows.add(close(rig.flows.get(i), ended, problems.get(i)));
    }
    return rows;
  }

  private static List<String> awaitFailure(Flow flow, Pattern sentence) {
    try {
      String trace = flow.rig.rest().awaitFailed(flow.connector);
      return sentence.matcher(trace).find()
          ? List.of()
          : List.of("failed with another sentence: " + sentences(trace));
    } catch (IllegalStateException e) {
      return List.of("did not fail: " + e.getMessage());
    }
  }

  private static Row close(Flow flow, long ended, List<String> problems) {
    boolean through = await(DRAIN, flow::isThrough);
    if (!through) {
      problems.add("not everything came through within " + DRAIN);
    }
    String trace = trace(flow);
    if (trace != null) {
      problems.add("failed: " + trace);
    }
    Optional<Duration> still = flow.progress.firstAfter(ended);
    Account account = flow.account();
    // Of four lanes each may have begun another fifty.
    long poison = flow.side == Side.SINK ? account.attempted() / SinkFlow.POISON + 4 : 0;
    if (account.deadLettered() > poison && !flow.rig.fault.isDeadLettering()) {
      problems.add((account.deadLettered() - poison) + " dead-lettered without need");
    }
    return new Row(
        flow.rig.fault.what(),
        flow.side,
        account,
        still.orElse(null),
        flow.rig.fault.failure() != null,
        problems);
  }

  static @Nullable String trace(Flow flow) {
    for (var task : flow.rig.rest().status(flow.connector).path("tasks")) {
      if (task.path("state").asText().equals("FAILED")) {
        return sentences(task.path("trace").asText());
      }
    }
    return null;
  }

  /** Returns a trace without its frames. */
  private static String sentences(String trace) {
    return trace.lines().filter(line -> !line.startsWith("\t")).collect(Collectors.joining(" "));
  }

  static boolean await(Duration longest, Condition condition) {
    long deadline = System.nanoTime() + longest.toNanos();
    while (!holds(condition)) {
      if (System.nanoTime() - deadline > 0) {
        return false;
      }
      Rig.sleep(TICK);
    }
    return true;
  }

  private static boolean holds(Condition condition) {
    try {
      return condition.holds();
    } catch (Exception e) {
      // Somebody who has to be asked is away.
      return false;
    }
  }

  /** Something to wait for, which may fail while servers are away. */
  @FunctionalInterface
  interface Condition {
    boolean holds() throws Exception;
  }
}
