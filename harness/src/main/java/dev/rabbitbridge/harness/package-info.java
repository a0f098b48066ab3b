// SPDX-License-Identifier: Apache-2.0
/** Real brokers and a real Connect worker, for the tests, the demo and the benchmarks. */
@NullMarked
package dev.rabbitbridge.harness;

import org.jspecify.annotations.NullMarked;
