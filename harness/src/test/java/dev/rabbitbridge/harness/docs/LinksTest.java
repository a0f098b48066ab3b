// SPDX-License-Identifier: Apache-2.0
package dev.rabbitbridge.harness.docs;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rabbitbridge.harness.Checkout;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Follows the links of the documents to other files and headings of the checkout. */
class LinksTest {
  private static final Path ROOT = Checkout.root();
  private static final Pattern CODE = Pattern.compile("(?ms)^```.*?^```|`[^`\n]*`");
  private static final Pattern LINK = Pattern.compile("]\\(([^)#\\s]*)(?:#([^)\\s]+))?\\)");
  private static final Pattern HEADING = Pattern.compile("(?m)^#{1,6} (.+)$");

  static Stream<Path> documents() throws IOException {
    List<Path> documents = new ArrayList<>();
    for (String folder : List.of("", "docs", "docker", "harness")) {
      try (Stream<Path> files = Files.list(ROOT.resolve(folder))) {
        files.filter(file -> file.toString().endsWith(".md")).forEach(documents::add);
      }
    }
    return documents.stream().sorted();
  }

  @ParameterizedTest
  @MethodSource("documents")
  void everyLinkLeadsSomewhere(Path document) throws IOException {
    String text = CODE.matcher(Files.readString(document)).replaceAll("");

    for (MatchResult link : LINK.matcher(text).results().toList()) {
      String target = link.group(1);
      if (target.contains("://")) {
        continue;
      }
      Path file = target.isEmpty() ? document : document.resolveSibling(target).normalize();
      assertThat(file).as(link.group()).exists();
      if (link.group(2) != null) {
        assertThat(anchors(file)).as(link.group()).contains(link.group(2));
      }
    }
  }

  /** As GitHub makes them. */
  private static List<String> anchors(Path document) throws IOException {
    return HEADING
        .matcher(Files.readString(document))
        .results()
        .map(heading -> heading.group(1).toLowerCase(Locale.ROOT))
        .map(heading -> heading.replaceAll("[^\\p{L}\\p{N} _-]", "").replace(' ', '-'))
        .toList();
  }
}
