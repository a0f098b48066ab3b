// SPDX-License-Identifier: Apache-2.0
package dev.rabbitbridge.harness.chaos;

import dev.rabbitbridge.harness.Checkout;
import dev.rabbitbridge.harness.Harness;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.LocalDate;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Random;
import java.util.Set;

/**
 * A round trip of both connectors under constant load, with faults at random or none: the same ones
 * in the same order for the same seed. Faults stop before the load does.
 */
final class Storm {
  /** Those that need another rig, end in a failure, or deliver everything again on purpose. */
  private static final Set<String> NOT_HERE =
      Set.of(
          "queue-deleted",
          "exchange-deleted",
          "offsets-reset",
          "produce-quota",
          "crash-loop",
          "worker-kill-uncommitted",
          "worker-kill-unacked");

  private static final Duration SHORTEST_GAP = Duration.ofSeconds(4);
  private static final Duration WARM_UP = Duration.ofSeconds(10);
  private static final Duration LONGEST_STILL = Duration.ofMinutes(1);
  private static final Duration DRAIN = Duration.ofMinutes(4);
  private static final int POLL = 500;

  /** What may come twice after one fault: all that was in flight, and a poll that a zombie had. */
  private static final long WINDOWS =
      (long) TripSink.TASKS * (TripSink.WINDOW + POLL) + TripSink.ROUTES * TripSource.PREFETCH;

  private final Rig rig;
  private final TripSink sink;
  private final TripSource source;
  private final Timeline timeline = new Timeline();
  private final List<String> problems = new ArrayList<>();
  private final StringBuilder log = new StringBuilder();
  private int faults;

  /**
   * Prepares a run; {@link #run} has to follow.
   *
   * @param rate messages per second
   */
  Storm(Harness harness, int rate) {
    rig =
        new Rig(harness, Fault.of("storm", "Random faults", Fault.NOTHING, 0, Fault.NOTHING), rate);
    sink = new TripSink(rig);
    source = new TripSource(rig, sink);
  }

  /**
   * Runs, prints as it goes, and writes a report and a picture.
   *
   * @param withFaults false for a soak
   * @return whether all was as it must be
   */
  boolean run(Duration length, long seed, boolean withFaults) throws Exception {
    try (rig) {
      rig.add(sink);
      rig.add(source);
      sink.beginLoad();
      Rig.sleep(WARM_UP);
      Vitals before = Vitals.of(rig);
      Repeat seconds =
          new Repeat(
              "timeline",
              Duration.ofSeconds(1),
              () -> timeline.note(sink.books.acknowledged(), sink.books.deliveries()));
      if (withFaults) {
        checkFlow(breakThings(length, new Random(seed)));
      } else {
        Rig.sleep(length);
        checkFlow(System.nanoTime());
      }
      sink.endLoad();
      Matrix.await(DRAIN, source::isThrough);
      // A redelivery would come now.
      Rig.sleep(WARM_UP);
      Matrix.await(DRAIN, source::isThrough);
      seconds.close();
      Vitals after = Vitals.of(rig);
      Account account = sink.account();
      judge(account, before, after);
      report(seed, withFaults, account, before, after);
      return problems.isEmpty();
    }
  }

  private long breakThings(Duration length, Random random) throws Exception {
    List<Fault> choice =
        Faults.all(false).stream()
            .filter(fault -> fault.failure() == null && fault.clusterQueues() == null)
            .filter(fault -> !NOT_HERE.contains(fault.name()))
            .toList();
    long end = System.nanoTime() + length.toNanos();
    long last = System.nanoTime();
    while (System.nanoTime() < end) {
      Fault fault = choice.get(random.nextInt(choice.size()));
      Duration hold =
          Duration.ofMillis((long) (fault.hold().toMillis() * (0.3 + 0.7 * random.nextDouble())));
      Duration gap = SHORTEST_GAP.plusMillis(random.nextInt(8000));
      long begun = System.nanoTime();
      fault.begin().on(rig);
      Rig.sleep(hold);
      fault.end().on(rig);
      last = System.nanoTime();
      faults++;
      timeline.band(fault.name(), begun, last);
      Rig.sleep(gap);
      rig.removeWorker();
      Optional<Duration> still = sink.progress.firstAfter(last);
      line(
          "| %.0f s | %.0f s | %s | %s |",
          timeline.seconds(begun),
          timeline.seconds(last),
          fault.name(),
          still
              .map(d -> String.format(Locale.ROOT, "%.1f s", d.toMillis() / 1000.0))
              .orElse("later"));
      restartWhatFailed(fault);
    }
    return last;
  }

  private void restartWhatFailed(Fault fault) {
    for (Flow flow : rig.flows) {
      String trace = Matrix.trace(flow);
      if (trace == null) {
        continue;
      }
      if (fault.explains(trace)) {
        line("| | | %s failed as it must, and is restarted | |", flow.side);
      } else {
        problems.add(flow.side + " failed after " + fault.name() + ": " + trace);
      }
      rig.rest().restart(flow.connector);
    }
  }

  private void checkFlow(long lastFault) {
    boolean flows =
        Matrix.await(LONGEST_STILL, () -> sink.progress.firstAfter(lastFault).isPresent());
    if (!flows) {
      problems.add("stuck " + LONGEST_STILL + " after the last fault");
    }
  }

  private void judge(Account account, Vitals before, Vitals after) {
    if (!account.isClean()) {
      problems.add("not clean: " + account);
    }
    if (account.duplicated() > WINDOWS * faults) {
      problems.add(
          "%d duplicates are more than %d faults explain".formatted(account.duplicated(), faults));
    }
    problems.addAll(after.leaksSince(before));
  }

  private void report(long seed, boolean withFaults, Account account, Vitals before, Vitals after)
      throws IOException {
    String name = withFaults ? "seed-" + seed : "soak";
    Path folder =
        Files.createDirectories(Checkout.root().resolve("harness/target/chaos").resolve(name));
    String text =
        """
        # %s, %s

        Kafka %s, RabbitMQ %s, %d messages per second, %d faults.

        | Begun | Ended | Fault | Back after |
        |---|---|---|---|
        %s
        | Acknowledged | Lost | Duplicated | Recovered | Reordered | Corrupted | Unexpected |
        |---|---|---|---|---|---|---|
        | %d | %d | %d | %d | %d | %d | %d |

        At the start: %s. At the end: %s.

        %s
        """
            .formatted(
                name,
                LocalDate.now(java.time.ZoneOffset.UTC),
                Checkout.kafkaVersion(),
                rig.rabbitMQ().management().get("overview").path("rabbitmq_version").asText(),
                rig.rate,
                faults,
                log,
                account.acknowledged(),
                account.lost(),
                account.duplicated(),
                account.recovered(),
                account.reordered(),
                account.corrupted(),
                account.unexpected(),
                before,
                after,
                problems.isEmpty() ? "Good." : "NOT GOOD:\n- " + String.join("\n- ", problems));
    Files.writeString(folder.resolve("report.md"), text, StandardCharsets.UTF_8);
    Files.writeString(folder.resolve("timeline.svg"), timeline.svg(name), StandardCharsets.UTF_8);
    System.out.println(text);
    System.out.println("Report and timeline: " + Checkout.root().relativize(folder));
  }

  private void line(String pattern, Object... values) {
    String text = String.format(Locale.ROOT, pattern, values);
    System.out.println(text);
    log.append(text).append('\n');
  }
}
