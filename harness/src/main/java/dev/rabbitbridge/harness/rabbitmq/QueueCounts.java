// SPDX-License-Identifier: Apache-2.0
package dev.rabbitbridge.harness.rabbitmq;

/**
 * What a queue holds, each -1 while it is unknown.
 *
 * @param ready messages waiting for a consumer
 * @param unacked messages delivered and not settled; up to a second old
 * @param consumers attached consumers
 */
public record QueueCounts(long ready, long unacked, long consumers) {
  /**
   * Returns everything the queue holds.
   *
   * @return ready and unacked messages; below 0 while unknown
   */
  public long total() {
    return ready + unacked;
  }
}
