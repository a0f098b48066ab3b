// SPDX-License-Identifier: Apache-2.0
package dev.rabbitbridge.source;

import com.rabbitmq.client.ShutdownSignalException;
import dev.rabbitbridge.connection.BrokerConnection;
import dev.rabbitbridge.connection.BrokerConnector;
import dev.rabbitbridge.connection.Outage;
import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Keeps one connection to RabbitMQ open: opens another whenever it is lost, for as long as {@link
 * Outage} allows.
 *
 * <h2>Threading</h2>
 *
 * Thread safe. Its own thread connects; others wait for the connection that they can use.
 */
final class Link implements Runnable {
  private final BrokerConnector connector;
  private final Outage outage;
  private final Consumer<Throwable> gaveUp;
  private @Nullable BrokerConnection current; // guarded by this
  private @Nullable Throwable distrust; // guarded by this
  private boolean closing; // guarded by this

  /**
   * Creates a link that is not connected yet.
   *
   * @param gaveUp told once, on the link's thread, when there is no point in trying on
   */
  Link(BrokerConnector connector, Outage outage, Consumer<Throwable> gaveUp) {
    this.connector = connector;
    this.outage = outage;
    this.gaveUp = gaveUp;
  }

  /**
   * Waits for an open connection.
   *
   * @return null when the link is closing
   */
  synchronized @Nullable BrokerConnection await() throws InterruptedException {
    while (!closing && !isUp()) {
      wait();
    }
    return closing ? null : current;
  }

  private boolean isUp() {
    return current != null && distrust == null && current.isOpen();
  }

  /**
   * Asks for another connection in place of one that is open but of no use, as when its node has no
   * replica of a stream.
   */
  synchronized void replace(BrokerConnection useless, Throwable why) {
    if (useless == current) {
      distrust = why;
      notifyAll();
    }
  }

  @Override
  public void run() {
    try {
      while (!isClosing()) {
        attempt();
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } catch (RuntimeException e) {
      gaveUp.accept(e);
    }
    closeCurrent();
  }

  private void attempt() throws InterruptedException {
    try {
      BrokerConnection open = connector.connect(this::changed);
      synchronized (this) {
        current = open;
        distrust = null;
        notifyAll();
      }
      outage.ended();
      Throwable why = awaitLoss(open);
      if (why != null) {
        open.abort();
        pause(outage.failed(why));
      }
    } catch (IOException | TimeoutException e) {
      if (!isClosing()) {
        pause(outage.failed(e));
      }
    }
  }

  private synchronized void changed() {
    notifyAll();
  }

  private synchronized boolean isClosing() {
    return closing;
  }

  private synchronized @Nullable Throwable awaitLoss(BrokerConnection open)
      throws InterruptedException {
    while (!closing && isUp()) {
      wait();
    }
    if (closing) {
      return null;
    }
    ShutdownSignalException reason = open.closeReason();
    return distrust != null ? distrust : reason;
  }

  private synchronized void pause(Duration delay) throws InterruptedException {
    long deadline = System.nanoTime() + delay.toNanos();
    long left = delay.toNanos();
    while (!closing && left > 0) {
      TimeUnit.NANOSECONDS.timedWait(this, left);
      left = deadline - System.nanoTime();
    }
  }

  private void closeCurrent() {
    BrokerConnection last;
    synchronized (this) {
      last = current;
    }
    if (last != null) {
      last.close();
    }
  }

  /** Ends the link; its thread closes the connection in order. */
  synchronized void close() {
    closing = true;
    notifyAll();
  }

  /** Drops the connection, which frees every thread that is stuck in it. */
  void abort() {
    BrokerConnection last;
    synchronized (this) {
      last = current;
    }
    if (last != null) {
      last.abort();
    }
  }
}
