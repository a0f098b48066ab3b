// SPDX-License-Identifier: Apache-2.0
package dev.rabbitbridge.source;

import com.rabbitmq.client.AMQP;
import com.rabbitmq.client.ShutdownSignalException;
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
  private static final Duration HEALTHY = Duration.ofMinutes(1);

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
  private long subscribedAt;

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
    subscribedAt = nanoTime.getAsLong();
  }

  /**
   * Notes that the consumer was lost while it had no message that is not acked. If it had lasted,
   * the queue was idle and all was well: losses that are weeks apart are not attempts in a row.
   */
  void lostIdle() {
    if (stage == Stage.RUNNING && nanoTime.getAsLong() - subscribedAt >= HEALTHY.toNanos()) {
      attempts = 0;
    }
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
    Cause cause = cause(error);
    attempts++;
    // Of a stream, the next node may have a replica.
    boolean hopeless =
        stage == Stage.START
            && (failure.isFatal() || (type == QueueType.AUTO && cause == Cause.REFUSED))
            && !isTaken(failure);
    // With its node the queue comes back, as all others do after an outage of RabbitMQ.
    boolean givesUp = attempts > ATTEMPTS && !ErrorClassifier.isNodeAway(failure);
    if (tolerance == QueueFailureTolerance.FAIL_FAST && (givesUp || hopeless)) {
      throw cause.fault.exception(sentence(failure, cause), error);
    }
    Duration delay = backoff.delay(attempts);
    warn(failure, cause, delay);
    return delay;
  }

  private void warn(Failure failure, Cause cause, Duration delay) {
    long now = nanoTime.getAsLong();
    if (attempts == 1 || now - warnedAt >= BETWEEN_WARNINGS.toNanos()) {
      warnedAt = now;
      LOG.warn(
          "{}: queue '{}' cannot be consumed ({}{}); attempt {} in {} ms, and so on {}",
          task,
          queue,
          failure,
          cause == Cause.OTHER ? "" : ". " + advice(cause),
          attempts,
          delay.toMillis(),
          cause.fault);
    }
  }

  /**
   * The broker says 403 while another consumer has the queue, too; it may be one that just died.
   */
  private boolean isTaken(Failure failure) {
    return exclusive && failure.replyCode() == AMQP.ACCESS_REFUSED;
  }

  /** Tells whether RabbitMQ would not have such a consumer on this queue, or on this node. */
  static boolean isRefusedConsume(Throwable error) {
    return cause(error) == Cause.REFUSED;
  }

  private static Cause cause(Throwable error) {
    for (Throwable t = error; t != null; t = t.getCause()) {
      if (t instanceof ShutdownSignalException signal
          && signal.getReason() instanceof AMQP.Channel.Close close
          && close.getReplyCode() == AMQP.PRECONDITION_FAILED) {
        return Cause.of(close.getClassId(), close.getMethodId());
      }
    }
    return Cause.OTHER;
  }

  /** What RabbitMQ dislikes when it closes the channel with 406. */
  private enum Cause {
    REFUSED(Fault.QUEUE_TYPE),
    LATE_ACKS(Fault.ACKS),
    UNKNOWN_ACK(Fault.ACKS),
    OTHER(Fault.QUEUE);

    private static final int BASIC_CLASS = 60;
    private static final int CONSUME = 20;
    private static final int ACK = 80;
    private static final int REJECT = 90;
    private static final int NACK = 120;

    private final Fault fault;

    Cause(Fault fault) {
      this.fault = fault;
    }

    static Cause of(int classId, int methodId) {
      if (classId == 0) {
        // Over nothing that was sent to it: it has waited too long.
        return LATE_ACKS;
      }
      if (classId != BASIC_CLASS) {
        return OTHER;
      }
      return switch (methodId) {
        case CONSUME -> REFUSED;
        case ACK, REJECT, NACK -> UNKNOWN_ACK;
        default -> OTHER;
      };
    }
  }

  private String advice(Cause cause) {
    return switch (cause) {
      case REFUSED ->
          type == QueueType.AUTO
              ? "If it is a stream, set " + RabbitMQSourceConfig.QUEUE_TYPE_CONFIG + "=stream"
              : "If it is no stream, set " + RabbitMQSourceConfig.QUEUE_TYPE_CONFIG + "=auto";
      case LATE_ACKS ->
          "Kafka did not confirm records, or the task was paused, for longer than RabbitMQ's consumer_timeout. See what keeps Kafka from it, or raise consumer_timeout in rabbitmq.conf";
      case UNKNOWN_ACK ->
          "RabbitMQ does not know the delivery that was acked. What it has no ack for is delivered again; if this comes again, see whether something between the two changes what they send";
      case OTHER ->
          "Check that it exists in "
              + ConnectionConfig.VIRTUAL_HOST_CONFIG
              + " and that "
              + ConnectionConfig.USERNAME_CONFIG
              + " may read it; "
              + RabbitMQSourceConfig.FAILURE_TOLERANCE_CONFIG
              + "=skip-and-continue keeps trying";
    };
  }

  private String sentence(Failure failure, Cause cause) {
    return "Queue '"
        + queue
        + (cause == Cause.REFUSED ? "' does not take such a consumer: " : "' cannot be consumed: ")
        + failure
        + ". "
        + advice(cause)
        + ".";
  }
}
