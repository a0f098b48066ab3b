// SPDX-License-Identifier: Apache-2.0
package dev.rabbitbridge.harness.bench;

/**
 * Where one run takes messages from and puts them to; one of the two is filled, the other empty.
 *
 * @param load what is moved
 * @param topic with one partition
 * @param queue reached through the default exchange
 */
record Place(Load load, String topic, String queue) {}
