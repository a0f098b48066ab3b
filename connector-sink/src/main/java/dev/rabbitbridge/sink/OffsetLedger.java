// SPDX-License-Identifier: Apache-2.0
package dev.rabbitbridge.sink;

import dev.rabbitbridge.confirm.ConfirmTracker;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.function.Consumer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.connect.sink.SinkRecord;
import org.jspecify.annotations.Nullable;

/**
 * Knows for every partition which records are not done, and so which offset may be committed: the
 * lowest of them.
 *
 * <p>Records are kept under their <em>original</em> topic, partition and offset, because those are
 * what the framework commits; transforms may have changed the others. For the task thread only.
 */
final class OffsetLedger {
  private final Map<TopicPartition, Partition> partitions = new HashMap<>();

  /**
   * Notes a record as not done.
   *
   * @return its entry, or null when the same record is in flight already, because the framework
   *     passed it again
   */
  @Nullable InFlight track(SinkRecord record) {
    TopicPartition origin =
        new TopicPartition(record.originalTopic(), record.originalKafkaPartition());
    return partitions.computeIfAbsent(origin, Partition::new).track(record);
  }

  /** Notes a record as done. Changes nothing for one whose partition was forgotten. */
  void settle(InFlight item) {
    if (!item.orphaned) {
      partitions.get(item.origin).settle(item);
    }
  }

  /**
   * Returns the offset that may be committed when the framework has passed everything below a
   * position.
   */
  long committable(TopicPartition partition, long position) {
    Partition known = partitions.get(partition);
    return known == null ? position : known.committable(position);
  }

  /** Returns how many records are not done. */
  int pending() {
    int pending = 0;
    for (Partition partition : partitions.values()) {
      pending += partition.pending();
    }
    return pending;
  }

  /**
   * Returns how many records there are from the lowest that is not done to the last one, all
   * partitions together: what a task that starts at the committable offsets gets again.
   */
  int span() {
    int span = 0;
    for (Partition partition : partitions.values()) {
      span += partition.span();
    }
    return span;
  }

  /** Tells whether every record of a partition is done. */
  boolean isDone(TopicPartition partition) {
    Partition known = partitions.get(partition);
    return known == null || known.pending() == 0;
  }

  /**
   * Forgets a partition that belongs to somebody else now; words that come later for its records
   * are nobody's.
   */
  void forget(TopicPartition partition) {
    Partition known = partitions.remove(partition);
    if (known != null) {
      known.forEachPending(item -> item.orphaned = true);
    }
  }

  private static final class Partition {
    final TopicPartition name;
    final ConfirmTracker<InFlight> tracker = new ConfirmTracker<>();

    /**
     * In flight when the framework rewound below them; they join the tracker again when it passes
     * them again.
     */
    final TreeMap<Long, InFlight> adrift = new TreeMap<>();

    long last = -1;

    Partition(TopicPartition name) {
      this.name = name;
    }

    @Nullable InFlight track(SinkRecord record) {
      long offset = record.originalKafkaOffset();
      if (offset <= last) {
        rewind(offset);
      }
      last = offset;
      InFlight known = adrift.remove(offset);
      if (known != null && !Objects.equals(known.record.timestamp(), record.timestamp())) {
        // Of a topic that was deleted meanwhile and created anew.
        known.orphaned = true;
        known = null;
      }
      InFlight item = known == null ? new InFlight(record, name) : known;
      item.ledgerNumber = tracker.track(item, 0);
      return known == null ? item : null;
    }

    /**
     * Keeps the tracker in order of offsets: what lies at or above the new position waits outside
     * of it.
     */
    private void rewind(long offset) {
      for (InFlight item : tracker.abandon()) {
        if (item.offset < offset) {
          item.ledgerNumber = tracker.track(item, 0);
        } else {
          item.ledgerNumber = 0;
          adrift.put(item.offset, item);
        }
      }
    }

    int pending() {
      return tracker.pending() + adrift.size();
    }

    int span() {
      return (int) (tracker.next() - 1 - tracker.prefix()) + adrift.size();
    }

    void settle(InFlight item) {
      if (item.ledgerNumber == 0) {
        adrift.remove(item.offset, item);
      } else {
        tracker.settle(tracker.epoch(), item.ledgerNumber);
        tracker.release(done -> {});
      }
    }

    long committable(long position) {
      InFlight oldest = tracker.oldest();
      long offset = oldest == null ? position : Math.min(position, oldest.offset);
      return adrift.isEmpty() ? offset : Math.min(offset, adrift.firstKey());
    }

    void forEachPending(Consumer<InFlight> each) {
      tracker.abandon().forEach(each);
      adrift.values().forEach(each);
    }
  }
}
