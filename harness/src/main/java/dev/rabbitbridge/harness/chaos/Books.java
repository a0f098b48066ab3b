// SPDX-License-Identifier: Apache-2.0
package dev.rabbitbridge.harness.chaos;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;

/**
 * Three books about a flow of messages, kept outside of it: what was attempted, what of that was
 * acknowledged to the producer, and what was delivered at the other end. A message is known by its
 * lane, within which order is promised, and its number, counted from 0 in each lane.
 *
 * <p>Invariant: nothing here is inferred from what the system under test says of itself, except the
 * claims of {@link #claim}, which are what is checked.
 *
 * <p>Safe from any thread.
 */
final class Books {
  private static final int NOWHERE = -1;

  private final List<Lane> lanes = new ArrayList<>();
  private int deliveries;
  private long unexpected;
  private long corrupted;
  private long duplicated;
  private long reordered;

  /** One lane of each book; arrays are indexed by the message's number. */
  private static final class Lane {
    private final BitSet attempted = new BitSet();
    private final BitSet acknowledged = new BitSet();
    private final BitSet delivered = new BitSet();
    private final BitSet deadLettered = new BitSet();
    private final BitSet destroyed = new BitSet();
    private final BitSet remaining = new BitSet();

    /** Claimed position to the fewest deliveries there were when it was claimed. */
    private final NavigableMap<Long, Integer> claims = new TreeMap<>();

    /** The same for claims about one message, by its number. */
    private final Map<Integer, Integer> singles = new HashMap<>();

    private int[] digests = new int[64];
    private int[] places = new int[64];
    private long[] positions = new long[64];
    private int highest = NOWHERE;

    private void reach(int number) {
      if (number >= digests.length) {
        int size = Math.max(number + 1, digests.length * 2);
        digests = Arrays.copyOf(digests, size);
        places = Arrays.copyOf(places, size);
        positions = Arrays.copyOf(positions, size);
      }
    }
  }

  /** Enters a message that is about to be sent. */
  synchronized void attempt(int lane, int number, int digest) {
    Lane book = lane(lane);
    book.reach(number);
    book.attempted.set(number);
    book.digests[number] = digest;
    book.places[number] = NOWHERE;
    book.positions[number] = NOWHERE;
  }

  /** Enters that the producer was told that the message is safe. */
  synchronized void acknowledge(int lane, int number) {
    lane(lane).acknowledged.set(number);
  }

  /**
   * Enters that the producer was told that the message is safe, and where it is.
   *
   * @param position where in the source, for {@link #claim}
   */
  synchronized void acknowledge(int lane, int number, long position) {
    acknowledge(lane, number);
    Lane book = lane(lane);
    book.reach(number);
    book.positions[number] = position;
  }

  /** Enters a message that came out at the other end. */
  synchronized void deliver(int lane, int number, int digest) {
    int place = deliveries++;
    if (!isAttempted(lane, number)) {
      unexpected++;
      return;
    }
    Lane book = lanes.get(lane);
    if (book.digests[number] != digest) {
      corrupted++;
    }
    if (book.delivered.get(number)) {
      duplicated++;
      return;
    }
    book.delivered.set(number);
    book.places[number] = place;
    if (number < book.highest) {
      reordered++;
    }
    book.highest = Math.max(book.highest, number);
  }

  /** Enters something that came out at the other end and is not of ours. */
  synchronized void deliverForeign() {
    deliveries++;
    unexpected++;
  }

  /** Enters a message that was found at the place for those that cannot be delivered. */
  synchronized void deadLetter(int lane, int number) {
    if (isAttempted(lane, number)) {
      lanes.get(lane).deadLettered.set(number);
    } else {
      unexpected++;
    }
  }

  /** Enters a message that the fault itself destroyed, such as one in a queue that it deleted. */
  synchronized void destroy(int lane, int number) {
    lane(lane).destroyed.set(number);
  }

  /** Enters a message that was found in the source when all was over. */
  synchronized void remain(int lane, int number) {
    lane(lane).remaining.set(number);
  }

  /**
   * Enters a claim of the system under test, such as a committed offset: all that is in the source
   * below a position is done.
   *
   * @param position as in {@link #acknowledge(int, int, long)}
   * @param place how many deliveries there were right after the claim was seen
   */
  synchronized void claim(int lane, long position, int place) {
    lane(lane).claims.merge(position, place, Math::min);
  }

  /**
   * Enters a claim about one message, such as an ack: it is done.
   *
   * @param place how many deliveries there were right after the claim was seen
   */
  synchronized void claimOne(int lane, int number, int place) {
    if (isAttempted(lane, number)) {
      lanes.get(lane).singles.merge(number, place, Math::min);
    }
  }

  /** Returns how many deliveries were entered. */
  synchronized int deliveries() {
    return deliveries;
  }

  /** Returns how many messages were acknowledged. */
  synchronized long acknowledged() {
    return lanes.stream().mapToLong(lane -> lane.acknowledged.cardinality()).sum();
  }

  /** Returns whether every acknowledged message is delivered, dead-lettered or destroyed. */
  synchronized boolean isComplete() {
    return lanes.stream().allMatch(lane -> lost(lane).isEmpty());
  }

  /** Closes the books. */
  synchronized Account account() {
    long lost = 0;
    long unaccounted = 0;
    long tooFar = 0;
    for (Lane lane : lanes) {
      BitSet missing = lost(lane);
      lost += missing.cardinality();
      missing.andNot(lane.remaining);
      unaccounted += missing.cardinality();
      tooFar += committedTooFar(lane);
    }
    return new Account(
        lanes.stream().mapToLong(lane -> lane.attempted.cardinality()).sum(),
        acknowledged(),
        lanes.stream().mapToLong(lane -> lane.delivered.cardinality()).sum(),
        lost,
        unexpected,
        duplicated,
        lanes.stream().mapToLong(lane -> without(lane.delivered, lane.acknowledged)).sum(),
        reordered,
        corrupted,
        tooFar,
        unaccounted,
        lanes.stream().mapToLong(lane -> lane.deadLettered.cardinality()).sum(),
        lanes.stream().mapToLong(lane -> without(lane.destroyed, lane.delivered)).sum());
  }

  private static BitSet lost(Lane lane) {
    BitSet missing = (BitSet) lane.acknowledged.clone();
    missing.andNot(lane.delivered);
    missing.andNot(lane.deadLettered);
    missing.andNot(lane.destroyed);
    return missing;
  }

  /** Counts what was below a claim and had not come out yet when it was made. */
  private static long committedTooFar(Lane lane) {
    NavigableMap<Long, Integer> fewest = new TreeMap<>();
    int min = Integer.MAX_VALUE;
    for (Map.Entry<Long, Integer> claim : lane.claims.descendingMap().entrySet()) {
      min = Math.min(min, claim.getValue());
      fewest.put(claim.getKey(), min);
    }
    BitSet open = (BitSet) lane.acknowledged.clone();
    open.andNot(lane.deadLettered);
    open.andNot(lane.destroyed);
    return open.stream()
        .filter(
            number -> {
              int claimed = lane.singles.getOrDefault(number, Integer.MAX_VALUE);
              Map.Entry<Long, Integer> claim =
                  lane.positions[number] == NOWHERE
                      ? null
                      : fewest.higherEntry(lane.positions[number]);
              if (claim != null) {
                claimed = Math.min(claimed, claim.getValue());
              }
              int place = lane.places[number];
              return claimed != Integer.MAX_VALUE && (place == NOWHERE || place >= claimed);
            })
        .count();
  }

  private static long without(BitSet all, BitSet some) {
    BitSet rest = (BitSet) all.clone();
    rest.andNot(some);
    return rest.cardinality();
  }

  private boolean isAttempted(int lane, int number) {
    return lane >= 0 && lane < lanes.size() && number >= 0 && lanes.get(lane).attempted.get(number);
  }

  private Lane lane(int lane) {
    while (lanes.size() <= lane) {
      lanes.add(new Lane());
    }
    return lanes.get(lane);
  }
}
