// SPDX-License-Identifier: Apache-2.0
package dev.rabbitbridge.harness.demo;

import java.io.PrintStream;
import java.util.Locale;

/**
 * One line that changes on a terminal; elsewhere (a log) a new line at every tenth of the way and
 * whenever the state changes. For one thread.
 */
final class Progress {
  private static final int BAR = 24;

  private final PrintStream out;
  private final boolean terminal;
  private final long records;
  private String lastLine = "";
  private String lastState = "";
  private long lastTenth = -1;
  private int lastLength;

  Progress(PrintStream out, boolean terminal, long records) {
    this.out = out;
    this.terminal = terminal;
    this.records = records;
  }

  void show(Snapshot now, String state) {
    String line = line(now, state);
    lastLine = line;
    if (terminal) {
      out.print("\r" + line + " ".repeat(Math.max(0, lastLength - line.length())));
      out.flush();
      lastLength = line.length();
      return;
    }
    long tenth = now.back() * 10 / records;
    if (tenth != lastTenth || !state.equals(lastState)) {
      out.println(line);
      lastTenth = tenth;
      lastState = state;
    }
  }

  /** Leaves the last line shown for good. */
  void end() {
    out.println(terminal ? "" : lastLine);
  }

  private String line(Snapshot now, String state) {
    int done = (int) Math.min(BAR, now.back() * BAR / records);
    return String.format(
            Locale.ROOT,
            "[%s%s] %3d%%  sent %,d  confirmed %,d  in the queue %,d  back %,d  %s",
            "#".repeat(done),
            ".".repeat(BAR - done),
            Math.min(100, now.back() * 100 / records),
            now.sent(),
            now.confirmed(),
            now.inQueue(),
            now.back(),
            state)
        .stripTrailing();
  }
}
