// SPDX-License-Identifier: Apache-2.0
/** Connectors that do nothing, for what Kafka Connect itself costs. */
@NullMarked
package dev.rabbitbridge.harness.bench.floor;

import org.jspecify.annotations.NullMarked;
