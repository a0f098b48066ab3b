// SPDX-License-Identifier: Apache-2.0
package dev.rabbitbridge.metrics;

import java.util.function.IntConsumer;

/**
 * A ring of time slices: which one is the present, and which have to be emptied before it is used.
 * Not thread safe.
 */
final class TimeSlices {
  private final int count;
  private final long length;
  private final long start;
  private final IntConsumer empty;
  private long current;

  /**
   * Creates a ring whose first slice begins now.
   *
   * @param length of a slice, in nanoseconds
   * @param empty told each slice that holds what is too old by now
   */
  TimeSlices(int count, long length, long now, IntConsumer empty) {
    this.count = count;
    this.length = length;
    this.start = now;
    this.empty = empty;
  }

  /**
   * Moves on to the slice of a point in time; an earlier point than the last one is in the present
   * slice.
   */
  int at(long now) {
    long wanted = (now - start) / length;
    if (wanted > current) {
      for (long slice = Math.max(current, wanted - count) + 1; slice <= wanted; slice++) {
        empty.accept((int) (slice % count));
      }
      current = wanted;
    }
    return (int) (current % count);
  }

  /** Returns how much time the slices cover, in nanoseconds. */
  long covered(long now) {
    return Math.max(0, now - start - Math.max(0, current - count + 1) * length);
  }
}
