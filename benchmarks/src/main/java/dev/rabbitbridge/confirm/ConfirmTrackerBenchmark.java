// SPDX-License-Identifier: Apache-2.0
package dev.rabbitbridge.confirm;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.NavigableMap;
import java.util.Random;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;

/**
 * The tracker beside the sorted map that publishers commonly use, on the same trace: a window of
 * 5,000 in flight; words for 64 items at a time, by turns one "multiple" and 64 single ones out of
 * order. An operation is one item, from track to its word.
 */
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 5, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(2)
public class ConfirmTrackerBenchmark {
  private static final int WINDOW = 5000;
  private static final int GROUP = 64;
  private static final int GROUPS = 64;
  private static final int OPERATIONS = GROUP * GROUPS;
  private static final Object ITEM = new Object();

  /** The order of the words within a group. */
  @State(Scope.Thread)
  public static class Trace {
    final int[] order = new int[GROUP];
    final ConfirmTracker<Object> tracker = new ConfirmTracker<>();
    final NavigableMap<Long, Object> map = new ConcurrentSkipListMap<>();
    long next = 1;
    long settled;

    /** Fills both to the window. */
    @Setup
    public void fill() {
      List<Integer> numbers = new ArrayList<>();
      for (int i = 0; i < GROUP; i++) {
        numbers.add(i + 1);
      }
      Collections.shuffle(numbers, new Random(1));
      for (int i = 0; i < GROUP; i++) {
        order[i] = numbers.get(i);
      }
      for (; next <= WINDOW; next++) {
        tracker.track(ITEM, next);
        map.put(next, ITEM);
      }
    }
  }

  /** Runs the trace on the tracker. */
  @Benchmark
  @OperationsPerInvocation(OPERATIONS)
  public long confirmTracker(Trace trace) {
    ConfirmTracker<Object> tracker = trace.tracker;
    for (int group = 0; group < GROUPS; group++) {
      for (int i = 0; i < GROUP; i++) {
        tracker.track(ITEM, trace.next++);
      }
      if (group % 2 == 0) {
        tracker.settleThrough(tracker.epoch(), trace.settled + GROUP, item -> {});
      } else {
        for (int each : trace.order) {
          tracker.settle(tracker.epoch(), trace.settled + each);
        }
      }
      trace.settled += GROUP;
      tracker.release(item -> {});
    }
    return tracker.prefix();
  }

  /** Runs the trace on the map. */
  @Benchmark
  @OperationsPerInvocation(OPERATIONS)
  public long skipListMap(Trace trace) {
    NavigableMap<Long, Object> map = trace.map;
    for (int group = 0; group < GROUPS; group++) {
      for (int i = 0; i < GROUP; i++) {
        map.put(trace.next++, ITEM);
      }
      if (group % 2 == 0) {
        map.headMap(trace.settled + GROUP, true).clear();
      } else {
        for (int each : trace.order) {
          map.remove(trace.settled + each);
        }
      }
      trace.settled += GROUP;
    }
    return map.firstKey();
  }
}
