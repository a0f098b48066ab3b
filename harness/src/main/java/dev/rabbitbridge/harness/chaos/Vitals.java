// SPDX-License-Identifier: Apache-2.0
package dev.rabbitbridge.harness.chaos;

import dev.rabbitbridge.harness.connect.Jmx;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * What a worker holds on to while its connectors idle.
 *
 * @param connections to RabbitMQ, through the proxy
 * @param threads of its JVM
 * @param files open file handles
 * @param heap bytes in use after a collection
 */
record Vitals(int connections, long threads, long files, long heap) {
  private static final int MORE_THREADS = 8;
  private static final int MORE_FILES = 16;

  static Vitals of(Rig rig) {
    Jmx jmx = rig.worker().jmx();
    // After the worker was killed the connection to it is one of before.
    Matrix.await(Duration.ofSeconds(10), () -> jmx.usedHeap() > 0);
    long heap = jmx.usedHeap();
    return new Vitals(
        rig.proxy.open(),
        (long) jmx.number("java.lang:type=Threading", "ThreadCount"),
        (long) jmx.number("java.lang:type=OperatingSystem", "OpenFileDescriptorCount"),
        heap);
  }

  /** Says what has become more than chance explains. */
  List<String> leaksSince(Vitals before) {
    List<String> leaks = new ArrayList<>();
    if (connections > before.connections) {
      leaks.add("connections leaked: " + before.connections + " before, " + connections);
    }
    if (threads > before.threads + MORE_THREADS) {
      leaks.add("threads leaked: " + before.threads + " before, " + threads);
    }
    if (files > before.files + MORE_FILES) {
      leaks.add("file handles leaked: " + before.files + " before, " + files);
    }
    return leaks;
  }

  @Override
  public String toString() {
    return "%d connections, %d threads, %d file handles, %d MB heap"
        .formatted(connections, threads, files, heap >> 20);
  }
}
