// SPDX-License-Identifier: Apache-2.0
/** What operators see of the connectors on a real worker: metrics and log lines. */
@NullMarked
package dev.rabbitbridge.harness.metrics;

import org.jspecify.annotations.NullMarked;
