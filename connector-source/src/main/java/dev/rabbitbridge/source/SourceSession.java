// SPDX-License-Identifier: Apache-2.0
package dev.rabbitbridge.source;

import dev.rabbitbridge.connection.BrokerConnector;
import dev.rabbitbridge.connection.Outage;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import org.apache.kafka.connect.errors.ConnectException;
import org.apache.kafka.connect.errors.DataException;
import org.apache.kafka.connect.source.SourceRecord;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A task at work: hands records out, and settles a delivery only when the framework says what
 * became of its record.
 *
 * <h2>Threading</h2>
 *
 * {@link #poll} and {@link #close} belong to the task's thread. {@link #recordCommitted} and {@link
 * #committed} may come from any, during and after the close. The link and each queue have a thread
 * of their own, which do everything that can block.
 */
final class SourceSession implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(SourceSession.class);
  private static final Duration LONGEST_CLOSE = Duration.ofSeconds(4);

  private final String name;
  private final RabbitMQSourceConfig config;
  private final RecordMapper mapper;
  private final Notices notices;
  private final Inbox inbox = new Inbox();
  private final AtomicLong polls = new AtomicLong();
  private final AtomicReference<@Nullable Throwable> failure = new AtomicReference<>();
  private final Link link;
  private final Map<Acknowledger, QueueConsumer> consumers = new HashMap<>();
  private final List<Thread> threads = new ArrayList<>();

  // Owned by the task's thread.
  private long sequence;
  private volatile @Nullable Thread pollThread;
  private volatile long provenPoll;

  /** Begins to connect and returns at once. */
  SourceSession(RabbitMQSourceConfig config) {
    this.config = config;
    this.mapper = new RecordMapper(config, System::currentTimeMillis);
    BrokerConnector connector =
        new BrokerConnector(config.connection(), config.connectorName(), config.taskId());
    this.name = connector.name();
    this.notices = new Notices(name);
    this.link = new Link(connector, new Outage(config.connection(), name), this::fail);
    // More than half a window unacked at a time would leave RabbitMQ waiting.
    int ackBatch = Math.max(1, Math.min(config.ackBatchSize(), config.prefetch() / 2));
    for (String queue : config.queues()) {
      Acknowledger acknowledger =
          new Acknowledger(queue, ackBatch, config.ackMaxDelay(), System::nanoTime);
      consumers.put(
          acknowledger,
          new QueueConsumer(
              config,
              link,
              inbox,
              acknowledger,
              new QueueOutage(name, queue, config, System::nanoTime),
              polls::get,
              this::fail));
    }
    start(link, "link");
    consumers.forEach((of, consumer) -> start(consumer, of.queue()));
  }

  private void start(Runnable run, String what) {
    Thread thread = new Thread(run, name + "-" + what);
    thread.setDaemon(true);
    threads.add(thread);
    thread.start();
  }

  private void fail(Throwable why) {
    failure.compareAndSet(null, why);
  }

  /**
   * Returns the next records, or null when none came within the configured wait.
   *
   * @throws ConnectException with one sentence for the user, when the task cannot go on
   */
  @Nullable List<SourceRecord> poll() throws InterruptedException {
    pollThread = Thread.currentThread();
    settleProven();
    polls.incrementAndGet();
    throwFailure();
    notices.flush();
    List<SourceRecord> records = new ArrayList<>();
    Delivery next = inbox.poll(config.pollWait());
    while (next != null && failure.get() == null) {
      add(next, records);
      next = records.size() < config.pollMaxRecords() ? inbox.poll() : null;
    }
    return records.isEmpty() ? null : records;
  }

  private void throwFailure() {
    Throwable why = failure.get();
    if (why instanceof ConnectException known) {
      throw known;
    } else if (why != null) {
      throw new ConnectException(name + " failed: " + why, why);
    }
  }

  private void add(Delivery delivery, List<SourceRecord> records) {
    Acknowledger acknowledger = delivery.acknowledger();
    if (!acknowledger.isCurrent(delivery)) {
      return;
    }
    DeliveredRecord record = convert(delivery);
    if (record != null && acknowledger.handOut(delivery, polls.get())) {
      records.add(record);
    }
  }

  private @Nullable DeliveredRecord convert(Delivery delivery) {
    Map<String, Long> offset = SourceOffsets.sequence(++sequence);
    try {
      return mapper.map(delivery, offset);
    } catch (DataException e) {
      return settleUnconvertible(delivery, offset, e);
    }
  }

  private @Nullable DeliveredRecord settleUnconvertible(
      Delivery delivery, Map<String, Long> offset, DataException why) {
    String what = delivery + ": " + why.getMessage();
    switch (config.recordErrorBehavior()) {
      case FAIL -> {
        // The records before it still go out; the next poll fails.
        fail(
            new ConnectException(
                what
                    + ". "
                    + RabbitMQSourceConfig.RECORD_ERROR_CONFIG
                    + " = reject, ack or raw would let the task go on.",
                why));
        return null;
      }
      case REJECT -> {
        notices.warn(Notices.Kind.RECORD_ERROR, () -> what + "; rejected without requeue");
        settle(delivery, true);
        return null;
      }
      case ACK -> {
        notices.warn(Notices.Kind.RECORD_ERROR, () -> what + "; acked and dropped");
        settle(delivery, false);
        return null;
      }
      case RAW -> {
        notices.warn(Notices.Kind.RECORD_ERROR, () -> what + "; passed on as bytes");
        try {
          return mapper.mapRaw(delivery, offset);
        } catch (DataException e) {
          fail(new ConnectException(what + ". Without a topic it cannot be passed on.", e));
          return null;
        }
      }
    }
    throw new AssertionError(config.recordErrorBehavior());
  }

  private void settle(Delivery delivery, boolean reject) {
    Acknowledger acknowledger = delivery.acknowledger();
    if (reject ? acknowledger.reject(delivery) : acknowledger.ack(delivery)) {
      consumers.get(acknowledger).wake();
    }
  }

  /**
   * Takes the framework's word about one record.
   *
   * @param produced true when Kafka has it, false when the framework dropped it
   */
  void recordCommitted(SourceRecord record, boolean produced) {
    if (record instanceof DeliveredRecord ours) {
      if (produced) {
        settle(ours.delivery(), false);
      } else {
        settleSkipped(ours.delivery());
      }
    }
  }

  private void settleSkipped(Delivery delivery) {
    boolean reject = config.skippedRecordBehavior() == SkippedRecordBehavior.REJECT;
    notices.warn(
        Notices.Kind.SKIPPED,
        () -> delivery + "; " + (reject ? "rejected without requeue" : "acked") + " as configured");
    settle(delivery, reject);
  }

  /**
   * Takes the framework's word that it has committed.
   *
   * <p>From another thread than that of poll it proves nothing: records may be pending. From that
   * thread it does in an exactly-once worker, where the transaction of all earlier polls is over.
   * But a normal worker calls it there too, once, when a task ends, with records pending. So it
   * counts only when another poll follows.
   */
  void committed() {
    if (Thread.currentThread() == pollThread) {
      provenPoll = polls.get();
    }
  }

  /** What an exactly-once worker committed without a word about it, it had dropped. */
  private void settleProven() {
    long before = provenPoll;
    if (before > 0) {
      provenPoll = 0;
      for (Acknowledger acknowledger : consumers.keySet()) {
        acknowledger.unansweredBefore(before).forEach(this::settleSkipped);
      }
    }
  }

  /** Ends the task in order within 5 seconds, whatever the broker does. */
  @Override
  public void close() {
    long deadline = System.nanoTime() + longestClose().toNanos();
    consumers.values().forEach(QueueConsumer::stop);
    boolean interrupted = join(threads.subList(1, threads.size()), deadline);
    link.close();
    interrupted |= join(threads.subList(0, 1), deadline);
    link.abort();
    for (Thread thread : threads) {
      if (thread.isAlive()) {
        LOG.debug("{}: {} has not ended yet; its connection was dropped", name, thread.getName());
      }
    }
    inbox.clear();
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }

  private Duration longestClose() {
    Duration configured = config.connection().shutdownTimeout();
    return configured.compareTo(LONGEST_CLOSE) < 0 ? configured : LONGEST_CLOSE;
  }

  private static boolean join(List<Thread> some, long deadline) {
    for (Thread thread : some) {
      try {
        long left = Math.max(1, (deadline - System.nanoTime()) / 1_000_000);
        thread.join(left);
      } catch (InterruptedException e) {
        return true;
      }
    }
    return false;
  }
}
