// SPDX-License-Identifier: Apache-2.0
package dev.rabbitbridge.metrics;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

class TallyTest {
  private static final long MILLI = 1_000_000;
  private final AtomicLong clock = new AtomicLong();
  private final Tally tally =
      new Tally(LoggerFactory.getLogger(TallyTest.class), "orders-0", "nacked", clock::get);

  @Test
  void theFirstEventShowsAtOnce() {
    try (LogLines log = new LogLines(TallyTest.class)) {
      tally.add(() -> "one");

      assertThat(log.lines()).containsExactly("WARNING orders-0: 1 nacked, for example one");
    }
  }

  @Test
  void aStormIsOneLineASecondAndNoEventIsLeftOut() {
    try (LogLines log = new LogLines(TallyTest.class)) {
      for (int i = 0; i < 10_000; i++) {
        tally.add(() -> "one");
        clock.addAndGet(MILLI);
      }
      clock.addAndGet(1000 * MILLI);
      tally.flush();

      assertThat(log.lines()).hasSize(11);
      assertThat(
              log.lines().stream()
                  .mapToInt(line -> Integer.parseInt(line.replaceAll(".*: (\\d+) .*", "$1")))
                  .sum())
          .isEqualTo(10_000);
    }
  }

  @Test
  void nothingIsLoggedWhenNothingHappened() {
    try (LogLines log = new LogLines(TallyTest.class)) {
      clock.addAndGet(10_000 * MILLI);
      tally.flush();

      assertThat(log.lines()).isEmpty();
    }
  }
}
