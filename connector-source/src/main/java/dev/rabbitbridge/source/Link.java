// SPDX-License-Identifier: Apache-2.0
package dev.rabbitbridge.source;

import com.rabbitmq.client.AMQP;
import com.rabbitmq.client.MalformedFrameException;
import com.rabbitmq.client.ShutdownSignalException;
import dev.rabbitbridge.connection.BrokerConnection;
import dev.rabbitbridge.connection.BrokerConnector;
import dev.rabbitbridge.connection.Outage;
import dev.rabbitbridge.connection.Topology;
import dev.rabbitbridge.failure.ErrorClassifier;
import dev.rabbitbridge.failure.Failure;
import dev.rabbitbridge.failure.Fault;
import dev.rabbitbridge.failure.Stage;
import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import org.apache.kafka.common.config.ConfigException;
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
  private static final int UNREADABLE = 5;
  private static final Duration HEALTHY = Duration.ofMinutes(1);
  private static final Duration BETWEEN_LOOKS = Duration.ofMillis(500);

  private final BrokerConnector connector;
  private final Outage outage;
  private final Topology topology;
  private final String queues;
  private final boolean streams;
  private final LongSupplier progress;
  private final Consumer<Throwable> gaveUp;
  private final AtomicInteger opened = new AtomicInteger();
  private int unreadable; // owned by the link's thread
  private boolean refused; // owned by the link's thread: the last connection, before it was of use
  private @Nullable BrokerConnection current; // guarded by this
  private @Nullable Throwable distrust; // guarded by this
  private boolean closing; // guarded by this

  /**
   * Creates a link that is not connected yet.
   *
   * @param topology what has to be there before anyone may use a connection
   * @param queues what it is for, in words
   * @param streams whether these are streams
   * @param progress grows when messages get through
   * @param gaveUp told once, on the link's thread, when there is no point in trying on
   */
  Link(
      BrokerConnector connector,
      Outage outage,
      Topology topology,
      String queues,
      boolean streams,
      LongSupplier progress,
      Consumer<Throwable> gaveUp) {
    this.connector = connector;
    this.outage = outage;
    this.topology = topology;
    this.queues = queues;
    this.streams = streams;
    this.progress = progress;
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

  /** Tells whether there is a connection to use. */
  synchronized boolean isUp() {
    return current != null && distrust == null && current.isOpen();
  }

  /** Returns how often another connection was opened, after the first. */
  int reconnects() {
    return Math.max(0, opened.get() - 1);
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
    } catch (Throwable t) {
      // An error too, as when there are no threads left: a task without this one would be RUNNING
      // and do nothing.
      gaveUp.accept(t);
    }
    closeCurrent();
  }

  private void attempt() throws InterruptedException {
    try {
      BrokerConnection open = connector.connect(this::changed);
      setUp(open);
      synchronized (this) {
        current = open;
        distrust = null;
        notifyAll();
      }
      opened.incrementAndGet();
      long openedAt = System.nanoTime();
      long progressBefore = progress.getAsLong();
      if (!refused || isProven(openedAt, progressBefore)) {
        outage.ended();
      }
      Throwable why = awaitLoss(open);
      if (why != null) {
        open.abort();
        boolean lasted = System.nanoTime() - openedAt > HEALTHY.toNanos();
        boolean moved = progress.getAsLong() > progressBefore;
        refused = isRefusal(why) && !lasted && !moved;
        countUnreadable(why, lasted && moved);
        pause(outage.failed(why));
      }
    } catch (IOException | TimeoutException | ShutdownSignalException | ConfigException e) {
      if (!isClosing()) {
        pause(outage.failed(e));
      }
    }
  }

  /** Tells whether RabbitMQ closed the connection over what was done on it, and not for itself. */
  private static boolean isRefusal(Throwable why) {
    return why instanceof ShutdownSignalException signal
        && signal.getReason() instanceof AMQP.Connection.Close close
        && close.getReplyCode() != AMQP.CONNECTION_FORCED;
  }

  /**
   * Waits until the connection has been of use. One after the other that RabbitMQ closes as soon as
   * it is used ends no outage: it would be opened twice a second for ever.
   *
   * @return false when it was lost before
   */
  private synchronized boolean isProven(long openedAt, long progressBefore)
      throws InterruptedException {
    while (!closing && isUp()) {
      if (progress.getAsLong() > progressBefore
          || System.nanoTime() - openedAt > HEALTHY.toNanos()) {
        return true;
      }
      TimeUnit.NANOSECONDS.timedWait(this, BETWEEN_LOOKS.toNanos());
    }
    return false;
  }

  private void setUp(BrokerConnection open) throws IOException {
    boolean done = false;
    try {
      topology.ensure(open);
      done = true;
    } finally {
      if (!done) {
        open.abort();
      }
    }
  }

  /**
   * A message that the client cannot read, or RabbitMQ cannot deliver, ends the connection and
   * comes again with the next one. Progress alone does not show that it is gone: it may be that of
   * another queue.
   */
  private void countUnreadable(Throwable why, boolean healthy) {
    boolean ofClient = isOfReading(why.getCause());
    Failure failure = ErrorClassifier.classify(why, Stage.RUNNING);
    boolean ofBroker = streams && failure.replyCode() == AMQP.INTERNAL_ERROR;
    if (healthy) {
      unreadable = 0;
    }
    unreadable += ofClient || ofBroker ? 1 : 0;
    if (unreadable >= UNREADABLE) {
      throw Fault.UNREADABLE.exception(
          "The connection broke "
              + unreadable
              + " times in a row over a message that cannot be read, from "
              + queues
              + ": "
              + (ofBroker
                  ? failure
                      + ". RabbitMQ 3.10 does that over messages published in compressed batches: read the stream with a client of the stream protocol."
                  : Failure.messageOf(why.getCause())
                      + ". If it is too large, raise rabbitmq.max.inbound.message.size; else take it out of the queue."),
          why);
    }
  }

  /**
   * Tells whether the client's thread ended over what it read: a field of an unknown type, a body
   * over the limit, tables nested too deep. Sockets throw other exceptions.
   */
  static boolean isOfReading(@Nullable Throwable cause) {
    return cause instanceof MalformedFrameException
        || cause instanceof RuntimeException
        || cause instanceof Error;
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
