// SPDX-License-Identifier: Apache-2.0
package dev.rabbitbridge.harness.bench;

import java.util.HashMap;
import java.util.Map;

/**
 * What the threads of one JVM have allocated. A JVM forgets a thread with its end; here what was
 * last seen of it stays, so that the sum never falls.
 */
final class Allocations {
  private final Map<Long, Long> seen = new HashMap<>();

  /** Takes what a JVM says of its threads now, in bytes; returns the sum so far. */
  synchronized long add(Map<Long, Long> bytes) {
    bytes.forEach((thread, now) -> seen.merge(thread, now, Math::max));
    return seen.values().stream().mapToLong(Long::longValue).sum();
  }
}
