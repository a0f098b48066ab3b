// SPDX-License-Identifier: Apache-2.0
package dev.rabbitbridge.harness.bench;

import java.util.HashMap;
import java.util.Map;

/**
 * What a process has used so far.
 *
 * @param cpuNanos CPU time of all its threads; NaN when nobody knows
 * @param bytes allocated, as {@link Allocations} counts them; NaN when nobody knows
 */
record Usage(double cpuNanos, double bytes) {
  static final Usage UNKNOWN = new Usage(Double.NaN, Double.NaN);

  private static final Allocations ALLOCATIONS = new Allocations();

  /** Returns what this JVM has used. */
  static Usage ofThisJvm() {
    var threads =
        (com.sun.management.ThreadMXBean) java.lang.management.ManagementFactory.getThreadMXBean();
    var system =
        (com.sun.management.OperatingSystemMXBean)
            java.lang.management.ManagementFactory.getOperatingSystemMXBean();
    Map<Long, Long> allocated = new HashMap<>();
    for (long thread : threads.getAllThreadIds()) {
      allocated.put(thread, Math.max(0, threads.getThreadAllocatedBytes(thread)));
    }
    return new Usage(system.getProcessCpuTime(), ALLOCATIONS.add(allocated));
  }
}
