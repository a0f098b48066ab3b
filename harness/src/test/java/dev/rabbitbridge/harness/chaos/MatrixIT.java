// SPDX-License-Identifier: Apache-2.0
package dev.rabbitbridge.harness.chaos;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rabbitbridge.harness.Scenario;
import java.util.EnumSet;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Named;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The faults of the matrix that take seconds; {@code bin/chaos --matrix} tries them all. */
class MatrixIT {
  private static final int RATE = 200;

  @RegisterExtension final Scenario scenario = new Scenario();

  @ParameterizedTest
  @MethodSource("faults")
  void nothingIsLostAndAllGoesOnByItself(Fault fault) throws Exception {
    List<Row> rows = new Matrix(scenario.harness(), RATE).run(fault, EnumSet.allOf(Side.class));

    rows.forEach(row -> System.out.println(row.markdown()));
    assertThat(rows).isNotEmpty().allSatisfy(row -> assertThat(row.findings()).isEmpty());
  }

  static Stream<Named<Fault>> faults() {
    return Faults.all(false).stream()
        .filter(fault -> Faults.SHORT.contains(fault.name()))
        .map(fault -> Named.of(fault.name(), fault));
  }
}
