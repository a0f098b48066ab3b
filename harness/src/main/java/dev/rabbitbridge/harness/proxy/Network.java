// SPDX-License-Identifier: Apache-2.0
package dev.rabbitbridge.harness.proxy;

import java.time.Duration;

/** The state of the network between all clients and the broker. Safe from any thread. */
final class Network {
  private boolean dropping;
  private boolean stalled;
  private Duration toBroker = Duration.ZERO;
  private Duration toClient = Duration.ZERO;
  private long bytesPerSecond;

  synchronized void drop(boolean on) {
    dropping = on;
  }

  synchronized void stall(boolean on) {
    stalled = on;
    notifyAll();
  }

  synchronized void delay(Duration broker, Duration client) {
    toBroker = broker;
    toClient = client;
  }

  synchronized void limit(long limit) {
    bytesPerSecond = limit;
  }

  synchronized void heal() {
    dropping = false;
    stalled = false;
    toBroker = Duration.ZERO;
    toClient = Duration.ZERO;
    bytesPerSecond = 0;
    notifyAll();
  }

  synchronized boolean isDropping() {
    return dropping;
  }

  /** Returns when nobody is told to stop reading any more. */
  synchronized void awaitFlow() throws InterruptedException {
    while (stalled) {
      wait();
    }
  }

  synchronized long delayNanos(Direction direction) {
    return switch (direction) {
      case TO_BROKER -> toBroker.toNanos();
      case TO_CLIENT -> toClient.toNanos();
    };
  }

  /** Returns how long so many bytes take. */
  synchronized long nanosFor(int bytes) {
    return bytesPerSecond == 0 ? 0 : bytes * 1_000_000_000L / bytesPerSecond;
  }

  enum Direction {
    TO_BROKER,
    TO_CLIENT
  }
}
