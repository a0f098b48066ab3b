// SPDX-License-Identifier: Apache-2.0
/** Kafka Connect workers with the packaged plugin, and their REST interface. */
@NullMarked
package dev.rabbitbridge.harness.connect;

import org.jspecify.annotations.NullMarked;
