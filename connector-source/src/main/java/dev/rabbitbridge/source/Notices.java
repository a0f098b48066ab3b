// SPDX-License-Identifier: Apache-2.0
package dev.rabbitbridge.source;

import dev.rabbitbridge.failure.Fault;
import dev.rabbitbridge.metrics.Tally;
import java.util.EnumMap;
import java.util.Map;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What a task warns of, message by message, at most one line a second for each kind. Thread safe.
 */
final class Notices {
  private static final Logger LOG = LoggerFactory.getLogger(RabbitMQSourceTask.class);

  /** What a warning is about. */
  enum Kind {
    RECORD_ERROR("could not become records " + Fault.UNCONVERTIBLE),
    SKIPPED("dropped by a transform or after a tolerated error"),
    DELIVERY_LIMIT("delivered too often"),
    NEAR_LIMIT("delivered so often that a quorum queue may soon drop them"),
    RETRY("could not be published for a retry yet " + Fault.DELAY_QUEUE),
    STREAM_GAP("gaps in a stream");

    private final String text;

    Kind(String text) {
      this.text = text;
    }
  }

  private final Map<Kind, Tally> tallies = new EnumMap<>(Kind.class);

  Notices(String task) {
    for (Kind kind : Kind.values()) {
      tallies.put(kind, new Tally(LOG, task, kind.text));
    }
  }

  /** Counts one more of a kind; the example says which setting decides, and nothing of content. */
  void warn(Kind kind, Supplier<String> example) {
    tallies.get(kind).add(example);
  }

  /** Logs what was held back for a second. */
  void flush() {
    tallies.values().forEach(Tally::flush);
  }
}
