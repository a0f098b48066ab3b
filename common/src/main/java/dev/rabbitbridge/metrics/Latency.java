// SPDX-License-Identifier: Apache-2.0
package dev.rabbitbridge.metrics;

import java.util.Arrays;

/**
 * Records how long things took, and tells what was usual and what was worst of late: over the last
 * 60 to 70 seconds.
 *
 * <p>Durations are counted in buckets whose width grows with the duration, so that a percentile is
 * at most 1/32 too high, and recording allocates nothing. Average and maximum are exact to the
 * microsecond.
 *
 * <p>Thread safe; recording costs an uncontended lock.
 */
public final class Latency {
  private static final long SLICE = 10_000_000_000L;
  private static final int SLICES = 7;
  private static final int NANOS_PER_MICRO = 1000;
  private static final double MICROS_PER_MILLI = 1000;

  private static final int PRECISION = 5; // bits of a duration that a bucket keeps
  private static final long LONGEST = (1L << 37) - 1; // microseconds, 38 hours
  private static final int BUCKETS = bucket(LONGEST) + 1;

  private final int[][] counts = new int[SLICES][BUCKETS];
  private final long[] sums = new long[SLICES];
  private final long[] largest = new long[SLICES];
  private final TimeSlices slices;

  /**
   * Creates a recorder that has seen nothing.
   *
   * @param now the time of {@link System#nanoTime()}
   */
  public Latency(long now) {
    slices = new TimeSlices(SLICES, SLICE, now, this::empty);
  }

  /**
   * Records how long something took that ends now.
   *
   * @param nanos its duration; below 0 counts as 0, more than 38 hours as 38 hours
   * @param now the time of {@link System#nanoTime()}
   */
  public synchronized void record(long nanos, long now) {
    long micros = Math.min(Math.max(0, nanos) / NANOS_PER_MICRO, LONGEST);
    int slice = slices.at(now);
    counts[slice][bucket(micros)]++;
    sums[slice] += micros;
    largest[slice] = Math.max(largest[slice], micros);
  }

  /**
   * Returns the mean of what was recorded of late.
   *
   * @param now the time of {@link System#nanoTime()}
   * @return milliseconds, NaN when nothing was recorded
   */
  public synchronized double average(long now) {
    slices.at(now);
    return Arrays.stream(sums).sum() / MICROS_PER_MILLI / count();
  }

  /**
   * Returns the longest of what was recorded of late.
   *
   * @param now the time of {@link System#nanoTime()}
   * @return milliseconds, NaN when nothing was recorded
   */
  public synchronized double max(long now) {
    slices.at(now);
    return count() == 0 ? Double.NaN : largest() / MICROS_PER_MILLI;
  }

  /**
   * Returns the duration that a share of what was recorded of late did not exceed.
   *
   * @param share above 0 and up to 1
   * @param now the time of {@link System#nanoTime()}
   * @return milliseconds, NaN when nothing was recorded
   */
  public synchronized double percentile(double share, long now) {
    slices.at(now);
    long rank = (long) Math.ceil(share * count());
    long below = 0;
    for (int bucket = 0; bucket < BUCKETS; bucket++) {
      for (int[] slice : counts) {
        below += slice[bucket];
      }
      if (below > 0 && below >= rank) {
        return Math.min(upperEdge(bucket), largest()) / MICROS_PER_MILLI;
      }
    }
    return Double.NaN;
  }

  private void empty(int slice) {
    Arrays.fill(counts[slice], 0);
    sums[slice] = 0;
    largest[slice] = 0;
  }

  private long count() {
    long count = 0;
    for (int[] slice : counts) {
      for (int inBucket : slice) {
        count += inBucket;
      }
    }
    return count;
  }

  private long largest() {
    return Arrays.stream(largest).max().getAsLong();
  }

  /** Numbers up to 63 have buckets of their own; above, 32 buckets share each power of two. */
  private static int bucket(long micros) {
    int shift = Math.max(0, Long.SIZE - 1 - PRECISION - Long.numberOfLeadingZeros(micros));
    return (shift << PRECISION) + (int) (micros >>> shift);
  }

  private static long upperEdge(int bucket) {
    int shift = Math.max(0, (bucket >>> PRECISION) - 1);
    return ((bucket - ((long) shift << PRECISION) + 1) << shift) - 1;
  }
}
