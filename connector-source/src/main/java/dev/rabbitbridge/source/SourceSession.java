// SPDX-License-Identifier: Apache-2.0
package dev.rabbitbridge.source;

import dev.rabbitbridge.connection.BrokerConnector;
import dev.rabbitbridge.connection.Outage;
import dev.rabbitbridge.connection.Topology;
import dev.rabbitbridge.failure.Fault;
import dev.rabbitbridge.metrics.LogContext;
import dev.rabbitbridge.source.StreamCursor.Position;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Function;
import org.apache.kafka.connect.errors.ConnectException;
import org.apache.kafka.connect.errors.DataException;
import org.apache.kafka.connect.source.SourceRecord;
import org.apache.kafka.connect.source.SourceTaskContext;
import org.jspecify.annotations.Nullable;

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
  private static final Duration LONGEST_CLOSE = Duration.ofSeconds(4);
  private static final Duration LAST_CONFIRM = Duration.ofSeconds(1);

  private final String name;
  private final RabbitMQSourceConfig config;
  private final RecordMapper mapper;
  private final boolean filtered;
  private final Notices notices;
  private final Inbox inbox = new Inbox();
  private final AtomicLong polls = new AtomicLong();
  private final SourceMetrics metrics;
  private final LogContext logContext = LogContext.ofThisThread();
  private final AtomicReference<@Nullable Throwable> failure = new AtomicReference<>();
  private final Settlement settlement;
  private final List<Link> links = new ArrayList<>();
  private final Map<Acknowledger, QueueConsumer> consumers = new HashMap<>();
  private final Deduplicator deduplicator;
  private final Map<String, Map<String, String>> partitions = new HashMap<>(); // of the queues
  private final List<Thread> consuming = new ArrayList<>();
  private final List<Thread> retrying = new ArrayList<>();
  private final List<Thread> connecting = new ArrayList<>();
  private @Nullable RetryPublisher retries;

  // Owned by the task's thread.
  private long sequence;
  private volatile @Nullable Thread pollThread;
  private volatile long provenPoll;
  private volatile boolean transactional;

  /**
   * Begins to connect and returns at once.
   *
   * @param stored gives the offsets that Connect has kept for source partitions
   */
  SourceSession(
      RabbitMQSourceConfig config,
      Function<List<Map<String, String>>, Collection<? extends Map<String, ?>>> stored) {
    this.config = config;
    this.mapper = new RecordMapper(config, System::currentTimeMillis);
    this.filtered = config.consumerArguments().containsKey(Rules.Arguments.STREAM_FILTER);
    BrokerConnector connector =
        new BrokerConnector(config.connection(), config.connectorName(), config.taskId());
    this.name = connector.name();
    this.notices = new Notices(name);
    this.settlement =
        new Settlement(
            config,
            notices,
            delivery -> consumer(delivery).wake(),
            delivery -> retries.submit(delivery));
    this.metrics = new SourceMetrics(config.connectorName(), config.taskId());
    this.deduplicator = new Deduplicator(name, config, settlement, metrics);
    Link link = link(connector);
    for (String queue : config.queues()) {
      partitions.put(queue, config.partition(queue));
      StreamCursor cursor =
          config.queueType() == QueueType.STREAM
              ? new StreamCursor(
                  queue,
                  config.positionLost(),
                  config.streamStart(),
                  position(stored.apply(List.of(config.partition(queue)))))
              : null;
      Acknowledger acknowledger = addConsumer(queue, link, cursor);
      deduplicator.add(queue, acknowledger, stored);
    }
    if (config.skippedRecordBehavior() == SkippedRecordBehavior.RETRY) {
      retries =
          new RetryPublisher(
              link(connector),
              config.retryDelay(),
              notices,
              this::retryConfirmed,
              settlement::unretriable,
              this::fail);
      add(retries, "retry", retrying);
    }
    connecting.forEach(Thread::start);
    consuming.forEach(Thread::start);
    retrying.forEach(Thread::start);
  }

  private static @Nullable Position position(Collection<? extends Map<String, ?>> stored) {
    return stored.isEmpty() ? null : Position.of(stored.iterator().next());
  }

  /** Shows the metrics to operators, until {@link #close}. */
  void publishMetrics(SourceTaskContext context) {
    metrics.publish(context, consumers.values(), inbox, links);
  }

  private Link link(BrokerConnector connector) {
    Link made =
        new Link(
            connector,
            new Outage(config.connection(), name),
            Topology.of(config.topology(), null, config.queues(), "#"),
            "queues " + config.queues(),
            config.queueType() == QueueType.STREAM,
            metrics::answered,
            this::fail);
    links.add(made);
    add(made, "link", connecting);
    return made;
  }

  private Acknowledger addConsumer(String queue, Link link, @Nullable StreamCursor cursor) {
    // More than half a window unacked at a time would leave RabbitMQ waiting.
    int ackBatch = Math.max(1, Math.min(config.ackBatchSize(), config.prefetch() / 2));
    Acknowledger acknowledger =
        new Acknowledger(queue, ackBatch, config.ackMaxDelay(), metrics, System::nanoTime);
    QueueConsumer consumer =
        new QueueConsumer(
            config,
            link,
            inbox,
            acknowledger,
            new QueueOutage(name, queue, config, System::nanoTime),
            cursor,
            metrics,
            polls::get,
            this::fail);
    consumers.put(acknowledger, consumer);
    add(consumer, queue, consuming);
    return acknowledger;
  }

  private void add(Runnable run, String what, List<Thread> to) {
    Thread thread = new Thread(logContext.around(run), name + "-" + what);
    thread.setDaemon(true);
    to.add(thread);
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
    long deadline = System.nanoTime() + config.pollWait().toNanos();
    Delivery next = inbox.poll(config.pollWait());
    // Counts what gives no record too: a flood of that must not keep the task from its stop.
    for (int taken = 1; next != null && failure.get() == null; taken++) {
      add(next, records);
      next = taken < config.pollMaxRecords() ? another(deadline) : null;
    }
    return records.isEmpty() ? null : records;
  }

  /**
   * Returns another delivery for the same poll. Where a poll is a transaction it is worth waiting
   * for, unless a queue sends no more before it has seen acks.
   */
  private @Nullable Delivery another(long deadline) throws InterruptedException {
    Delivery next = inbox.poll();
    if (next != null || !transactional) {
      return next;
    }
    boolean full = consumers.values().stream().anyMatch(one -> one.unacked() >= config.prefetch());
    return full ? null : inbox.poll(Duration.ofNanos(deadline - System.nanoTime()));
  }

  private void throwFailure() {
    Throwable why = failure.get();
    if (why instanceof ConnectException known) {
      throw known;
    } else if (why != null) {
      throw Fault.UNEXPECTED.exception(name + " failed: " + why, why);
    }
  }

  private void add(Delivery delivery, List<SourceRecord> records) {
    Acknowledger acknowledger = delivery.acknowledger();
    if (!acknowledger.isCurrent(delivery)
        || deduplicator.isKnown(delivery)
        || settlement.isOverLimit(delivery)) {
      return;
    }
    StreamCursor cursor = consumer(delivery).cursor();
    Position position = null;
    if (cursor != null) {
      position = delivery.streamPosition();
      if (position == null) {
        fail(noStream(delivery));
        return;
      }
      if (!isNext(cursor, delivery, position)) {
        return;
      }
    }
    DeliveredRecord record = convert(delivery, position);
    if (record != null) {
      if (!acknowledger.handOut(delivery, polls.get())) {
        // Its channel was lost just now: a stream must not move past what nobody got.
        return;
      }
      records.add(record);
      deduplicator.handedOut(delivery);
    }
    if (cursor != null && failure.get() == null) {
      cursor.moved(delivery.epoch(), position);
    }
  }

  private static ConnectException noStream(Delivery delivery) {
    return Fault.QUEUE_TYPE.exception(
        delivery
            + " has no x-stream-offset: the queue is not a stream. Set "
            + RabbitMQSourceConfig.QUEUE_TYPE_CONFIG
            + "=auto.",
        null);
  }

  private boolean isNext(StreamCursor cursor, Delivery delivery, Position position) {
    StreamCursor.Verdict verdict;
    try {
      verdict = cursor.arrived(delivery.epoch(), position);
    } catch (ConnectException e) {
      fail(e);
      return false;
    }
    switch (verdict) {
      case NEW -> {
        return true;
      }
      case NEW_AFTER_GAP -> {
        if (!filtered) {
          notices.warn(
              Notices.Kind.STREAM_GAP,
              () ->
                  "before offset "
                      + position
                      + " of stream '"
                      + delivery.queue()
                      + "': cut off by retention, used by a client to store its own offset, or published in compressed batches, which RabbitMQ does not deliver over AMQP 0.9.1");
        }
        return true;
      }
      case KNOWN -> {
        settlement.ack(delivery);
        return false;
      }
      case IGNORE -> {
        consumer(delivery).wake();
        return false;
      }
    }
    throw new AssertionError(verdict);
  }

  private QueueConsumer consumer(Delivery delivery) {
    return consumers.get(delivery.acknowledger());
  }

  private @Nullable DeliveredRecord convert(Delivery delivery, @Nullable Position position) {
    SourceOffsets.Place place = place(delivery, position);
    try {
      return mapper.map(delivery, place);
    } catch (DataException e) {
      return unconvertible(delivery, place, e);
    }
  }

  private @Nullable DeliveredRecord unconvertible(
      Delivery delivery, SourceOffsets.Place place, DataException why) {
    DeliveredRecord raw = raw(delivery, place);
    try {
      return settlement.isRaw(delivery, why, raw != null) ? raw : null;
    } catch (ConnectException e) {
      // The records before it still go out; the next poll fails.
      fail(e);
    }
    return null;
  }

  /** Returns the record with the body as it is, or null if there is no topic for it. */
  private @Nullable DeliveredRecord raw(Delivery delivery, SourceOffsets.Place place) {
    try {
      return mapper.mapRaw(delivery, place);
    } catch (DataException e) {
      return null;
    }
  }

  private SourceOffsets.Place place(Delivery delivery, @Nullable Position position) {
    SourceOffsets.Place inWindow = deduplicator.placeOf(delivery);
    if (inWindow != null) {
      return inWindow;
    }
    return new SourceOffsets.Place(
        partitions.get(delivery.queue()),
        position == null ? SourceOffsets.sequence(++sequence) : position.toOffset());
  }

  /**
   * Takes the framework's word about one record.
   *
   * @param produced true when Kafka has it, false when the framework dropped it
   */
  void recordCommitted(SourceRecord record, boolean produced) {
    if (record instanceof DeliveredRecord ours) {
      if (produced) {
        metrics.produced.add(1, System.nanoTime());
        if (ours.delivery().acknowledger().answer(ours.delivery())) {
          deduplicator.settled(ours.delivery());
        }
        settlement.produced(ours.delivery());
      } else {
        settleSkipped(ours.delivery());
      }
    }
  }

  private void settleSkipped(Delivery delivery) {
    if (delivery.acknowledger().answer(delivery)) {
      deduplicator.settled(delivery);
      settlement.skipped(delivery);
    }
  }

  private void retryConfirmed(Delivery delivery) {
    metrics.retried.add(1, System.nanoTime());
    settlement.ack(delivery);
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
      transactional = true;
    } else {
      deduplicator.inMemory();
    }
  }

  /** What an exactly-once worker committed without a word about it, it had dropped. */
  private void settleProven() {
    long before = provenPoll;
    if (before > 0) {
      provenPoll = 0;
      for (Acknowledger acknowledger : consumers.keySet()) {
        acknowledger.unansweredBefore(before, deduplicator::settled).forEach(this::settleSkipped);
      }
    }
  }

  /** Ends the task in order within 5 seconds, whatever the broker does. */
  @Override
  public void close() {
    metrics.close();
    long deadline = System.nanoTime() + longestClose().toNanos();
    boolean interrupted = endRetries(deadline);
    settleKnown();
    consumers.values().forEach(QueueConsumer::stop);
    // One that waits for a connection is not needed for the orderly end.
    links.stream().filter(one -> !one.isUp()).forEach(Link::close);
    interrupted |= join(consuming, deadline);
    links.forEach(Link::close);
    interrupted |= join(retrying, deadline);
    interrupted |= join(connecting, deadline);
    links.forEach(Link::abort);
    inbox.clear();
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }

  /** A copy that RabbitMQ has, of a message that goes back before the ack, would be a duplicate. */
  private boolean endRetries(long deadline) {
    if (retries == null) {
      return false;
    }
    retries.stop();
    if (!retries.link().isUp()) {
      retries.link().close();
    }
    return join(retrying, Math.min(deadline, System.nanoTime() + LAST_CONFIRM.toNanos()));
  }

  /**
   * Acks what came and what Kafka has. Given back, it could come again when it is remembered no
   * more: some queues put what they get back behind everything else.
   */
  private void settleKnown() {
    if (!deduplicator.isOn()) {
      return;
    }
    for (Delivery left = inbox.poll(); left != null; left = inbox.poll()) {
      if (left.acknowledger().isCurrent(left)) {
        deduplicator.isKnown(left);
      }
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
