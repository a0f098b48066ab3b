// SPDX-License-Identifier: Apache-2.0
package dev.rabbitbridge.source;

import com.rabbitmq.client.AMQP;
import dev.rabbitbridge.config.ConnectionConfig;
import dev.rabbitbridge.failure.Backoff;
import dev.rabbitbridge.failure.ErrorClassifier;
import dev.rabbitbridge.failure.Failure;
import dev.rabbitbridge.failure.Fault;
import dev.rabbitbridge.failure.Stage;
import java.time.Duration;
import java.util.function.LongSupplier;
import org.apache.kafka.connect.errors.ConnectException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Decides, each time a queue could not be consumed although the connection is fine, whether to wait
 * or to give up, and says so.
 *
 * <p>Not thread safe: for the thread of the queue's consumer.
 */
final class QueueOutage {
  private static final Logger LOG = LoggerFactory.getLogger(QueueOutage.class);
  private static final int ATTEMPTS = 5;
  private static final Duration BETWEEN_WARNINGS = Duration.ofMinutes(1);

  private final String task;
  private final String queue;
  private final QueueFailureTolerance tolerance;
  private final QueueType type;
  private final boolean exclusive;
  private final Backoff backoff;
  private final LongSupplier nanoTime;
  private Stage stage = Stage.START;
  private int attempts;
  private long warnedAt;

  QueueOutage(String task, String queue, RabbitMQSourceConfig config, LongSupplier nanoTime) {
    this.task = task;
    this.queue = queue;
    this.tolerance = config.failureTolerance();
    this.type = config.queueType();
    this.exclusive = config.consumerExclusive();
    this.backoff =
        new Backoff(
            config.connection().reconnectBackoff(), config.connection().reconnectBackoffMax());
    this.nanoTime = nanoTime;
  }

  /** Notes that the queue is consumed; later trouble may pass by itself. */
  void subscribed() {
    LOG.info("{}: consuming queue '{}'", task, queue);
    stage = Stage.RUNNING;
  }

  /** Notes that messages of the queue are getting through. */
  void moved() {
    attempts = 0;
  }

  /**
   * Notes a failed attempt, or the loss of the consumer.
   *
   * @return how long to wait before the next attempt
   * @throws ConnectException with one sentence for the user, when the task has to fail
   */
  Duration failed(Throwable error) {
    Failure failure = ErrorClassifier.classify(error, stage);
    attempts++;
    // Of a stream, the next node may have a replica.
    boolean hopeless =
        stage == Stage.START
            && (failure.isFatal() || (type == QueueType.AUTO && isRefusedConsume(failure)))
            && !isTaken(failure);
    if (tolerance == QueueFailureTolerance.FAIL_FAST && (attempts > ATTEMPTS || hopeless)) {
      throw fault(failure).exception(sentence(failure), error);
    }
    Duration delay = backoff.delay(attempts);
    warn(failure, delay);
    return delay;
  }

  private void warn(Failure failure, Duration delay) {
    long now = nanoTime.getAsLong();
    if (attempts == 1 || now - warnedAt >= BETWEEN_WARNINGS.toNanos()) {
      warnedAt = now;
      LOG.warn(
          "{}: queue '{}' cannot be consumed ({}); attempt {} in {} ms, and so on {}",
          task,
          queue,
          failure,
          attempts,
          delay.toMillis(),
          fault(failure));
    }
  }

  /**
   * The broker says 403 while another consumer has the queue, too; it may be one that just died.
   */
  private boolean isTaken(Failure failure) {
    return exclusive && failure.replyCode() == AMQP.ACCESS_REFUSED;
  }

  private static boolean isRefusedConsume(Failure failure) {
    return failure.replyCode() == AMQP.PRECONDITION_FAILED;
  }

  private static Fault fault(Failure failure) {
    return isRefusedConsume(failure) ? Fault.QUEUE_TYPE : Fault.QUEUE;
  }

  private String sentence(Failure failure) {
    if (isRefusedConsume(failure)) {
      return "Queue '"
          + queue
          + "' does not take such a consumer: "
          + failure
          + (type == QueueType.AUTO ? ". If it is a stream, set " : ". If it is no stream, set ")
          + RabbitMQSourceConfig.QUEUE_TYPE_CONFIG
          + (type == QueueType.AUTO ? "=stream." : "=auto.");
    }
    return "Queue '"
        + queue
        + "' cannot be consumed: "
        + failure
        + ". Check that it exists in "
        + ConnectionConfig.VIRTUAL_HOST_CONFIG
        + " and that "
        + ConnectionConfig.USERNAME_CONFIG
        + " may read it; "
        + RabbitMQSourceConfig.FAILURE_TOLERANCE_CONFIG
        + "=skip-and-continue keeps trying.";
  }
}
