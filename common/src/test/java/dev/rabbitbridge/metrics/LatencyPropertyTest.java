// SPDX-License-Identifier: Apache-2.0
package dev.rabbitbridge.metrics;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.ArrayList;
import java.util.List;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.Example;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.constraints.DoubleRange;
import net.jqwik.api.constraints.LongRange;

class LatencyPropertyTest {
  private static final long SECOND = 1_000_000_000L;
  private static final long START = Long.MAX_VALUE - 100 * SECOND; // the clock may overflow

  record Sample(long after, long nanos) {}

  @Provide
  Arbitrary<List<Sample>> samples() {
    Arbitrary<Long> gaps =
        Arbitraries.oneOf(
            Arbitraries.longs().between(0, SECOND), Arbitraries.longs().between(0, 100 * SECOND));
    Arbitrary<Long> durations =
        Arbitraries.oneOf(
            Arbitraries.longs().between(0, 1_000_000),
            Arbitraries.longs().between(0, 10 * SECOND),
            Arbitraries.longs().between(0, 100_000 * SECOND));
    return Combinators.combine(gaps, durations).as(Sample::new).list().ofMaxSize(200);
  }

  @Property
  void allIsThatOfANaiveComputation(
      @ForAll("samples") List<Sample> samples,
      @ForAll @LongRange(max = 80 * SECOND) long silence,
      @ForAll @DoubleRange(min = 0.01, max = 1) double share) {
    Latency latency = new Latency(START);
    List<Sample> seen = new ArrayList<>();
    long elapsed = 0;
    for (Sample sample : samples) {
      elapsed += sample.after();
      latency.record(sample.nanos(), START + elapsed);
      seen.add(new Sample(elapsed, sample.nanos()));
    }
    elapsed += silence;
    long now = START + elapsed;

    long from = Math.max(0, elapsed / (10 * SECOND) - 6) * 10 * SECOND;
    double[] recent =
        seen.stream()
            .filter(sample -> sample.after() >= from)
            .mapToLong(sample -> sample.nanos() / 1000)
            .mapToDouble(micros -> micros / 1000.0)
            .sorted()
            .toArray();
    if (recent.length == 0) {
      assertThat(latency.average(now)).isNaN();
      assertThat(latency.max(now)).isNaN();
      assertThat(latency.percentile(share, now)).isNaN();
      return;
    }
    double sum = 0;
    for (double each : recent) {
      sum += each;
    }
    double mean = sum / recent.length;
    assertThat(latency.average(now)).isCloseTo(mean, within(1e-9 * (1 + mean)));
    assertThat(latency.max(now)).isEqualTo(recent[recent.length - 1]);
    double exact = recent[(int) Math.ceil(share * recent.length) - 1];
    assertThat(latency.percentile(share, now))
        .isBetween(exact, Math.min(exact * (1 + 1 / 32.0), recent[recent.length - 1]));
  }

  @Example
  void whatIsLongerThanThirtyEightHoursAndWhatRunsBackwardsIsBounded() {
    Latency latency = new Latency(0);
    latency.record(Long.MAX_VALUE, 0);

    assertThat(latency.max(0)).isCloseTo(38.17 * 3_600_000, within(60_000.0));
    latency.record(-5, 0);
    assertThat(latency.percentile(0.5, 0)).isZero();
  }
}
