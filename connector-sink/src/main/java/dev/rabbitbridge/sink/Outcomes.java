// SPDX-License-Identifier: Apache-2.0
package dev.rabbitbridge.sink;

import dev.rabbitbridge.metrics.Tally;
import java.time.Duration;
import java.util.List;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Counts each outcome, in its metric and in its line of the log.
 *
 * <p>Not thread safe, but for {@link #flush}: guarded by the outbox's lock.
 */
final class Outcomes {
  private static final Logger LOG = LoggerFactory.getLogger(Outcomes.class);

  private final SinkMetrics metrics;
  private final Tally nacks;
  private final Tally returns;
  private final Tally timeouts;
  private final Tally unknowns;

  /** Confirmed by the word that is being applied. */
  private int confirmed;

  Outcomes(String name, Duration confirmTimeout, SinkMetrics metrics, LongSupplier clock) {
    this.metrics = metrics;
    this.nacks = new Tally(LOG, name, "nacked by RabbitMQ", clock);
    this.returns = new Tally(LOG, name, "returned by RabbitMQ as unroutable", clock);
    this.timeouts =
        new Tally(
            LOG,
            name,
            "without a confirm within "
                + confirmTimeout.toMillis()
                + " ms, published again on a new channel",
            clock);
    this.unknowns = new Tally(LOG, name, "lost with their channel and published again", clock);
  }

  void confirmed(InFlight item, long now) {
    confirmed++;
    metrics.confirmLatency.record(now - item.publishedAt, now);
  }

  /** Has to follow the confirms of each word: they are counted together. */
  void endOfWord(long now) {
    if (confirmed > 0) {
      metrics.confirmed.add(confirmed, now);
      confirmed = 0;
    }
  }

  void returned(InFlight item, long now) {
    metrics.returned.add(1, now);
    returns.add(item::where);
  }

  void nacked(InFlight item, long now) {
    metrics.nacked.add(1, now);
    nacks.add(item::where);
  }

  void timedOut(List<InFlight> items, long now) {
    metrics.timedOut.add(items.size(), now);
    timeouts.add(items.size(), items.get(0)::where);
  }

  /** Records that go out again because their channel is gone. */
  void lost(int count, InFlight example) {
    unknowns.add(count, example::where);
  }

  /** Logs what was counted since the last line of its kind; any thread. */
  void flush() {
    nacks.flush();
    returns.flush();
    timeouts.flush();
    unknowns.flush();
  }
}
