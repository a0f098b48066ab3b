// SPDX-License-Identifier: Apache-2.0
/** A Kafka broker (KRaft) to test against, and what tests do with it. */
@NullMarked
package dev.rabbitbridge.harness.kafka;

import org.jspecify.annotations.NullMarked;
