// SPDX-License-Identifier: Apache-2.0
package dev.rabbitbridge.harness.chaos;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

class FaultsTest {
  @Test
  void everyFaultHasANameOfItsOwnAndAConnector() {
    List<Fault> faults = Faults.all(false);

    assertThat(faults).extracting(Fault::name).doesNotHaveDuplicates();
    assertThat(faults).allSatisfy(fault -> assertThat(fault.sides()).isNotEmpty());
  }

  @Test
  void theShortMatrixIsPartOfTheWhole() {
    assertThat(Faults.all(false)).extracting(Fault::name).containsAll(Faults.SHORT);
  }

  @Test
  void theFullMatrixHasTheSameFaultsAndLastsLonger() {
    assertThat(Faults.all(true))
        .extracting(Fault::name)
        .isEqualTo(Faults.all(false).stream().map(Fault::name).toList());
    assertThat(Faults.all(true).stream().mapToLong(fault -> fault.hold().toSeconds()).sum())
        .isGreaterThan(Faults.all(false).stream().mapToLong(f -> f.hold().toSeconds()).sum());
  }
}
