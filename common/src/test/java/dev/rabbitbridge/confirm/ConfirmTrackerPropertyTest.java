// SPDX-License-Identifier: Apache-2.0
package dev.rabbitbridge.confirm;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.Tuple;

/**
 * Drives the tracker and a sorted map through the same words and compares all they can be asked.
 */
class ConfirmTrackerPropertyTest {
  enum Kind {
    TRACK,
    SETTLE,
    SETTLE_THROUGH,
    RELEASE,
    ABANDON
  }

  /**
   * One step; the number may be known, settled before, or never given; the epoch may be an older
   * one.
   */
  record Step(Kind kind, int number, int epochsBack) {}

  @Provide
  Arbitrary<List<Step>> steps() {
    Arbitrary<Kind> kinds =
        Arbitraries.frequencyOf(
            Tuple.of(50, Arbitraries.just(Kind.TRACK)),
            Tuple.of(30, Arbitraries.just(Kind.SETTLE)),
            Tuple.of(10, Arbitraries.just(Kind.SETTLE_THROUGH)),
            Tuple.of(8, Arbitraries.just(Kind.RELEASE)),
            Tuple.of(2, Arbitraries.just(Kind.ABANDON)));
    Arbitrary<Integer> epochsBack =
        Arbitraries.frequencyOf(
            Tuple.of(9, Arbitraries.just(0)), Tuple.of(1, Arbitraries.integers().between(1, 3)));
    return Combinators.combine(kinds, Arbitraries.integers().between(-1, 120), epochsBack)
        .as(Step::new)
        .list()
        .ofMaxSize(400);
  }

  @Property(tries = 2000)
  void behavesLikeASortedMap(@ForAll("steps") List<Step> steps) {
    ConfirmTracker<Integer> tracker = new ConfirmTracker<>();
    Oracle oracle = new Oracle();
    int item = 0;

    for (Step step : steps) {
      int epoch = oracle.epoch - step.epochsBack;
      switch (step.kind) {
        case TRACK -> {
          item++;
          assertThat(tracker.track(item, item)).isEqualTo(oracle.track(item));
        }
        case SETTLE -> {
          assertThat(tracker.peek(epoch, step.number)).isEqualTo(oracle.peek(epoch, step.number));
          assertThat(tracker.settle(epoch, step.number))
              .isEqualTo(oracle.settle(epoch, step.number));
        }
        case SETTLE_THROUGH -> {
          List<Integer> settled = new ArrayList<>();
          tracker.settleThrough(epoch, step.number, settled::add);
          assertThat(settled).isEqualTo(oracle.settleThrough(epoch, step.number));
        }
        case RELEASE -> {
          List<Integer> released = new ArrayList<>();
          tracker.release(released::add);
          assertThat(released).isEqualTo(oracle.release());
        }
        case ABANDON -> assertThat(tracker.abandon()).isEqualTo(oracle.abandon());
      }
      assertThat(tracker.epoch()).isEqualTo(oracle.epoch);
      assertThat(tracker.pending()).isEqualTo(oracle.pending.size());
      assertThat(tracker.prefix()).isEqualTo(oracle.prefix());
      assertThat(tracker.next()).isEqualTo(oracle.next);
      assertThat(tracker.oldest())
          .isEqualTo(oracle.pending.isEmpty() ? null : oracle.pending.firstEntry().getValue());
      assertThat(tracker.olderThan(item / 2)).isEqualTo(oracle.olderThan(item / 2));
      List<Integer> behind = new ArrayList<>();
      tracker.settledBehindPrefix(behind::add);
      assertThat(behind).isEqualTo(oracle.settledBehindPrefix());
    }
  }

  private static final class Oracle {
    final TreeMap<Long, Integer> pending = new TreeMap<>();
    final TreeMap<Long, Integer> held = new TreeMap<>();
    int epoch;
    long next = 1;

    long track(int item) {
      pending.put(next, item);
      held.put(next, item);
      return next++;
    }

    Integer peek(int wordEpoch, long number) {
      return wordEpoch == epoch ? pending.get(number) : null;
    }

    Integer settle(int wordEpoch, long number) {
      return wordEpoch == epoch ? pending.remove(number) : null;
    }

    List<Integer> settleThrough(int wordEpoch, long number) {
      if (wordEpoch != epoch) {
        return List.of();
      }
      var meant = pending.headMap(number, true);
      List<Integer> settled = List.copyOf(meant.values());
      meant.clear();
      return settled;
    }

    long prefix() {
      return pending.isEmpty() ? next - 1 : pending.firstKey() - 1;
    }

    List<Integer> release() {
      var free = held.headMap(prefix(), true);
      List<Integer> released = List.copyOf(free.values());
      free.clear();
      return released;
    }

    List<Integer> settledBehindPrefix() {
      List<Integer> behind = new ArrayList<>(held.tailMap(prefix(), false).values());
      behind.removeAll(pending.values());
      return behind;
    }

    List<Integer> abandon() {
      List<Integer> unknown = List.copyOf(pending.values());
      pending.clear();
      held.clear();
      next = 1;
      epoch++;
      return unknown;
    }

    List<Integer> olderThan(int item) {
      return pending.values().stream().filter(i -> i <= item).toList();
    }
  }
}
