// SPDX-License-Identifier: Apache-2.0
package dev.rabbitbridge.harness.chaos;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** How many messages had come out at which moment. Safe from any thread. */
final class Progress {
  /**
   * A moment.
   *
   * @param nanos of {@link System#nanoTime}
   * @param delivered so far
   */
  record Sample(long nanos, long delivered) {}

  private final List<Sample> samples = new ArrayList<>();
  private long most;

  /** Notes a count; one below an earlier one is of a broker that is still counting. */
  synchronized void note(long delivered) {
    most = Math.max(most, delivered);
    samples.add(new Sample(System.nanoTime(), most));
  }

  /** Forgets the highest count, because messages were taken out. */
  synchronized void restart() {
    most = 0;
  }

  /** Returns the highest count so far. */
  synchronized long delivered() {
    return most;
  }

  /** Returns how long after a moment the next message came out. */
  synchronized Optional<Duration> firstAfter(long nanos) {
    long before = Long.MAX_VALUE;
    for (Sample sample : samples) {
      if (sample.nanos > nanos && sample.delivered > before) {
        return Optional.of(Duration.ofNanos(sample.nanos - nanos));
      }
      before = sample.delivered;
    }
    return Optional.empty();
  }

  /** Returns all that was noted. */
  synchronized List<Sample> samples() {
    return List.copyOf(samples);
  }
}
