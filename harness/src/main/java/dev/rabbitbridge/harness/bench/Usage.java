// SPDX-License-Identifier: Apache-2.0
package dev.rabbitbridge.harness.bench;

/**
 * What a process has used so far.
 *
 * @param cpuNanos CPU time of all its threads; NaN when nobody knows
 * @param bytes allocated by the threads that live; NaN when nobody knows
 */
record Usage(double cpuNanos, double bytes) {
  static final Usage UNKNOWN = new Usage(Double.NaN, Double.NaN);

  /** Returns what this JVM has used. */
  static Usage ofThisJvm() {
    var threads =
        (com.sun.management.ThreadMXBean) java.lang.management.ManagementFactory.getThreadMXBean();
    var system =
        (com.sun.management.OperatingSystemMXBean)
            java.lang.management.ManagementFactory.getOperatingSystemMXBean();
    long bytes = 0;
    for (long each : threads.getThreadAllocatedBytes(threads.getAllThreadIds())) {
      bytes += Math.max(0, each);
    }
    return new Usage(system.getProcessCpuTime(), bytes);
  }
}
