// SPDX-License-Identifier: Apache-2.0
package dev.rabbitbridge.source;

import java.time.Duration;
import java.util.EnumMap;
import java.util.Map;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Warnings about single messages, at most one line a second for each kind, with how many it speaks
 * for. Thread safe.
 */
final class Notices {
  private static final Logger LOG = LoggerFactory.getLogger(Notices.class);
  private static final long BETWEEN = Duration.ofSeconds(1).toNanos();

  /** What a warning is about. */
  enum Kind {
    RECORD_ERROR("could not become a record"),
    SKIPPED("dropped by a transform or after a tolerated error"),
    DELIVERY_LIMIT("delivered too often"),
    NEAR_LIMIT("delivered so often that a quorum queue will soon drop it"),
    RETRY("could not be published for a retry yet"),
    STREAM_GAP("missing in a stream");

    private final String text;

    Kind(String text) {
      this.text = text;
    }
  }

  private final String task;
  private final LongSupplier nanoTime;
  private final Map<Kind, Waiting> waiting = new EnumMap<>(Kind.class);

  Notices(String task, LongSupplier nanoTime) {
    this.task = task;
    this.nanoTime = nanoTime;
  }

  /**
   * Counts one more of a kind, and logs it unless another was logged within the second.
   *
   * @param example what happened to which message and which setting decided it; no content
   */
  synchronized void warn(Kind kind, String example) {
    Waiting of = waiting.computeIfAbsent(kind, any -> new Waiting(nanoTime.getAsLong() - BETWEEN));
    of.count++;
    of.example = example;
    flush(kind, of, nanoTime.getAsLong());
  }

  /** Logs what was held back for a second. */
  synchronized void flush() {
    if (!waiting.isEmpty()) {
      long now = nanoTime.getAsLong();
      waiting.forEach((kind, of) -> flush(kind, of, now));
    }
  }

  private void flush(Kind kind, Waiting of, long now) {
    if (of.count > 0 && now - of.loggedAt >= BETWEEN) {
      LOG.warn("{}: {} message(s) {}, the last: {}", task, of.count, kind.text, of.example);
      of.count = 0;
      of.loggedAt = now;
    }
  }

  private static final class Waiting {
    private long count;
    private String example = "";
    private long loggedAt;

    private Waiting(long loggedAt) {
      this.loggedAt = loggedAt;
    }
  }
}
