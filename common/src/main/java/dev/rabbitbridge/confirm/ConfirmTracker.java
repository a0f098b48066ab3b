// SPDX-License-Identifier: Apache-2.0
package dev.rabbitbridge.confirm;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Holds what is in flight, numbered from 1, until somebody's word settles it.
 *
 * <p>The numbers are those of an AMQP channel: publish sequence numbers on the way to RabbitMQ,
 * delivery tags on the way back. They are dense, start at 1 with every channel, and die with it:
 * each channel is an <em>epoch</em>, and a word that carries an older epoch changes nothing. So
 * does a word that comes twice, or for a number that was never given.
 *
 * <p>Invariant: everything up to and including {@link #prefix()} is settled, and the number after
 * it is not.
 *
 * <h2>Threading</h2>
 *
 * Not thread safe. The owner calls every method under one lock of its own. Callbacks run on the
 * caller's thread, inside that lock, and must not call back into the tracker.
 *
 * <h2>Cost</h2>
 *
 * A ring of slots indexed by number: constant time per item, no allocation once the ring has grown
 * to the largest window seen.
 *
 * @param <T> what is in flight
 * @see <a href="https://www.rabbitmq.com/docs/confirms">Consumer Acknowledgements and Publisher
 *     Confirms</a>
 */
public final class ConfirmTracker<T> {
  private static final int SMALLEST_RING = 16;

  private @Nullable Object[] items;
  private boolean[] settled;
  private long[] since;
  private int epoch;
  private long released; // every number up to it has left the ring
  private long prefix;
  private long last;
  private int pending;

  /** Creates an empty tracker in epoch 0. */
  public ConfirmTracker() {
    allocate(SMALLEST_RING);
  }

  /**
   * Returns the epoch that {@link #track} numbers belong to.
   *
   * @return the number of {@link #abandon} calls so far
   */
  public int epoch() {
    return epoch;
  }

  /**
   * Returns the number that the next {@link #track} gives.
   *
   * @return 1 in a fresh epoch
   */
  public long next() {
    return last + 1;
  }

  /**
   * Puts an item in flight under the next number.
   *
   * @param item what to hold, not null
   * @param now the time of {@link System#nanoTime()}, never less than that of the item before
   * @return the item's number
   */
  public long track(T item, long now) {
    if (last - released == items.length) {
      grow();
    }
    last++;
    int slot = slot(last);
    items[slot] = item;
    settled[slot] = false;
    since[slot] = now;
    pending++;
    return last;
  }

  /**
   * Looks at a pending item without settling it.
   *
   * @param wordEpoch the epoch that the number belongs to
   * @param number the item's number
   * @return the item, or null when that number is not pending in the present epoch
   */
  public @Nullable T peek(int wordEpoch, long number) {
    return isPending(wordEpoch, number) ? item(slot(number)) : null;
  }

  /**
   * Settles one item.
   *
   * @param wordEpoch the epoch that the word belongs to
   * @param number the item's number
   * @return the item, or null when this word changed nothing: old epoch, settled before, or never
   *     tracked
   */
  public @Nullable T settle(int wordEpoch, long number) {
    if (!isPending(wordEpoch, number)) {
      return null;
    }
    int slot = slot(number);
    settled[slot] = true;
    pending--;
    advance();
    return item(slot);
  }

  /**
   * Settles everything pending up to and including a number: a confirm with <em>multiple</em>.
   *
   * @param wordEpoch the epoch that the word belongs to
   * @param number the highest number meant; numbers that were not given yet are left out
   * @param each called for every item this word settled, in order of their numbers
   */
  public void settleThrough(int wordEpoch, long number, Consumer<? super T> each) {
    if (wordEpoch != epoch) {
      return;
    }
    long end = Math.min(number, last);
    for (long n = prefix + 1; n <= end; n++) {
      int slot = slot(n);
      if (!settled[slot]) {
        settled[slot] = true;
        pending--;
        each.accept(item(slot));
      }
    }
    advance();
  }

  /**
   * Returns the highest number up to which everything is settled.
   *
   * @return 0 as long as number 1 is pending
   */
  public long prefix() {
    return prefix;
  }

  /**
   * Lets go of the settled prefix, so that its slots can be used again.
   *
   * @param each called for every item of the prefix that was not released before, in order
   */
  public void release(Consumer<? super T> each) {
    while (released < prefix) {
      int slot = slot(++released);
      T item = item(slot);
      items[slot] = null;
      each.accept(item);
    }
  }

  /**
   * Shows what is settled behind the prefix, so behind something that is pending. It stays where it
   * is.
   *
   * @param each called for every such item, in order of their numbers
   */
  public void settledBehindPrefix(Consumer<? super T> each) {
    for (long n = prefix + 1; n <= last; n++) {
      if (settled[slot(n)]) {
        each.accept(item(slot(n)));
      }
    }
  }

  /**
   * Returns the pending item with the lowest number.
   *
   * @return null when nothing is pending
   */
  public @Nullable T oldest() {
    return pending == 0 ? null : item(slot(prefix + 1));
  }

  /**
   * Returns the pending items that were tracked at or before a point in time.
   *
   * @param deadline the point, on the clock given to {@link #track}
   * @return the items in order of their numbers, oldest first
   */
  public List<T> olderThan(long deadline) {
    List<T> found = new ArrayList<>();
    for (long n = prefix + 1; n <= last && since[slot(n)] - deadline <= 0; n++) {
      if (!settled[slot(n)]) {
        found.add(item(slot(n)));
      }
    }
    return found;
  }

  /**
   * Returns how many items wait for their word.
   *
   * @return 0 when nothing is in flight
   */
  public int pending() {
    return pending;
  }

  /**
   * Gives up the epoch and begins the next one, whose first number is 1 again.
   *
   * @return everything that was pending, in order of its numbers
   */
  public List<T> abandon() {
    List<T> unknown = new ArrayList<>(pending);
    for (long n = released + 1; n <= last; n++) {
      int slot = slot(n);
      if (!settled[slot]) {
        unknown.add(item(slot));
      }
      items[slot] = null;
    }
    epoch++;
    released = 0;
    prefix = 0;
    last = 0;
    pending = 0;
    return unknown;
  }

  private boolean isPending(int wordEpoch, long number) {
    return wordEpoch == epoch && number > prefix && number <= last && !settled[slot(number)];
  }

  private void advance() {
    while (prefix < last && settled[slot(prefix + 1)]) {
      prefix++;
    }
  }

  private int slot(long number) {
    return (int) number & (items.length - 1);
  }

  @SuppressWarnings("unchecked") // only track() writes items
  private T item(int slot) {
    return (T) items[slot];
  }

  private void grow() {
    Object[] oldItems = items;
    boolean[] oldSettled = settled;
    long[] oldSince = since;
    allocate(oldItems.length * 2);
    for (long n = released + 1; n <= last; n++) {
      int from = (int) n & (oldItems.length - 1);
      int to = slot(n);
      items[to] = oldItems[from];
      settled[to] = oldSettled[from];
      since[to] = oldSince[from];
    }
  }

  private void allocate(int size) {
    items = new Object[size];
    settled = new boolean[size];
    since = new long[size];
  }
}
