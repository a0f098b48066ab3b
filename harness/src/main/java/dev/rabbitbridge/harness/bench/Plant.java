// SPDX-License-Identifier: Apache-2.0
package dev.rabbitbridge.harness.bench;

import dev.rabbitbridge.harness.connect.ConnectRest;
import dev.rabbitbridge.harness.connect.Worker;
import java.util.Map;
import java.util.Set;

/** A Connect worker, and what is asked of it again and again. */
final class Plant {
  private final Worker worker;
  private final Allocations allocations = new Allocations();

  Plant(Worker worker) {
    this.worker = worker;
  }

  ConnectRest rest() {
    return worker.rest();
  }

  Usage usage() {
    return new Usage(
        worker.jmx().number("java.lang:type=OperatingSystem", "ProcessCpuTime"),
        allocations.add(worker.jmx().allocatedBytes()));
  }

  /** Starts a connector and leaves it to the caller to see what it does. */
  void start(String connector, Map<String, String> config) {
    worker.rest().put(connector, config);
  }

  /** Throws when a connector or a task of it has failed. */
  void check(String connector) {
    String status = worker.rest().status(connector).toString();
    if (status.contains("FAILED")) {
      throw new IllegalStateException(connector + " failed: " + status);
    }
  }

  /** Adds up a metric over the tasks of a connector; 0 while there is none. */
  double metric(String type, String connector, String attribute) {
    Set<String> names =
        worker.jmx().names("kafka.connect:type=" + type + ",connector=" + connector + ",task=*");
    double sum = 0;
    for (String name : names) {
      try {
        sum += worker.jmx().number(name, attribute);
      } catch (IllegalArgumentException e) {
        // It has not got so far yet.
      }
    }
    return sum;
  }
}
