// SPDX-License-Identifier: Apache-2.0
package dev.rabbitbridge.harness.docs;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rabbitbridge.failure.Fault;
import dev.rabbitbridge.harness.Checkout;
import java.io.IOException;
import java.nio.file.Files;
import java.util.Arrays;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class TroubleshootingDocTest {
  private static final Pattern HEADING = Pattern.compile("(?m)^### (?:(RB-\\w+): )?.*$");

  @Test
  void everyFaultHasOneEntryAndNothingElseHas() throws IOException {
    List<String> headings =
        HEADING.matcher(written()).results().map(heading -> heading.group(1)).toList();

    assertThat(headings).containsExactlyElementsOf(ids().toList());
  }

  @Test
  void noEntryIsEmpty() throws IOException {
    Matcher entries = Pattern.compile("(?s)### (RB-\\w+): .*?\n(.*?)(?=\n##|$)").matcher(written());

    assertThat(entries.results().toList())
        .hasSize(Fault.values().length)
        .allSatisfy(
            entry -> assertThat(entry.group(2).strip()).as(entry.group(1)).hasSizeGreaterThan(80));
  }

  @Test
  void noTwoFaultsShareAnId() {
    assertThat(ids()).doesNotHaveDuplicates().allMatch(id -> id.matches("RB-[CSR]\\d\\d"));
  }

  private static Stream<String> ids() {
    return Arrays.stream(Fault.values()).map(Fault::id);
  }

  private static String written() throws IOException {
    return Files.readString(Checkout.root().resolve("docs/troubleshooting.md"));
  }
}
