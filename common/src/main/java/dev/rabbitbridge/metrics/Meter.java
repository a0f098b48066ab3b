// SPDX-License-Identifier: Apache-2.0
package dev.rabbitbridge.metrics;

/**
 * Counts events, and knows how many of them there were a second of late: over the last 30 to 35
 * seconds, or since it was made.
 *
 * <p>Thread safe; counting costs an uncontended lock and allocates nothing.
 */
public final class Meter {
  private static final long SECOND = 1_000_000_000L;
  private static final int SLICES = 7;

  private final long[] counts = new long[SLICES];
  private final TimeSlices slices;
  private long total;

  /**
   * Creates a meter that has counted nothing.
   *
   * @param now the time of {@link System#nanoTime()}
   */
  public Meter(long now) {
    slices = new TimeSlices(SLICES, 5 * SECOND, now, slice -> counts[slice] = 0);
  }

  /**
   * Counts events.
   *
   * @param events how many, not negative
   * @param now the time of {@link System#nanoTime()}
   */
  public synchronized void add(long events, long now) {
    total += events;
    counts[slices.at(now)] += events;
  }

  /**
   * Returns how many events there were.
   *
   * @return never less than before
   */
  public synchronized long total() {
    return total;
  }

  /**
   * Returns how many events there were a second of late.
   *
   * @param now the time of {@link System#nanoTime()}
   * @return 0 when there were none
   */
  public synchronized double rate(long now) {
    slices.at(now);
    long recent = 0;
    for (long count : counts) {
      recent += count;
    }
    // The first moments of a task would otherwise show as thousands of events a second.
    return (double) recent * SECOND / Math.max(SECOND, slices.covered(now));
  }
}
