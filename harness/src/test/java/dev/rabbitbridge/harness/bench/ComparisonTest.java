// SPDX-License-Identifier: Apache-2.0
package dev.rabbitbridge.harness.bench;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.io.ByteArrayInputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import javax.xml.parsers.DocumentBuilderFactory;
import org.junit.jupiter.api.Test;

class ComparisonTest {
  private final List<String> runs = new ArrayList<>();
  private double speed = 1000;

  /** A machine that gets faster with every run. */
  private Sample measure(Contender contender) {
    runs.add(contender.name());
    speed *= 2;
    return new Sample(contender.name().equals("slow") ? speed / 2 : speed, 10, Double.NaN, 0.5);
  }

  private Comparison compare(int rounds) throws Exception {
    List<Contender> contenders =
        List.of(Connectors.contender("slow", p -> null), Connectors.contender("fast", p -> null));
    return Comparison.run("title <1>", contenders, rounds, this::measure, (t, c, s) -> {});
  }

  @Test
  void everyOtherRoundGoesBackwards() throws Exception {
    compare(3);

    assertThat(runs).containsExactly("slow", "fast", "fast", "slow", "slow", "fast");
  }

  @Test
  void ratiosAreTakenPairByPair() throws Exception {
    Comparison comparison = compare(2);

    Numbers ratio = comparison.perSecond("fast").over(comparison.perSecond("slow"));

    assertThat(ratio.values()).containsExactly(4.0, 1.0);
    assertThat(ratio.median()).isCloseTo(2.5, within(1e-9));
  }

  @Test
  void aTableShowsMedianAndRangeAndLeavesOutWhatNobodyMeasured() throws Exception {
    Report report = new Report();

    report.add(compare(2));

    assertThat(report.markdown())
        .contains("### title <1>")
        .contains(
            "|  | messages/s | of slow | CPU us/message | bytes allocated/message | of all cores |")
        .contains(
            "| slow | 4,500 (1,000 - 8,000) |  | 10.0 (10.0 - 10.0) | - | 0.50 (0.50 - 0.50) |")
        .contains(
            "| fast | 6,000 (4,000 - 8,000) | 2.50 (1.00 - 4.00) | 10.0 (10.0 - 10.0) | - | 0.50 (0.50 - 0.50) |");
  }

  @Test
  void theChartIsXmlWithABarForEachContender() throws Exception {
    String svg = Chart.of(List.of(compare(2)));

    var document =
        DocumentBuilderFactory.newInstance()
            .newDocumentBuilder()
            .parse(new ByteArrayInputStream(svg.getBytes(StandardCharsets.UTF_8)));

    // The background is the third.
    assertThat(document.getElementsByTagName("rect").getLength()).isEqualTo(3);
    assertThat(document.getElementsByTagName("line").getLength()).isEqualTo(2);
  }
}
