// SPDX-License-Identifier: Apache-2.0
package dev.rabbitbridge.source;

import static java.lang.Boolean.TRUE;

import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Leaves out redeliveries of what Kafka has, or will have: the windows of all queues of a task.
 * Without {@code rabbitmq.deduplication} there is no window, and nothing is left out.
 *
 * <h2>Threading</h2>
 *
 * Thread safe once all queues are added.
 */
final class Deduplicator {
  private static final Logger LOG = LoggerFactory.getLogger(RabbitMQSourceTask.class);
  private static final String SINGLE_ACTIVE_CONSUMER = "x-single-active-consumer";

  private final String name;
  private final RabbitMQSourceConfig config;
  private final Settlement settlement;
  private final SourceMetrics metrics;
  private final Map<Acknowledger, SettledWindow> windows = new HashMap<>();
  private final AtomicBoolean saidInMemory = new AtomicBoolean();

  Deduplicator(
      String name, RabbitMQSourceConfig config, Settlement settlement, SourceMetrics metrics) {
    this.name = name;
    this.config = config;
    this.settlement = settlement;
    this.metrics = metrics;
    if (isOn() && !TRUE.equals(config.topology().queueArguments().get(SINGLE_ACTIVE_CONSUMER))) {
      LOG.warn(
          "{}: {} counts on being the only consumer of {}; declare the queue with {} to make sure of it",
          name,
          RabbitMQSourceConfig.DEDUPLICATION_CONFIG,
          config.queues(),
          SINGLE_ACTIVE_CONSUMER);
    }
  }

  boolean isOn() {
    return config.deduplication() == Deduplication.MESSAGE_ID;
  }

  /**
   * Adds a queue.
   *
   * @param stored gives the offsets that Connect has kept for source partitions
   */
  void add(
      String queue,
      Acknowledger acknowledger,
      Function<List<Map<String, String>>, Collection<? extends Map<String, ?>>> stored) {
    if (isOn()) {
      SettledWindow window = new SettledWindow(config.partition(queue), stored);
      windows.put(acknowledger, window);
      LOG.info(
          "{}: {} messages of queue '{}' are known to be in Kafka", name, window.size(), queue);
    }
  }

  /** Tells whether Kafka has a message, or will have it; then it is settled with its first copy. */
  boolean isKnown(Delivery delivery) {
    SettledWindow window = window(delivery);
    if (window == null) {
      return false;
    }
    delivery.identify();
    if (delivery.redelivered() && delivery.identity() == null) {
      metrics.unidentified.add(1, System.nanoTime());
    }
    SettledWindow.Verdict verdict = window.admit(delivery);
    if (verdict == SettledWindow.Verdict.PRODUCE) {
      return false;
    }
    metrics.deduplicated.add(1, System.nanoTime());
    if (verdict == SettledWindow.Verdict.ACK) {
      settlement.ack(delivery);
    }
    return true;
  }

  /** Returns where a record stands in its window; null without one. */
  SourceOffsets.@Nullable Place placeOf(Delivery delivery) {
    SettledWindow window = window(delivery);
    return window == null ? null : window.placeOf(delivery);
  }

  void handedOut(Delivery delivery) {
    SettledWindow window = window(delivery);
    if (window != null) {
      window.handedOut(delivery);
    }
  }

  /** Settles the redeliveries of a message that came while its record was on its way. */
  void settled(Delivery delivery) {
    SettledWindow window = window(delivery);
    if (window != null) {
      window.settled(delivery).forEach(copy -> settlement.ack(copy));
    }
  }

  /** Says, once, that this worker does not keep the windows together with the records. */
  void inMemory() {
    if (isOn() && !saidInMemory.getAndSet(true)) {
      LOG.warn(
          "{}: this worker runs without exactly.once.source.support=enabled, so that {} holds while the task runs, but not across a crash",
          name,
          RabbitMQSourceConfig.DEDUPLICATION_CONFIG);
    }
  }

  private @Nullable SettledWindow window(Delivery delivery) {
    return windows.get(delivery.acknowledger());
  }
}
