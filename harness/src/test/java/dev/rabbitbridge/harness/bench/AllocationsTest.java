// SPDX-License-Identifier: Apache-2.0
package dev.rabbitbridge.harness.bench;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import org.junit.jupiter.api.Test;

class AllocationsTest {
  private final Allocations allocations = new Allocations();

  @Test
  void aThreadThatEndsKeepsWhatItHasAllocated() {
    assertThat(allocations.add(Map.of(1L, 100L, 2L, 1000L))).isEqualTo(1100);

    // The second has just ended, and is then forgotten.
    assertThat(allocations.add(Map.of(1L, 150L, 2L, 0L))).isEqualTo(1150);
    assertThat(allocations.add(Map.of(1L, 150L, 3L, 7L))).isEqualTo(1157);
  }
}
