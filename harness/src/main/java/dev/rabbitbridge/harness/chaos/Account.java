// SPDX-License-Identifier: Apache-2.0
package dev.rabbitbridge.harness.chaos;

/**
 * What the {@link Books} say when they are closed. Lost, unexpected, duplicated and recovered are
 * those of Jepsen's total-queue.
 *
 * @param attempted messages sent
 * @param acknowledged of those, the ones that the producer was told are safe
 * @param delivered different messages that came out
 * @param lost acknowledged, and neither delivered, dead-lettered nor destroyed by the fault itself
 * @param unexpected came out and were never attempted
 * @param duplicated deliveries beyond the first of each message
 * @param recovered delivered although never acknowledged
 * @param reordered delivered for the first time after a later one of the same lane
 * @param corrupted delivered with another body or header than sent
 * @param committedTooFar claimed to be done, by an offset or an ack, before they had come out
 * @param unaccounted lost, and not in the source any more either
 * @param deadLettered found at the place for those that cannot be delivered
 * @param destroyed by the fault itself, and not delivered
 */
record Account(
    long attempted,
    long acknowledged,
    long delivered,
    long lost,
    long unexpected,
    long duplicated,
    long recovered,
    long reordered,
    long corrupted,
    long committedTooFar,
    long unaccounted,
    long deadLettered,
    long destroyed) {

  /** Returns whether nothing happened that may never happen, whatever the fault. */
  boolean isClean() {
    return lost == 0
        && unexpected == 0
        && corrupted == 0
        && committedTooFar == 0
        && unaccounted == 0;
  }
}
