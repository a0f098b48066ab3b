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

class MeterPropertyTest {
  private static final long SECOND = 1_000_000_000L;
  private static final long START = Long.MAX_VALUE - 100 * SECOND; // the clock may overflow

  record Event(long after, int count) {}

  @Provide
  Arbitrary<List<Event>> events() {
    Arbitrary<Long> gaps =
        Arbitraries.oneOf(
            Arbitraries.longs().between(0, 3 * SECOND),
            Arbitraries.longs().between(0, 200 * SECOND));
    return Combinators.combine(gaps, Arbitraries.integers().between(0, 1000))
        .as(Event::new)
        .list()
        .ofMaxSize(60);
  }

  @Property
  void totalAndRateAreThoseOfANaiveCount(
      @ForAll("events") List<Event> events, @ForAll("gap") long silence) {
    Meter meter = new Meter(START);
    List<Event> seen = new ArrayList<>();
    long elapsed = 0;
    for (Event event : events) {
      elapsed += event.after();
      meter.add(event.count(), START + elapsed);
      seen.add(new Event(elapsed, event.count()));
    }
    elapsed += silence;

    long from = Math.max(0, elapsed / (5 * SECOND) - 6) * 5 * SECOND;
    double expected =
        seen.stream().filter(e -> e.after() >= from).mapToLong(Event::count).sum()
            / Math.max(1, (elapsed - from) / (double) SECOND);
    assertThat(meter.total()).isEqualTo(seen.stream().mapToLong(Event::count).sum());
    assertThat(meter.rate(START + elapsed)).isCloseTo(expected, within(1e-6 * (1 + expected)));
    assertThat(elapsed - from).isLessThan(35 * SECOND);
  }

  @Provide
  Arbitrary<Long> gap() {
    return Arbitraries.longs().between(0, 50 * SECOND);
  }

  @Example
  void aSteadyFlowHasItsRateAndASilenceHasNone() {
    Meter meter = new Meter(0);
    for (int tenth = 1; tenth <= 600; tenth++) {
      meter.add(10, tenth * SECOND / 10);
    }

    assertThat(meter.rate(60 * SECOND)).isCloseTo(100, within(1.0));
    assertThat(meter.rate(96 * SECOND)).isZero();
    assertThat(meter.total()).isEqualTo(6000);
  }
}
