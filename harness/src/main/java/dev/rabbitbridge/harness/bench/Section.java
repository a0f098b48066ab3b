// SPDX-License-Identifier: Apache-2.0
package dev.rabbitbridge.harness.bench;

import java.util.Locale;

/** The parts of the benchmark that can be asked for one by one. */
enum Section {
  /** The sink beside PerfTest and a bare loop. */
  SINK,
  /** The source beside PerfTest and a bare consumer. */
  SOURCE,
  /** CPU beside what Kafka Connect and the client cost alone. */
  FLOOR,
  /** Single, batch, async, and transactions. */
  MODES,
  /** Time from one side to the other. */
  LATENCY,
  /** More tasks, queues, partitions, and a large backlog. */
  SCALING,
  /** Exactly once beside at least once, for queues and streams. */
  ONCE;

  @Override
  public String toString() {
    return name().toLowerCase(Locale.ROOT);
  }
}
