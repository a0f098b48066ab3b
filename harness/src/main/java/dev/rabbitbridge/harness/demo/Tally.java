// SPDX-License-Identifier: Apache-2.0
package dev.rabbitbridge.harness.demo;

import java.util.BitSet;
import java.util.List;

/**
 * What became of the orders.
 *
 * @param sent acked by Kafka to the producer
 * @param confirmed committed by the sink, which does so on RabbitMQ's confirms
 * @param inQueue still in the queue, ready or unacked
 * @param deadLettered handed to the dead letter topic by the sink
 * @param back different orders in the target topic
 * @param duplicates orders in the target topic beyond the first of each
 * @param lost sent, and found nowhere
 */
record Tally(
    long sent,
    long confirmed,
    long inQueue,
    long deadLettered,
    long back,
    long duplicates,
    long lost) {

  /** Counts from what was found where. */
  static Tally of(BitSet sent, long confirmed, Found inQueue, Found deadLettered, Found back) {
    BitSet missing = (BitSet) sent.clone();
    missing.andNot(inQueue.ids());
    missing.andNot(deadLettered.ids());
    missing.andNot(back.ids());
    return new Tally(
        sent.cardinality(),
        confirmed,
        inQueue.messages(),
        deadLettered.messages(),
        back.ids().cardinality(),
        back.messages() - back.ids().cardinality(),
        missing.cardinality());
  }

  boolean isComplete() {
    return lost == 0;
  }

  String table() {
    return Table.of(
        List.of(
            "sent",
            "confirmed",
            "in the queue",
            "dead-lettered",
            "back in Kafka",
            "duplicates",
            "lost"),
        List.of(sent, confirmed, inQueue, deadLettered, back, duplicates, lost));
  }
}
