// SPDX-License-Identifier: Apache-2.0
package dev.rabbitbridge.harness.bench;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

class NumbersTest {
  @Test
  void medianOfAnOddNumberIsTheMiddleOne() {
    assertThat(new Numbers(List.of(3.0, 1.0, 2.0)).median()).isEqualTo(2.0);
  }

  @Test
  void medianOfAnEvenNumberLiesBetweenTheMiddleTwo() {
    assertThat(new Numbers(List.of(4.0, 1.0, 2.0, 3.0)).median()).isEqualTo(2.5);
  }

  @Test
  void oneValueHasNoRange() {
    assertThat(new Numbers(List.of(1234.5)).show("%,.1f")).isEqualTo("1,234.5");
  }

  @Test
  void nothingIsShownAsADash() {
    assertThat(new Numbers(List.of()).show("%.1f")).isEqualTo("-");
    assertThat(new Numbers(List.of(Double.NaN)).show("%.1f")).isEqualTo("-");
  }
}
