// SPDX-License-Identifier: Apache-2.0
package dev.rabbitbridge.harness.bench;

import dev.rabbitbridge.harness.rabbitmq.QueueKind;
import java.util.Locale;

/**
 * What is moved, and how.
 *
 * @param kind type of the queue
 * @param size bytes of a message's body
 * @param window most messages without a confirm
 * @param messages how many, those of the warm-up included
 */
record Load(QueueKind kind, int size, int window, int messages) {
  private static final int LARGE = 1000;
  private static final int FEWEST = 5000;
  private static final int SLOW_WINDOW = 10;

  /** Fewer of the large ones, and of those that wait for one confirm after the other. */
  static Load of(QueueKind kind, int size, int window, int messages) {
    long scaled = size <= LARGE ? messages : (long) messages * LARGE / size;
    if (window < SLOW_WINDOW) {
      scaled = Math.min(scaled, messages / 10);
    }
    return new Load(kind, size, window, (int) Math.max(Math.min(messages, FEWEST), scaled));
  }

  Load withMessages(int other) {
    return new Load(kind, size, window, other);
  }

  /** How many are moved before the clock starts. */
  long warmUp() {
    return messages / 5;
  }

  String inWords() {
    return String.format(Locale.ROOT, "%s queue, %,d bytes", kind.wireName(), size);
  }
}
