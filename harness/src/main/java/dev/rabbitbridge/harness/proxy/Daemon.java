// SPDX-License-Identifier: Apache-2.0
package dev.rabbitbridge.harness.proxy;

/** Threads that do not keep the JVM. */
final class Daemon {
  private Daemon() {}

  static Thread of(String name, Runnable work) {
    Thread thread = new Thread(work, name);
    thread.setDaemon(true);
    return thread;
  }

  static void start(String name, Runnable work) {
    of(name, work).start();
  }
}
