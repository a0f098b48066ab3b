// SPDX-License-Identifier: Apache-2.0
package dev.rabbitbridge.failure;

import java.time.Duration;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.DoubleSupplier;

/**
 * Says how long to wait before an attempt: exponential, with jitter so that many tasks do not come
 * back at once. Waits for nothing itself.
 *
 * <p>Immutable; safe for use by any thread.
 */
public final class Backoff {
  private static final double JITTER = 0.2;

  private final Duration initial;
  private final Duration max;
  private final DoubleSupplier random;

  /**
   * Creates a policy with random jitter of a fifth up or down.
   *
   * @param initial the delay before the first retry
   * @param max the longest delay, jitter included
   */
  public Backoff(Duration initial, Duration max) {
    this(initial, max, () -> ThreadLocalRandom.current().nextDouble());
  }

  Backoff(Duration initial, Duration max, DoubleSupplier random) {
    this.initial = initial;
    this.max = max;
    this.random = random;
  }

  /**
   * Returns the delay before a retry.
   *
   * @param attempt 1 for the first retry
   * @return initial x 2^(attempt-1), jittered, at most the longest delay
   */
  public Duration delay(int attempt) {
    double doubled = (double) initial.toNanos() * Math.pow(2, Math.max(0, attempt - 1));
    double jittered = doubled * (1 + JITTER * (2 * random.getAsDouble() - 1));
    return Duration.ofNanos((long) Math.min(jittered, (double) max.toNanos()));
  }

  @Override
  public String toString() {
    return initial.toMillis() + " ms doubling to " + max.toMillis() + " ms";
  }
}
