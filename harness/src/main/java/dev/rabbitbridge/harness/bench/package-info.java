// SPDX-License-Identifier: Apache-2.0
/** The benchmarks behind {@code bin/bench}: the connectors beside what they are measured by. */
@NullMarked
package dev.rabbitbridge.harness.bench;

import org.jspecify.annotations.NullMarked;
