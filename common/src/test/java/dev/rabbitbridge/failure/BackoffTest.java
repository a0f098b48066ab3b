// SPDX-License-Identifier: Apache-2.0
package dev.rabbitbridge.failure;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Test;

class BackoffTest {
  private static final Duration INITIAL = Duration.ofMillis(100);
  private static final Duration MAX = Duration.ofSeconds(10);

  @Test
  void doublesUpToTheLongestDelay() {
    Backoff backoff = new Backoff(INITIAL, MAX, () -> 0.5);

    assertThat(backoff.delay(1)).hasMillis(100);
    assertThat(backoff.delay(2)).hasMillis(200);
    assertThat(backoff.delay(5)).hasMillis(1600);
    assertThat(backoff.delay(8)).hasMillis(10_000);
    assertThat(backoff.delay(Integer.MAX_VALUE)).hasMillis(10_000);
  }

  @Test
  void jitterStaysWithinAFifth() {
    assertThat(new Backoff(INITIAL, MAX, () -> 0.0).delay(1)).hasMillis(80);
    assertThat(new Backoff(INITIAL, MAX, () -> 1.0).delay(1)).hasMillis(120);
  }

  @Test
  void randomJitterDiffersBetweenTasks() {
    Backoff backoff = new Backoff(INITIAL, MAX);

    assertThat(
            java.util.stream.Stream.generate(() -> backoff.delay(3)).limit(20).distinct().count())
        .isGreaterThan(1);
  }
}
