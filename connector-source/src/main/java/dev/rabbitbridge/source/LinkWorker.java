// SPDX-License-Identifier: Apache-2.0
package dev.rabbitbridge.source;

import dev.rabbitbridge.connection.BrokerConnection;
import java.time.Duration;
import java.util.function.Consumer;

/**
 * Works on a link's connection, and on the next one whenever that is lost, until it is stopped.
 *
 * <h2>Threading</h2>
 *
 * One thread of its own runs it; any may stop or wake it.
 */
abstract class LinkWorker implements Runnable {
  private final Link link;
  private final Consumer<Throwable> gaveUp;
  private final Wakeup wakeup = new Wakeup();
  private volatile boolean stopping;

  /**
   * Creates a worker that does nothing yet.
   *
   * @param gaveUp told once, on the worker's thread, why the task has to fail
   */
  LinkWorker(Link link, Consumer<Throwable> gaveUp) {
    this.link = link;
    this.gaveUp = gaveUp;
  }

  /** Works until the connection is of no more use, or it is stopped. */
  abstract void work(BrokerConnection connection) throws InterruptedException;

  @Override
  public final void run() {
    try {
      while (!stopping) {
        BrokerConnection connection = link.await();
        if (connection != null) {
          work(connection);
        }
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } catch (Throwable t) {
      // An error too, as when there are no threads left: a task without this one would be RUNNING
      // and do nothing.
      gaveUp.accept(t);
    }
  }

  /** Asks for the orderly end; the thread that runs it ends soon after. */
  final void stop() {
    stopping = true;
    wake();
  }

  /** Makes it look whether there is something to do. */
  final void wake() {
    wakeup.signal();
  }

  final boolean isStopping() {
    return stopping;
  }

  /** Waits until it is woken, at most for so many nanoseconds. */
  final void await(long nanos) throws InterruptedException {
    wakeup.await(nanos);
  }

  /** Waits for so long, whoever wakes it, unless it is stopped. */
  final void pause(Duration delay) throws InterruptedException {
    long deadline = System.nanoTime() + delay.toNanos();
    long left = delay.toNanos();
    while (!stopping && left > 0) {
      wakeup.await(left);
      left = deadline - System.nanoTime();
    }
  }

  final Link link() {
    return link;
  }
}
