// SPDX-License-Identifier: Apache-2.0
package dev.rabbitbridge.source;

import dev.rabbitbridge.source.SourceOffsets.Place;
import java.nio.ByteBuffer;
import java.util.AbstractMap;
import java.util.ArrayList;
import java.util.Base64;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The last messages of one queue that became records, so that a redelivery of one of them is not
 * produced again.
 *
 * <p>It travels in the source offsets of the records, which an exactly-once worker commits in the
 * records' own transaction. So a window that is read back holds exactly what Kafka has, and what is
 * in flight is known only to the task that has it. It is a ring of slots, each a source partition
 * of its own: the offset of a record carries the slot that is being filled, not the whole window.
 *
 * <p>Why a bounded window is enough: RabbitMQ redelivers only what it has no ack for, never more
 * than the prefetch. Between a delivery of a message and its redelivery at most a prefetch of
 * others came after it on its channel, and at most another one before it on the next. A redelivery
 * out of the older half of the window is written into it anew, so that four times the prefetch
 * suffice. The rest is for classic queues, which forget the last thousands of acks when their
 * broker is killed.
 *
 * <h2>Threading</h2>
 *
 * Thread safe. The task's thread admits and hands out; the framework's threads say what became of a
 * record, and turn offsets into bytes.
 */
final class SettledWindow {
  /** How many slots there are. */
  static final int SLOTS = 32;

  /** How many messages a slot holds. */
  static final int SLOT = 1024;

  private final int slotSize;
  private final List<Map<String, String>> partitions = new ArrayList<>();
  private final @Nullable Slot[] slots;
  private final Map<Identity, Long> known = new HashMap<>(); // to its last number
  private final Map<Identity, Flight> inFlight = new HashMap<>();
  private long written; // identities, ever: the number of the last one

  /**
   * Identities in the order of their numbers. Offsets share it, and see only what was there when
   * they were made.
   */
  private static final class Slot {
    final long first;
    final long[] identities;

    Slot(long first, int size) {
      this.first = first;
      this.identities = new long[2 * size];
    }

    void put(int index, Identity identity) {
      identities[2 * index] = identity.high();
      identities[2 * index + 1] = identity.low();
    }

    Identity get(int index) {
      return new Identity(identities[2 * index], identities[2 * index + 1]);
    }
  }

  /** Records of one identity on their way to Kafka, and redeliveries that wait for them. */
  private static final class Flight {
    int records;
    final List<Delivery> waiting = new ArrayList<>();
  }

  /** What to do with a delivery. */
  enum Verdict {
    /** It has to be produced. */
    PRODUCE,
    /** Kafka has it: ack it. */
    ACK,
    /** An earlier delivery of it is on its way to Kafka; {@link #settled} returns it then. */
    WAIT
  }

  /**
   * Creates a window of the usual size.
   *
   * @param queue the queue's source partition
   * @param stored gives the offsets that Connect has kept for source partitions
   */
  SettledWindow(
      Map<String, String> queue,
      Function<List<Map<String, String>>, Collection<? extends Map<String, ?>>> stored) {
    this(SLOTS, SLOT, queue, stored);
  }

  SettledWindow(
      int slotCount,
      int slotSize,
      Map<String, String> queue,
      Function<List<Map<String, String>>, Collection<? extends Map<String, ?>>> stored) {
    this.slotSize = slotSize;
    this.slots = new Slot[slotCount];
    for (int i = 0; i < slotCount; i++) {
      partitions.add(SourceOffsets.partition(queue, i));
    }
    List<Stored> found = new ArrayList<>();
    for (Map<String, ?> offset : stored.apply(partitions)) {
      Stored one = Stored.of(offset);
      if (one != null) {
        found.add(one);
      }
    }
    found.sort(Comparator.comparingLong(Stored::last));
    for (Stored one : found) {
      written = one.last() - one.identities().size();
      one.identities().forEach(this::write);
    }
  }

  /** Returns how many messages it remembers. */
  synchronized int size() {
    return known.size();
  }

  /** What Connect has kept of a slot: its identities, and the number of the last. */
  private record Stored(long last, List<Identity> identities) {
    static @Nullable Stored of(@Nullable Map<String, ?> offset) {
      if (offset == null
          || !(offset.get(SourceOffsets.SEQUENCE) instanceof Number last)
          || !(offset.get(SourceOffsets.SETTLED) instanceof String packed)) {
        return null;
      }
      ByteBuffer bytes = ByteBuffer.wrap(Base64.getDecoder().decode(packed));
      List<Identity> identities = new ArrayList<>();
      while (bytes.remaining() >= Identity.BYTES) {
        identities.add(new Identity(bytes.getLong(), bytes.getLong()));
      }
      return new Stored(last.longValue(), identities);
    }
  }

  /**
   * Judges a delivery before it becomes a record. One that RabbitMQ delivers for the first time is
   * never looked up.
   */
  synchronized Verdict admit(Delivery delivery) {
    Identity identity = delivery.identity();
    if (identity == null || !delivery.redelivered()) {
      return Verdict.PRODUCE;
    }
    Flight flight = inFlight.get(identity);
    if (flight != null) {
      flight.waiting.add(delivery);
      return Verdict.WAIT;
    }
    Long number = known.get(identity);
    if (number == null) {
      return Verdict.PRODUCE;
    }
    if (written - number > (slots.length - 1) * slotSize / 2) {
      write(identity);
    }
    return Verdict.ACK;
  }

  /**
   * Returns where a message stands that becomes a record. It is taken for settled only after {@link
   * #handedOut}, in case it cannot become one.
   */
  synchronized Place placeOf(Delivery delivery) {
    Identity identity = delivery.identity();
    if (identity == null) {
      return written == 0
          ? new Place(partitions.get(0), new Offset(0, new long[0], 0))
          : place(written, slots[slotOf(written)]);
    }
    return place(written + 1, put(identity));
  }

  private Place place(long number, Slot slot) {
    int count = (int) (number - slot.first) + 1;
    return new Place(partitions.get(slotOf(number)), new Offset(number, slot.identities, count));
  }

  /** Notes that the record of a message is on its way to Kafka. */
  synchronized void handedOut(Delivery delivery) {
    Identity identity = delivery.identity();
    if (identity != null) {
      write(identity);
      inFlight.computeIfAbsent(identity, first -> new Flight()).records++;
    }
  }

  /**
   * Notes that the framework has said what became of the record of a message; once for each.
   *
   * @return the redeliveries that waited for this. While another record of an equal message is on
   *     its way they go on waiting: they may be that one's.
   */
  synchronized List<Delivery> settled(Delivery delivery) {
    Identity identity = delivery.identity();
    Flight flight = identity == null ? null : inFlight.get(identity);
    if (flight == null || --flight.records > 0) {
      return List.of();
    }
    inFlight.remove(identity);
    return flight.waiting;
  }

  private void write(Identity identity) {
    put(identity);
    known.put(identity, ++written);
  }

  /** Puts an identity behind those that count, and returns its slot. */
  private Slot put(Identity identity) {
    long number = written + 1;
    int index = slotOf(number);
    Slot slot = slots[index];
    long first = number - (number - 1) % slotSize;
    if (slot == null || slot.first != first) {
      forget(slot);
      slot = new Slot(first, slotSize);
      slots[index] = slot;
    }
    slot.put((int) (number - first), identity);
    return slot;
  }

  private void forget(@Nullable Slot old) {
    for (int i = 0; old != null && i < slotSize; i++) {
      known.remove(old.get(i), old.first + i);
    }
  }

  private int slotOf(long number) {
    return (int) ((number - 1) / slotSize % slots.length);
  }

  /**
   * A source offset that packs its slot only when somebody reads it: of all the records of a
   * transaction Connect keeps the offset of the last.
   */
  private static final class Offset extends AbstractMap<String, Object> {
    private final long number;
    private final long[] identities;
    private final int count;

    Offset(long number, long[] identities, int count) {
      this.number = number;
      this.identities = identities;
      this.count = count;
    }

    @Override
    public Set<Entry<String, Object>> entrySet() {
      ByteBuffer bytes = ByteBuffer.allocate(count * Identity.BYTES);
      bytes.asLongBuffer().put(identities, 0, 2 * count);
      String packed = Base64.getEncoder().encodeToString(bytes.array());
      return Map.<String, Object>of(SourceOffsets.SEQUENCE, number, SourceOffsets.SETTLED, packed)
          .entrySet();
    }
  }
}
