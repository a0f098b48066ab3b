// SPDX-License-Identifier: Apache-2.0
package dev.rabbitbridge.harness.chaos;

import java.time.Duration;

/** A thread that does the same thing again and again, whatever it throws, until it is closed. */
final class Repeat implements AutoCloseable {
  /** What is repeated. */
  @FunctionalInterface
  interface Step {
    void run() throws Exception;
  }

  private final Thread thread;
  private volatile boolean closed;

  /**
   * Starts it.
   *
   * @param every the pause between two runs
   */
  Repeat(String name, Duration every, Step step) {
    thread =
        new Thread(
            () -> {
              while (!closed) {
                try {
                  step.run();
                  Thread.sleep(every.toMillis());
                } catch (InterruptedException e) {
                  return;
                } catch (Exception e) {
                  // Something is away, as is the purpose here: the next run will tell.
                  if (!pause()) {
                    return;
                  }
                }
              }
            },
            name);
    thread.setDaemon(true);
    thread.start();
  }

  @Override
  public void close() {
    closed = true;
    thread.interrupt();
    try {
      thread.join(5000);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private static boolean pause() {
    try {
      Thread.sleep(100);
      return true;
    } catch (InterruptedException e) {
      return false;
    }
  }
}
