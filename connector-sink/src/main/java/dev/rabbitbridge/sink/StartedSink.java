// SPDX-License-Identifier: Apache-2.0
package dev.rabbitbridge.sink;

import dev.rabbitbridge.connection.BrokerConnector;
import dev.rabbitbridge.connection.Outage;
import dev.rabbitbridge.connection.Topology;
import dev.rabbitbridge.failure.Failure;
import dev.rabbitbridge.failure.Fault;
import dev.rabbitbridge.sink.RabbitMQSinkConfig.ConfirmMode;
import dev.rabbitbridge.sink.RabbitMQSinkConfig.NullValue;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Collection;
import java.util.Deque;
import java.util.HashMap;
import java.util.Map;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.connect.errors.ConnectException;
import org.apache.kafka.connect.errors.DataException;
import org.apache.kafka.connect.sink.SinkRecord;
import org.apache.kafka.connect.sink.SinkTaskContext;

/**
 * A running task: takes records in, keeps the framework's consumer at the pace of the broker, and
 * says which offsets are done.
 *
 * <p>Invariant: an offset is offered for commit only when every record below it was confirmed by
 * RabbitMQ, or its report to the dead letter topic is complete, or it was to be ignored.
 *
 * <h2>Threading</h2>
 *
 * For the task thread only. Nothing here waits on the socket.
 */
final class StartedSink {
  /**
   * Long enough for a window to drain, short enough for the framework to pause, stop or rebalance
   * the task meanwhile.
   */
  private static final Duration LONGEST_PUT = Duration.ofSeconds(1);

  /**
   * How soon the framework calls put again, with nothing: while records are held back, and else, to
   * notice what went wrong.
   */
  private static final long HELD_BACK_MILLIS = 100;

  private static final long IDLE_MILLIS = 1000;
  private static final Duration LONGEST_WAIT = Duration.ofMillis(HELD_BACK_MILLIS);

  /** With the writer's end in {@link #stop}, less than the framework waits for a task to stop. */
  private static final Duration LONGEST_START = Duration.ofSeconds(2);

  private final SinkTaskContext context;
  private final RecordEncoder encoder;
  private final Outbox outbox;
  private final Publisher publisher;
  private final RecordErrors errors;
  private final NullValue nullValue;
  private final boolean batch;
  private final int window;
  private final Duration shutdownTimeout;
  private final SinkMetrics metrics;
  private final OffsetLedger ledger = new OffsetLedger();
  private final Deque<InFlight> backlog = new ArrayDeque<>();
  private final Deque<InFlight> refused = new ArrayDeque<>();

  /**
   * The last positions and offered offsets of preCommit, until put is called: together with them
   * close is part of a commit.
   */
  private Map<TopicPartition, OffsetAndMetadata> positions = Map.of();

  private Map<TopicPartition, OffsetAndMetadata> offered = new HashMap<>();
  private boolean paused;

  /** What would be published again if the worker died now, besides what is in flight. */
  private int doneSinceCommit;

  /** For whoever reads the metrics: how many records are not done, as of the last call. */
  private volatile int pending;

  StartedSink(
      SinkTaskContext context,
      RabbitMQSinkConfig config,
      Outbox outbox,
      Publisher publisher,
      SinkMetrics metrics) {
    this.context = context;
    this.encoder = new RecordEncoder(config);
    this.outbox = outbox;
    this.publisher = publisher;
    this.errors =
        new RecordErrors(context.errantRecordReporter(), publisher.name(), metrics.recordErrors);
    this.nullValue = config.nullValue();
    this.batch = config.confirmMode() == ConfirmMode.BATCH;
    this.window = config.maxInFlight();
    this.shutdownTimeout = config.connection().shutdownTimeout();
    this.metrics = metrics;
  }

  static StartedSink start(
      SinkTaskContext context, RabbitMQSinkConfig config, Map<String, String> props) {
    String connectorName = props.getOrDefault("name", "rabbitmq-sink");
    String task = props.getOrDefault(RabbitMQSinkConfig.TASK_ID, "0");
    BrokerConnector connector = new BrokerConnector(config.connection(), connectorName, task);
    SinkMetrics metrics = new SinkMetrics(connectorName, task);
    Outbox outbox = new Outbox(connector.name(), config, metrics, System::nanoTime);
    boolean mandatory = config.mandatory();
    Topology topology = config.topology();
    Publisher publisher =
        new Publisher(
            connector.name(),
            outbox,
            (epoch, words) -> AmqpPublishChannel.open(connector, topology, mandatory, epoch, words),
            new Outage(config.connection(), connector.name()),
            config,
            metrics);
    StartedSink sink = new StartedSink(context, config, outbox, publisher, metrics);
    sink.run();
    return sink;
  }

  /**
   * Begins to publish; from here on {@link #stop} has to be called, unless this throws.
   *
   * @throws ConnectException when RabbitMQ refuses at once, because the first line of a failed
   *     task's trace is then ours: what put throws the framework wraps in a sentence of its own
   */
  void run() {
    try {
      publisher.start(LONGEST_START);
      metrics.publish(context, outbox, publisher, () -> pending);
      failIfPublisherDid();
    } catch (InterruptedException e) {
      stop();
      Thread.currentThread().interrupt();
      throw Fault.INTERRUPTED.exception("interrupted while connecting", e);
    } catch (ConnectException e) {
      stop();
      throw e;
    }
  }

  /**
   * Takes partitions over, with nothing left of an earlier time that this task may have had them.
   */
  void open(Collection<TopicPartition> partitions) {
    partitions.forEach(this::forget);
  }

  void put(Collection<SinkRecord> records) {
    positions = Map.of();
    takeOutcomes();
    for (SinkRecord record : records) {
      accept(record);
    }
    handOver();
    pending = ledger.pending();
    if (doneSinceCommit >= window) {
      context.requestCommit();
    }
    failIfPublisherDid();
  }

  private void accept(SinkRecord record) {
    InFlight item = ledger.track(record);
    if (item == null) {
      return;
    }
    if (record.value() == null && nullValue == NullValue.IGNORE) {
      settle(item);
      return;
    }
    try {
      if (record.value() == null && nullValue == NullValue.FAIL) {
        throw new DataException(
            "it has no value, and " + RabbitMQSinkConfig.NULL_VALUE_CONFIG + " is fail");
      }
      item.message = encoder.encode(record);
      backlog.add(item);
    } catch (DataException e) {
      item.refusal = Failure.messageOf(e);
      refused.add(item);
    }
  }

  /**
   * Gives the publisher what fits its window; what does not is kept, and the partitions are paused
   * until it is gone.
   */
  private void handOver() {
    long deadline = System.nanoTime() + LONGEST_PUT.toNanos();
    while (true) {
      reportRefused();
      offer();
      publisher.watch();
      long left = deadline - System.nanoTime();
      if (!isHeldBack() || left <= 0 || publisher.failure() != null) {
        break;
      }
      await(left);
      takeOutcomes();
    }
    if (isHeldBack()) {
      pause();
      context.timeout(HELD_BACK_MILLIS);
    } else {
      resume();
      context.timeout(IDLE_MILLIS);
    }
  }

  /**
   * Gives the publisher no more than a window beyond the lowest record that is not done: the rest
   * would be published twice if the task died now, and could not be let go of meanwhile.
   */
  private void offer() {
    int beyond = ledger.span() - backlog.size();
    outbox.offer(backlog, window - beyond);
  }

  private boolean isHeldBack() {
    return !backlog.isEmpty() || (batch && outbox.pending() > 0);
  }

  private void pause() {
    // Again each time: a rebalance may have brought partitions that flow.
    context.pause(context.assignment().toArray(TopicPartition[]::new));
    paused = true;
  }

  private void resume() {
    if (paused) {
      context.resume(context.assignment().toArray(TopicPartition[]::new));
      paused = false;
    }
  }

  /** Waits for an outcome, but not so long that reports and the clock are forgotten. */
  private void await(long nanos) {
    try {
      outbox.awaitSettled(Duration.ofNanos(Math.min(nanos, LONGEST_WAIT.toNanos())));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw Fault.INTERRUPTED.exception("interrupted while waiting for confirms", e);
    }
  }

  private void takeOutcomes() {
    for (InFlight item : outbox.takeSettled()) {
      if (item.refusal == null || item.orphaned) {
        settle(item);
      } else {
        refused.add(item);
      }
    }
  }

  private void settle(InFlight item) {
    ledger.settle(item);
    doneSinceCommit++;
  }

  private void reportRefused() {
    for (InFlight item = refused.poll(); item != null; item = refused.poll()) {
      if (!item.orphaned) {
        errors.report(item, String.valueOf(item.refusal));
      }
    }
    errors.takeDone(this::settle);
    errors.failIfOneDid();
  }

  private void failIfPublisherDid() {
    ConnectException failure = publisher.failure();
    if (failure != null) {
      throw failure;
    }
  }

  /**
   * Returns the map that {@link #close} may yet raise: the framework reads it only after it has
   * closed the partitions.
   */
  Map<TopicPartition, OffsetAndMetadata> preCommit(Map<TopicPartition, OffsetAndMetadata> current) {
    publisher.watch();
    takeOutcomes();
    errors.takeDone(this::settle);
    positions = current;
    offered = new HashMap<>(current);
    offered.replaceAll(this::committable);
    doneSinceCommit = 0;
    pending = ledger.pending();
    return offered;
  }

  private OffsetAndMetadata committable(TopicPartition partition, OffsetAndMetadata current) {
    long offset = ledger.committable(partition, current.offset());
    return offset == current.offset() ? current : new OffsetAndMetadata(offset);
  }

  /**
   * Lets go of partitions: waits for what they have in flight, raises the offsets that are about to
   * be committed, and leaves the rest to the next owner. When no commit is under way, because the
   * partitions were lost, there is nothing to wait for.
   */
  void close(Collection<TopicPartition> partitions) {
    if (!positions.isEmpty()) {
      drain(partitions);
    }
    for (TopicPartition partition : partitions) {
      OffsetAndMetadata position = positions.get(partition);
      if (position != null) {
        offered.put(partition, committable(partition, position));
      }
      forget(partition);
    }
  }

  private void forget(TopicPartition partition) {
    ledger.forget(partition);
    backlog.removeIf(item -> item.orphaned);
    refused.removeIf(item -> item.orphaned);
  }

  private void drain(Collection<TopicPartition> partitions) {
    long deadline = System.nanoTime() + shutdownTimeout.toNanos();
    takeOutcomes();
    while (publisher.isFlowing()
        && outbox.pending() + backlog.size() > 0
        && !partitions.stream().allMatch(ledger::isDone)) {
      long left = deadline - System.nanoTime();
      if (left <= 0) {
        return;
      }
      offer();
      await(left);
      publisher.watch();
      takeOutcomes();
    }
  }

  void stop() {
    metrics.close();
    publisher.close();
  }
}
