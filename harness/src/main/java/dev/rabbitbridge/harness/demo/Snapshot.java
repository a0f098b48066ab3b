// SPDX-License-Identifier: Apache-2.0
package dev.rabbitbridge.harness.demo;

/**
 * Counters at one moment of the run.
 *
 * @param sent acked by Kafka
 * @param confirmed committed by the sink
 * @param inQueue in the queue, or what it was when RabbitMQ last answered
 * @param back records in the target topic
 */
record Snapshot(long sent, long confirmed, long inQueue, long back) {}
