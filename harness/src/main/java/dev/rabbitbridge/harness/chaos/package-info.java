// SPDX-License-Identifier: Apache-2.0
/**
 * Faults on a system under load, and the books that tell what became of each message. For {@code
 * bin/chaos} and the tests of the same faults.
 */
@NullMarked
package dev.rabbitbridge.harness.chaos;

import org.jspecify.annotations.NullMarked;
