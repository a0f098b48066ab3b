// SPDX-License-Identifier: Apache-2.0
package dev.rabbitbridge.sink;

import com.rabbitmq.client.AMQP;
import com.rabbitmq.client.ShutdownSignalException;
import dev.rabbitbridge.connection.Outage;
import dev.rabbitbridge.failure.Backoff;
import dev.rabbitbridge.failure.ErrorClassifier;
import dev.rabbitbridge.failure.Failure;
import dev.rabbitbridge.failure.Fault;
import dev.rabbitbridge.failure.Stage;
import dev.rabbitbridge.metrics.LogContext;
import dev.rabbitbridge.metrics.Tally;
import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.kafka.connect.errors.ConnectException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Publishes what is in the outbox, on one channel after the other.
 *
 * <h2>Threading</h2>
 *
 * A writer thread of its own connects and publishes; only that one can be stuck in the socket. The
 * task thread calls everything else: {@link #watch} and {@link #close} free a stuck writer.
 */
final class Publisher implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(Publisher.class);
  private static final int BATCH = 64;
  private static final int BASIC_CLASS = 60;
  private static final int BASIC_PUBLISH = 40;
  private static final long WRITER_END_MILLIS = TimeUnit.SECONDS.toMillis(2);

  private final String name;
  private final Outbox outbox;
  private final PublishChannel.Opener opener;
  private final Outage outage;
  private final Duration confirmTimeout;
  private final Backoff backoff;

  /** That it is missing, or not to be written to, is then no record's fault. */
  private final boolean fixedExchange;

  private final SinkMetrics metrics;
  private final Tally closes;
  private final Thread writer;
  private final CountDownLatch attempted = new CountDownLatch(1);
  private int timeouts;
  private final AtomicInteger opened = new AtomicInteger();
  private long blockedBefore; // guarded by this
  private volatile @Nullable PublishChannel channel;
  private volatile @Nullable ConnectException failure;

  /** Creates a publisher; {@link #start} lets it run. */
  Publisher(
      String name,
      Outbox outbox,
      PublishChannel.Opener opener,
      Outage outage,
      RabbitMQSinkConfig config,
      SinkMetrics metrics) {
    this.name = name;
    this.outbox = outbox;
    this.opener = opener;
    this.outage = outage;
    this.confirmTimeout = config.confirmTimeout();
    this.backoff = config.retryBackoff();
    this.fixedExchange = config.hasFixedExchange();
    this.metrics = metrics;
    this.closes =
        new Tally(LOG, name, "channels closed by RabbitMQ over a message, to find out which");
    this.writer =
        new Thread(LogContext.ofThisThread().around(this::run), "rabbitmq-" + name + "-writer");
    this.writer.setDaemon(true);
  }

  /** Returns the name of its connections. */
  String name() {
    return name;
  }

  /** Begins to connect and publish, and waits until the first attempt is over, but not longer. */
  void start(Duration longest) throws InterruptedException {
    writer.start();
    var unused = attempted.await(longest.toNanos(), TimeUnit.NANOSECONDS);
  }

  /**
   * Looks at the clock: gives up a channel whose confirms do not come. The writer cannot, it may be
   * the one that is stuck.
   */
  void watch() {
    closes.flush();
    outbox.logCounted();
    PublishChannel silent = channel;
    if (silent == null || silent.isBlocked()) {
      return;
    }
    long deadline = System.nanoTime() - confirmTimeout.toNanos();
    if (silent.unblockedAt() - deadline <= 0 && outbox.loseIfOverdue(deadline, confirmTimeout)) {
      silent.abort();
    }
  }

  /** Returns why the task has to fail, null as long as it does not. */
  @Nullable ConnectException failure() {
    return failure;
  }

  /** Tells whether waiting for confirms makes sense: there is a channel, and the broker reads. */
  boolean isFlowing() {
    PublishChannel open = channel;
    return failure == null && open != null && !open.isBlocked();
  }

  // ---- any thread ----

  boolean isConnected() {
    return channel != null;
  }

  boolean isBlocked() {
    PublishChannel open = channel;
    return open != null && open.isBlocked();
  }

  /** Returns for how long the broker has not read, on all channels so far, in nanoseconds. */
  synchronized long blockedNanos() {
    PublishChannel open = channel;
    return blockedBefore + (open == null ? 0 : open.blockedNanos());
  }

  /** Returns how often another channel was opened, after the first. */
  int reconnects() {
    return Math.max(0, opened.get() - 1);
  }

  /** Ends the writer and the connection, whatever they are doing. */
  @Override
  public void close() {
    outbox.close();
    writer.interrupt();
    PublishChannel open = channel;
    if (open != null && open.isBlocked()) {
      open.abort();
    } else if (open != null) {
      open.close();
    }
    try {
      writer.join(WRITER_END_MILLIS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    if (writer.isAlive()) {
      LOG.warn("{}: the writer is still connecting; it ends when that times out", name);
    }
  }

  private void run() {
    try {
      for (PublishChannel open = connect(); open != null; open = connect()) {
        publishUntilLost(open);
        if (outbox.isClosed()) {
          return;
        }
        recover(open);
      }
    } catch (InterruptedException e) {
      LOG.debug("{}: writer interrupted", name);
    } catch (ConnectException e) {
      fail(e);
    } catch (Throwable t) {
      fail(Fault.UNEXPECTED.exception("the thread that publishes to RabbitMQ failed: " + t, t));
    } finally {
      attempted.countDown();
    }
  }

  private @Nullable PublishChannel connect() throws InterruptedException {
    while (!outbox.isClosed()) {
      try {
        PublishChannel open = opener.open(outbox.epoch(), outbox);
        channel = open;
        opened.incrementAndGet();
        attempted.countDown();
        if (outbox.isClosed()) {
          open.close();
          return null;
        }
        if (outbox.pending() == 0) {
          outage.ended();
        }
        return open;
      } catch (InterruptedException | ConnectException e) {
        throw e;
      } catch (Exception e) {
        // A channel that was lost before it was used is lost with this attempt.
        outbox.startOver(null);
        Duration pause = outage.failed(e);
        attempted.countDown();
        outbox.pause(pause);
      }
    }
    return null;
  }

  private void publishUntilLost(PublishChannel open) throws InterruptedException {
    InFlight[] batch = new InFlight[BATCH];
    for (int count = outbox.take(open, batch);
        count != Outbox.OVER;
        count = outbox.take(open, batch)) {
      if (count == 0) {
        // Only a word of the broker ends an outage: a connection that falls at the first publish is
        // none.
        timeouts = 0;
        outage.ended();
      } else {
        publish(open, batch, count);
      }
    }
  }

  private void publish(PublishChannel open, InFlight[] batch, int count) {
    int published = 0;
    int again = 0;
    while (published < count) {
      InFlight item = batch[published];
      try {
        open.publish(item.message());
      } catch (IOException | ShutdownSignalException e) {
        outbox.lost(outbox.epoch(), e);
        break;
      } catch (RuntimeException e) {
        outbox.unwritable(item, e);
        break;
      }
      published++;
      again += item.published ? 1 : 0;
      item.published = true;
    }
    try {
      open.flush();
    } catch (IOException e) {
      outbox.lost(outbox.epoch(), e);
    }
    long now = System.nanoTime();
    metrics.published.add(published, now);
    metrics.republished.add(again, now);
  }

  private void recover(PublishChannel old) throws InterruptedException {
    drop(old);
    Throwable cause = outbox.lostBecause();
    if (cause == null) {
      return;
    }
    Failure failed = ErrorClassifier.classify(cause, Stage.RUNNING);
    if (cause instanceof ConfirmTimeoutException) {
      old.abort();
      outbox.startOver(null);
      outbox.pause(backoff.delay(++timeouts));
    } else if (isOverAPublish(cause) && !failed.isTransient()) {
      old.close();
      if (failed.isFatal() && fixedExchange) {
        throw exchangeRefused(failed, cause);
      }
      closes.add(failed::toString);
      outbox.startOver(failed.toString());
    } else if (cause instanceof IOException || cause instanceof ShutdownSignalException) {
      old.abort();
      outbox.startOver(null);
      outbox.pause(outage.failed(cause));
    } else {
      old.close();
      LOG.warn("{}: giving up the channel: {}", name, cause.toString());
      outbox.startOver(null);
    }
  }

  private synchronized void drop(PublishChannel old) {
    blockedBefore += old.blockedNanos();
    channel = null;
  }

  private static boolean isOverAPublish(Throwable cause) {
    return cause instanceof ShutdownSignalException signal
        && signal.getReason() instanceof AMQP.Channel.Close close
        && close.getClassId() == BASIC_CLASS
        && close.getMethodId() == BASIC_PUBLISH;
  }

  private static ConnectException exchangeRefused(Failure failed, Throwable cause) {
    boolean missing = failed.replyCode() == AMQP.NOT_FOUND;
    Fault fault = missing ? Fault.EXCHANGE_MISSING : Fault.EXCHANGE_REFUSED;
    return fault.exception(
        "RabbitMQ refuses what is published: "
            + failed
            + ". "
            + (missing
                ? "Create the exchange or correct "
                : "Give the user write permission, or correct ")
            + RabbitMQSinkConfig.EXCHANGE_CONFIG
            + ", then restart the task; nothing is lost meanwhile.",
        cause);
  }

  private void fail(ConnectException e) {
    failure = e;
    PublishChannel open = channel;
    if (open != null) {
      drop(open);
      open.abort();
    }
    outbox.close();
  }
}
