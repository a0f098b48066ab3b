// SPDX-License-Identifier: Apache-2.0
package dev.rabbitbridge.harness.chaos;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * A fault on a connector, and what came of it.
 *
 * @param still time without progress after the fault's end; null if there was none any more
 * @param problems what is not as it must be, besides the numbers
 */
record Row(
    String fault,
    Side side,
    Account account,
    @Nullable Duration still,
    boolean failed,
    List<String> problems) {
  static final Duration LONGEST_STILL = Duration.ofSeconds(30);

  static final String HEAD =
      """
      | Fault | Connector | Acknowledged | Lost | Duplicated | Recovered | Reordered | Dead-lettered | Destroyed | Committed too far | Unaccounted | Back after | Result |
      |---|---|---|---|---|---|---|---|---|---|---|---|---|
      """;

  boolean isGood() {
    return findings().isEmpty();
  }

  List<String> findings() {
    List<String> all = new ArrayList<>(problems);
    if (!account.isClean()) {
      all.add("not clean: " + account);
    }
    if (still == null || still.compareTo(LONGEST_STILL) > 0) {
      all.add(
          still == null ? "no progress after the fault" : "still for " + still.toMillis() + " ms");
    }
    return all;
  }

  String markdown() {
    return String.format(
        Locale.ROOT,
        "| %s | %s | %d | %d | %d | %d | %d | %d | %d | %d | %d | %s | %s |",
        fault,
        side,
        account.acknowledged(),
        account.lost(),
        account.duplicated(),
        account.recovered(),
        account.reordered(),
        account.deadLettered(),
        account.destroyed(),
        account.committedTooFar(),
        account.unaccounted(),
        still == null ? "never" : String.format(Locale.ROOT, "%.1f s", still.toMillis() / 1000.0),
        isGood() ? (failed ? "failed as it must, good after one restart" : "good") : "NOT GOOD");
  }
}
