// SPDX-License-Identifier: Apache-2.0
package dev.rabbitbridge.sink;

import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.connect.sink.SinkRecord;
import org.jspecify.annotations.Nullable;

/**
 * A record on its way: from put until its offset counts as done.
 *
 * <p>Owned by the task thread, but for the fields that say how its publishing goes: those are the
 * outbox's, under its lock, from {@link Outbox#offer} until {@link Outbox#takeSettled} hands the
 * record back.
 */
final class InFlight {
  final SinkRecord record;
  final TopicPartition origin;
  final long offset;

  /** Its number in the ledger; 0 when it is not there. */
  long ledgerNumber;

  @Nullable Message message;

  /**
   * Set by the task thread when the record's partition was taken away: nobody waits for its
   * outcome.
   */
  volatile boolean orphaned;

  /** The writer's: whether it went out before. */
  boolean published;

  // The outbox's.
  long publishedAt;
  int retries;
  long dueAt;

  /** In which search for the record that closed a channel it is a suspect; 0 in none. */
  int suspectOf;

  @Nullable String returned;

  /** Why the broker will never take it; null when it was confirmed. */
  @Nullable String refusal;

  InFlight(SinkRecord record, TopicPartition origin) {
    this.record = record;
    this.origin = origin;
    this.offset = record.originalKafkaOffset();
  }

  /** Returns what is published for the record, once it is encoded. */
  Message message() {
    Message encoded = message;
    if (encoded == null) {
      throw new IllegalStateException("not encoded yet: " + where());
    }
    return encoded;
  }

  /** Names the record for people: where it came from and where it was going. */
  String where() {
    String from = "record " + origin.topic() + "-" + origin.partition() + " offset " + offset;
    return message == null
        ? from
        : from
            + " for exchange '"
            + message.exchange()
            + "' with routing key '"
            + message.routingKey()
            + "'";
  }
}
