// SPDX-License-Identifier: Apache-2.0
package dev.rabbitbridge.sink;

import java.util.List;

/**
 * Finds the record over which the broker closed a channel: the broker does not say which one it
 * was, so those that were in flight go out one at a time until it happens again.
 *
 * <p>Not thread safe: guarded by the outbox's lock.
 */
final class Suspects {
  private int search;
  private int left;

  /**
   * Begins to search, or ends it: a record that was alone is the guilty one.
   *
   * @param unknown what was in flight
   * @param guilt why the broker closed the channel; becomes the guilty record's refusal
   */
  void search(List<InFlight> unknown, String guilt) {
    search++;
    left = 0;
    if (unknown.size() == 1) {
      unknown.get(0).refusal = guilt;
      return;
    }
    for (InFlight item : unknown) {
      item.suspectOf = search;
      left++;
    }
  }

  /** Notes that a record is not the one, or that nobody waits for it any more. */
  void clear(InFlight item) {
    if (left > 0 && item.suspectOf == search) {
      item.suspectOf = 0;
      left--;
    }
  }

  /** Tells whether records have to go out one at a time. */
  boolean areLeft() {
    return left > 0;
  }
}
