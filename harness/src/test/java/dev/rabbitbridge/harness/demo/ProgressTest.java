// SPDX-License-Identifier: Apache-2.0
package dev.rabbitbridge.harness.demo;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import org.junit.jupiter.api.Test;

class ProgressTest {
  private final ByteArrayOutputStream printed = new ByteArrayOutputStream();
  private final PrintStream out = new PrintStream(printed, true, UTF_8);

  @Test
  void barGrowsWithWhatIsBack() {
    Progress progress = new Progress(out, false, 2000);

    progress.show(new Snapshot(2000, 1500, 500, 1000), "(killed)");

    assertThat(text())
        .isEqualTo(
            "[############............]  50%  sent 2,000  confirmed 1,500  in the queue 500"
                + "  back 1,000  (killed)"
                + System.lineSeparator());
  }

  @Test
  void duplicatesDoNotOverfillTheBar() {
    Progress progress = new Progress(out, false, 10);

    progress.show(new Snapshot(10, 10, 0, 25), "");

    assertThat(text()).startsWith("[########################] 100%  sent 10");
  }

  @Test
  void logGetsALineOnlyForANewTenthOrState() {
    Progress progress = new Progress(out, false, 100);

    progress.show(new Snapshot(100, 0, 0, 11), "");
    progress.show(new Snapshot(100, 0, 0, 12), "");
    progress.show(new Snapshot(100, 0, 0, 12), "(killed)");
    progress.show(new Snapshot(100, 0, 0, 20), "(killed)");

    assertThat(text().lines()).hasSize(3);
  }

  @Test
  void logEndsWithTheLastCounters() {
    Progress progress = new Progress(out, false, 100);

    progress.show(new Snapshot(100, 0, 7, 100), "");
    progress.show(new Snapshot(100, 0, 0, 100), "");
    progress.end();

    assertThat(text().lines().reduce((first, last) -> last).orElseThrow())
        .contains("in the queue 0");
  }

  @Test
  void terminalGetsOneLineWithoutRestsOfALongerOne() {
    Progress progress = new Progress(out, true, 100);

    progress.show(new Snapshot(100, 0, 0, 11), "(a long state)");
    progress.show(new Snapshot(100, 0, 0, 12), "");
    progress.end();

    String[] states = text().split("\r");
    assertThat(states).hasSize(3);
    assertThat(states[2].stripTrailing()).endsWith("back 12");
    assertThat(states[2].replace(System.lineSeparator(), "")).hasSameSizeAs(states[1]);
  }

  private String text() {
    return printed.toString(UTF_8);
  }
}
