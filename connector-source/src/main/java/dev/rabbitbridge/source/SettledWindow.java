// SPDX-License-Identifier: Apache-2.0
package dev.rabbitbridge.source;

import java.nio.ByteBuffer;
import java.util.AbstractMap;
import java.util.ArrayList;
import java.util.Base64;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The last messages of one queue that became records, so that a redelivery of one of them is not
 * produced again.
 *
 * <p>It travels in the source offset of each record, which an exactly-once worker commits in the
 * record's own transaction. So a window that is read back holds exactly the messages that Kafka
 * has, and those in flight are known only to the task that has them.
 *
 * <p>Why a bounded window is enough: RabbitMQ redelivers only what it has no ack for, never more
 * than the prefetch. Between a delivery of a message and its redelivery at most a prefetch of other
 * messages came after it on its channel, and at most another one before it on the next. Each
 * redelivery puts its message at the young end again, and no message is in the window twice, so
 * that repeated crashes push nothing out.
 *
 * <h2>Threading</h2>
 *
 * Thread safe. The task's thread admits and hands out; the framework's threads say what became of a
 * record, and turn offsets into bytes.
 */
final class SettledWindow {
  private static final int CHUNK = 64; // identities

  private final int size;
  private final Set<Identity> window = new LinkedHashSet<>();
  private final Map<Identity, Flight> inFlight = new HashMap<>();
  // The window as it is kept, oldest first. Offsets share the chunks, and see of the last one only
  // what was there when they were made.
  private long[][] chunks = {new long[2 * CHUNK]};
  private int used; // identities in the last chunk
  private long sequence;

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
   * Creates a window.
   *
   * @param size how many messages it remembers
   * @param stored the source offset that Connect has kept; null for none
   */
  SettledWindow(int size, @Nullable Map<String, ?> stored) {
    this.size = size;
    if (stored != null) {
      if (stored.get(SourceOffsets.SEQUENCE) instanceof Number number) {
        sequence = number.longValue();
      }
      if (stored.get(SourceOffsets.SETTLED) instanceof String packed) {
        ByteBuffer identities = ByteBuffer.wrap(Base64.getDecoder().decode(packed));
        while (identities.remaining() >= Identity.BYTES) {
          remember(new Identity(identities.getLong(), identities.getLong()));
        }
      }
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
    if (!window.contains(identity)) {
      return Verdict.PRODUCE;
    }
    remember(identity);
    return Verdict.ACK;
  }

  /**
   * Returns the source offset for a message that becomes a record. The message is taken for settled
   * only after {@link #handedOut}, in case it cannot become one.
   */
  synchronized Map<String, Object> offsetWith(Delivery delivery) {
    sequence++;
    Identity identity = delivery.identity();
    if (identity == null) {
      return new Offset(sequence, chunks, used, size);
    }
    if (window.contains(identity)) {
      remember(identity);
      return new Offset(sequence, chunks, used, size);
    }
    write(identity);
    return new Offset(sequence, chunks, used + 1, size);
  }

  /** Notes that the record of a message is on its way to Kafka. */
  synchronized void handedOut(Delivery delivery) {
    Identity identity = delivery.identity();
    if (identity != null) {
      remember(identity);
      inFlight.computeIfAbsent(identity, first -> new Flight()).records++;
    }
  }

  /**
   * Notes that the framework has said what became of the record of a message; once for each.
   *
   * @return the redeliveries of it that waited for this
   */
  synchronized List<Delivery> settled(Delivery delivery) {
    Identity identity = delivery.identity();
    Flight flight = identity == null ? null : inFlight.get(identity);
    if (flight == null) {
      return List.of();
    }
    if (--flight.records == 0) {
      inFlight.remove(identity);
    }
    List<Delivery> waited = List.copyOf(flight.waiting);
    flight.waiting.clear();
    return waited;
  }

  /** Makes an identity the youngest of the window. */
  private void remember(Identity identity) {
    if (window.remove(identity)) {
      chunks = new long[][] {new long[2 * CHUNK]};
      used = 0;
      for (Identity other : window) {
        write(other);
        used++;
      }
    } else if (window.size() == size) {
      window.remove(window.iterator().next());
    }
    write(identity);
    used++;
    window.add(identity);
  }

  /** Writes an identity behind those in use. */
  private void write(Identity identity) {
    if (used == CHUNK) {
      int kept = Math.min(chunks.length, (size + CHUNK - 1) / CHUNK);
      long[][] next = new long[kept + 1][];
      System.arraycopy(chunks, chunks.length - kept, next, 0, kept);
      next[kept] = new long[2 * CHUNK];
      chunks = next;
      used = 0;
    }
    long[] last = chunks[chunks.length - 1];
    last[2 * used] = identity.high();
    last[2 * used + 1] = identity.low();
  }

  /**
   * A source offset that packs its window only when somebody reads it: of all the records of a
   * transaction Connect keeps the offset of the last.
   */
  private static final class Offset extends AbstractMap<String, Object> {
    private final long sequence;
    private final long[][] chunks;
    private final int used;
    private final int size;

    Offset(long sequence, long[][] chunks, int used, int size) {
      this.sequence = sequence;
      this.chunks = chunks;
      this.used = used;
      this.size = size;
    }

    @Override
    public Set<Entry<String, Object>> entrySet() {
      return Map.<String, Object>of(
              SourceOffsets.SEQUENCE, sequence, SourceOffsets.SETTLED, packed())
          .entrySet();
    }

    private String packed() {
      int available = (chunks.length - 1) * CHUNK + used;
      int count = Math.min(size, available);
      ByteBuffer bytes = ByteBuffer.allocate(count * Identity.BYTES);
      for (int i = available - count; i < available; i++) {
        long[] chunk = chunks[i / CHUNK];
        bytes.putLong(chunk[2 * (i % CHUNK)]).putLong(chunk[2 * (i % CHUNK) + 1]);
      }
      return Base64.getEncoder().encodeToString(bytes.array());
    }
  }
}
