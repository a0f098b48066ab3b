// SPDX-License-Identifier: Apache-2.0
package dev.rabbitbridge.harness.chaos;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

class RowTest {
  private static final Duration SOON = Duration.ofMillis(1500);

  private final Books books = new Books();

  @Test
  void aCleanAccountThatGoesOnSoonIsGood() {
    deliverOneOfOne();

    Row row = row(SOON, List.of());

    assertThat(row.isGood()).isTrue();
    assertThat(row.markdown()).contains("| 1.5 s | good |");
  }

  @Test
  void aLossIsNotGood() {
    books.attempt(0, 0, 1);
    books.acknowledge(0, 0);

    Row row = row(SOON, List.of());

    assertThat(row.findings()).singleElement().asString().contains("lost=1");
    assertThat(row.markdown()).contains("NOT GOOD");
  }

  @Test
  void tooLongWithoutProgressIsNotGood() {
    deliverOneOfOne();

    assertThat(row(Duration.ofSeconds(31), List.of()).findings())
        .containsExactly("still for 31000 ms");
    assertThat(row(null, List.of()).findings()).containsExactly("no progress after the fault");
  }

  @Test
  void whatTheRunNoticedIsAFinding() {
    deliverOneOfOne();

    assertThat(row(SOON, List.of("failed: x")).findings()).containsExactly("failed: x");
  }

  @Test
  void everyColumnOfTheHeadHasACell() {
    deliverOneOfOne();
    long columns = Row.HEAD.lines().findFirst().orElseThrow().chars().filter(c -> c == '|').count();

    assertThat(row(SOON, List.of()).markdown().chars().filter(c -> c == '|').count())
        .isEqualTo(columns);
  }

  private void deliverOneOfOne() {
    books.attempt(0, 0, 1);
    books.acknowledge(0, 0);
    books.deliver(0, 0, 1);
  }

  private Row row(Duration still, List<String> problems) {
    return new Row("A fault", Side.SINK, books.account(), still, false, problems);
  }
}
