// SPDX-License-Identifier: Apache-2.0
package dev.rabbitbridge.source;

import dev.rabbitbridge.failure.Failure;
import dev.rabbitbridge.failure.Fault;
import java.util.function.Consumer;
import org.apache.kafka.connect.errors.ConnectException;
import org.apache.kafka.connect.errors.DataException;

/**
 * Settles messages: with an ack where Kafka has the record, and as configured where it never will,
 * which it says in the log.
 *
 * <h2>Threading</h2>
 *
 * {@link #isOverLimit} and {@link #isRaw} belong to the task's thread; any may call the others.
 */
final class Settlement {
  // Quorum queues drop a message after 20 deliveries in vain, unless told otherwise.
  private static final long NEAR_LIMIT = 15;

  private final RabbitMQSourceConfig config;
  private final Notices notices;
  private final RedeliveryCounts redeliveries;
  private final Consumer<Delivery> wake;
  private final Consumer<Delivery> retry;

  /**
   * Creates a settlement for the queues of a task.
   *
   * @param wake told of a message whose consumer should look at once whether words are due
   * @param retry told of a message that has to come again after the delay
   */
  Settlement(
      RabbitMQSourceConfig config,
      Notices notices,
      Consumer<Delivery> wake,
      Consumer<Delivery> retry) {
    this.config = config;
    this.notices = notices;
    this.redeliveries = new RedeliveryCounts(2 * config.prefetch() * config.queues().size());
    this.wake = wake;
    this.retry = retry;
  }

  /** Settles a message that Kafka has the record of. */
  void produced(Delivery delivery) {
    // One whose channel was lost comes back, and may do so over and over.
    if (delivery.acknowledger().isCurrent(delivery)) {
      redeliveries.forget(delivery);
    }
    ack(delivery);
  }

  /** Settles a message that is done. */
  void ack(Delivery delivery) {
    settle(delivery, false);
  }

  private void settle(Delivery delivery, boolean reject) {
    Acknowledger acknowledger = delivery.acknowledger();
    if (reject ? acknowledger.reject(delivery) : acknowledger.ack(delivery)) {
      wake.accept(delivery);
    }
  }

  /** Settles a message that was delivered too often, before it reaches Kafka. */
  boolean isOverLimit(Delivery delivery) {
    Long counted = delivery.deliveryCount();
    if (counted != null && counted >= NEAR_LIMIT) {
      notices.warn(Notices.Kind.NEAR_LIMIT, () -> delivery + ", x-delivery-count " + counted);
    }
    int limit = config.deliveryLimit();
    if (limit == 0) {
      return false;
    }
    long deliveries = delivery.retries() + (counted != null ? counted : ownCount(delivery));
    if (deliveries <= limit) {
      return false;
    }
    notices.warn(
        Notices.Kind.DELIVERY_LIMIT,
        () ->
            delivery
                + ", "
                + deliveries
                + " times before; rejected without requeue since "
                + RabbitMQSourceConfig.DELIVERY_LIMIT_CONFIG
                + " is "
                + limit);
    settle(delivery, true);
    return true;
  }

  private long ownCount(Delivery delivery) {
    // A quorum queue that counts, but has nothing to count against this message.
    boolean counts = delivery.headers().containsKey("x-acquired-count");
    return counts ? 0 : redeliveries.of(delivery);
  }

  /**
   * Settles a message that cannot become a record, unless it is to be passed on as bytes.
   *
   * @param hasTopic whether there is a topic to pass it on to
   * @return true if it is to be passed on
   * @throws ConnectException if the task has to fail
   */
  boolean isRaw(Delivery delivery, DataException why, boolean hasTopic) {
    String what = delivery + ": " + Failure.messageOf(why);
    switch (config.recordErrorBehavior()) {
      case FAIL ->
          throw Fault.UNCONVERTIBLE.exception(
              what
                  + ". "
                  + RabbitMQSourceConfig.RECORD_ERROR_CONFIG
                  + (hasTopic ? " = reject, ack or raw" : " = reject or ack")
                  + " would let the task go on.",
              why);
      case REJECT -> {
        notices.warn(Notices.Kind.RECORD_ERROR, () -> what + "; rejected without requeue");
        settle(delivery, true);
        return false;
      }
      case ACK -> {
        notices.warn(Notices.Kind.RECORD_ERROR, () -> what + "; acked and dropped");
        settle(delivery, false);
        return false;
      }
      case RAW -> {
        if (!hasTopic) {
          throw Fault.NO_TOPIC.exception(what + ". Without a topic it cannot be passed on.", why);
        }
        notices.warn(Notices.Kind.RECORD_ERROR, () -> what + "; passed on as bytes");
        return true;
      }
    }
    throw new AssertionError(config.recordErrorBehavior());
  }

  /** Settles a message whose record the framework dropped. */
  void skipped(Delivery delivery) {
    switch (config.skippedRecordBehavior()) {
      case ACK -> skipped(delivery, false, "acked");
      case REJECT -> skipped(delivery, true, "rejected without requeue");
      case RETRY -> {
        int attempt = delivery.retries() + 1;
        if (attempt > config.retryMax()) {
          skipped(delivery, true, "rejected without requeue after the last retry");
        } else {
          notices.warn(Notices.Kind.SKIPPED, () -> delivery + "; retry " + attempt);
          retry.accept(delivery);
        }
      }
    }
  }

  /**
   * Settles a message that has to come again after the delay, and of which there can be no copy.
   */
  void unretriable(Delivery delivery, String why) {
    skipped(delivery, true, "rejected without requeue, as it cannot be copied for a retry: " + why);
  }

  private void skipped(Delivery delivery, boolean reject, String how) {
    notices.warn(Notices.Kind.SKIPPED, () -> delivery + "; " + how);
    settle(delivery, reject);
  }
}
