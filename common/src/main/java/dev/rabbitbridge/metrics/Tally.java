// SPDX-License-Identifier: Apache-2.0
package dev.rabbitbridge.metrics;

import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;

/**
 * Makes every event of a kind visible in the log without flooding it: one WARN a second at most,
 * with the number of events and one of them as an example.
 *
 * <p>Thread safe; adding an event that is not logged at once costs an increment and the example's
 * text.
 */
public final class Tally {
  private static final long SECOND = 1_000_000_000L;

  private final Logger log;
  private final String subject;
  private final String kind;
  private final LongSupplier nanoTime;
  private long count;
  private @Nullable String example;
  private long loggedAt;

  /**
   * Creates a tally that has seen nothing.
   *
   * @param log where to
   * @param subject whose events, for example the connection's name
   * @param kind what an event is, for example "nacked"
   */
  public Tally(Logger log, String subject, String kind) {
    this(log, subject, kind, System::nanoTime);
  }

  /**
   * Creates a tally with a clock of its own.
   *
   * @param log where to
   * @param subject whose events, for example the connection's name
   * @param kind what an event is, for example "nacked"
   * @param nanoTime a clock like {@link System#nanoTime()}
   */
  public Tally(Logger log, String subject, String kind, LongSupplier nanoTime) {
    this.log = log;
    this.subject = subject;
    this.kind = kind;
    this.nanoTime = nanoTime;
    this.loggedAt = nanoTime.getAsLong() - SECOND;
  }

  /**
   * Counts an event.
   *
   * @param what one event in words, asked for only if it will be shown; never a payload or a header
   *     value
   */
  public void add(Supplier<String> what) {
    add(1, what);
  }

  /**
   * Counts events.
   *
   * @param events how many, above 0
   * @param what one of them in words, asked for only if it will be shown; never a payload or a
   *     header value
   */
  public synchronized void add(long events, Supplier<String> what) {
    if (count == 0) {
      example = what.get();
    }
    count += events;
    flush();
  }

  /**
   * Logs what was counted, if anything was and the last line is a second old. To be called now and
   * then, so that the last events show too.
   */
  public synchronized void flush() {
    long now = nanoTime.getAsLong();
    if (count > 0 && now - loggedAt >= SECOND) {
      log.warn("{}: {} {}, for example {}", subject, count, kind, example);
      count = 0;
      loggedAt = now;
    }
  }
}
