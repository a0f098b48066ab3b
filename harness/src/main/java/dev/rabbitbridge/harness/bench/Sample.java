// SPDX-License-Identifier: Apache-2.0
package dev.rabbitbridge.harness.bench;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * What one run gave.
 *
 * @param perSecond messages
 * @param cpuMicros CPU time of the process that moved them, per message; NaN when unknown
 * @param bytes allocated in it, per message; NaN when unknown
 * @param busy how much of all cores of the machine was in use, 0 to 1, by whatever process; NaN
 *     when unknown
 */
record Sample(double perSecond, double cpuMicros, double bytes, double busy) {
  private static final long LOOK_NANOS = TimeUnit.MILLISECONDS.toNanos(20);
  private static final long STUCK_NANOS = TimeUnit.SECONDS.toNanos(90);

  /**
   * Watches a run to its end. The clock starts after the warm-up; it stops with the last look
   * before the end, because nobody saw when between two looks the end was.
   */
  static Sample of(Run run, Load load) throws Exception {
    long arrived = await(run, 0, load.warmUp());
    Usage usedBefore = run.usage();
    Machine.load(); // it counts from call to call
    long begin = System.nanoTime();
    long first = Math.max(arrived, run.arrived());
    if (first >= load.messages()) {
      throw new IllegalStateException(
          "all " + first + " messages had arrived before the clock started; take more of them");
    }
    long end = begin;
    long last = first;
    long moved = begin;
    for (long now = first; now < load.messages(); now = run.arrived()) {
      long at = System.nanoTime();
      moved = progress(run, now > last, moved, at, now);
      if (now > last) {
        last = now;
        end = at;
      }
      LockSupport.parkNanos(LOOK_NANOS);
    }
    if (last == first) {
      last = load.messages();
      end = System.nanoTime();
    }
    Usage used = run.usage();
    double busy = Machine.load();
    double measured = load.messages() - first;
    return new Sample(
        (last - first) * 1e9 / (end - begin),
        (used.cpuNanos() - usedBefore.cpuNanos()) / 1000 / measured,
        (used.bytes() - usedBefore.bytes()) / measured,
        busy);
  }

  /** Returns which part of a second the whole machine would need for one message. */
  double machinePerMessage() {
    return busy / perSecond;
  }

  private static long await(Run run, long before, long wanted) throws Exception {
    long last = before;
    long moved = System.nanoTime();
    for (long now = run.arrived(); now < wanted; now = run.arrived()) {
      moved = progress(run, now > last, moved, System.nanoTime(), now);
      last = now;
      LockSupport.parkNanos(LOOK_NANOS / 4);
    }
    return run.arrived();
  }

  private static long progress(Run run, boolean more, long moved, long at, long arrived) {
    run.check();
    if (more) {
      return at;
    }
    if (at - moved > STUCK_NANOS) {
      throw new IllegalStateException("nothing arrives any more after " + arrived + " messages");
    }
    return moved;
  }
}
