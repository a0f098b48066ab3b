// SPDX-License-Identifier: Apache-2.0
package dev.rabbitbridge.source;

import java.util.concurrent.TimeUnit;

/** Wakes one thread out of its wait; a signal given while it is awake is kept. Thread safe. */
final class Wakeup {
  private boolean signalled;

  synchronized void signal() {
    signalled = true;
    notifyAll();
  }

  /** Returns after a signal or when the time is over. */
  synchronized void await(long nanos) throws InterruptedException {
    long deadline = System.nanoTime() + Math.min(nanos, TimeUnit.HOURS.toNanos(1));
    long left = deadline - System.nanoTime();
    while (!signalled && left > 0) {
      TimeUnit.NANOSECONDS.timedWait(this, left);
      left = deadline - System.nanoTime();
    }
    signalled = false;
  }
}
