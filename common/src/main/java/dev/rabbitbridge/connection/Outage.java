// SPDX-License-Identifier: Apache-2.0
package dev.rabbitbridge.connection;

import dev.rabbitbridge.config.ConnectionConfig;
import dev.rabbitbridge.failure.Backoff;
import dev.rabbitbridge.failure.ErrorClassifier;
import dev.rabbitbridge.failure.Failure;
import dev.rabbitbridge.failure.Fault;
import dev.rabbitbridge.failure.Stage;
import java.time.Duration;
import java.util.Locale;
import java.util.function.LongSupplier;
import org.apache.kafka.connect.errors.ConnectException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Decides, each time the broker could not be reached, whether to wait or to give up, and says so.
 *
 * <p>The broker being away is not an error of the task. What a person has to mend is one: at once
 * at start, and after a few attempts later, because a broker that is coming up can refuse logins
 * for a moment.
 *
 * <h2>Threading</h2>
 *
 * Not thread safe: for the one thread that connects.
 */
public final class Outage {
  private static final Logger LOG = LoggerFactory.getLogger(Outage.class);
  private static final int REFUSALS_WHILE_RUNNING = 5;
  private static final Duration BETWEEN_WARNINGS = Duration.ofMinutes(1);

  private final ConnectionConfig config;
  private final String connectionName;
  private final Backoff backoff;
  private final LongSupplier nanoTime;
  private Stage stage = Stage.START;
  private int attempts;
  private int refusals;
  private long since;
  private long warnedAt;

  /**
   * Creates the state of a task that has not been connected yet.
   *
   * @param config the back-off and the longest outage
   * @param connectionName for the log
   */
  public Outage(ConnectionConfig config, String connectionName) {
    this(config, connectionName, System::nanoTime);
  }

  Outage(ConnectionConfig config, String connectionName, LongSupplier nanoTime) {
    this.config = config;
    this.connectionName = connectionName;
    this.backoff = new Backoff(config.reconnectBackoff(), config.reconnectBackoffMax());
    this.nanoTime = nanoTime;
  }

  /** Notes that the broker was reached and everything on it is set up. */
  public void ended() {
    if (attempts > 0) {
      LOG.info(
          "{}: connected to RabbitMQ after {} failed attempts in {}",
          connectionName,
          attempts,
          text(lasted()));
    }
    stage = Stage.RUNNING;
    attempts = 0;
    refusals = 0;
  }

  /**
   * Notes a failed attempt, or the loss of the connection.
   *
   * @param error what was thrown
   * @return how long to wait before the next attempt
   * @throws ConnectException with one sentence for the user, when trying again cannot help or has
   *     lasted too long
   */
  public Duration failed(Throwable error) {
    Failure failure = ErrorClassifier.classify(error, stage);
    if (attempts++ == 0) {
      since = nanoTime.getAsLong();
    }
    if (failure.isFatal() && (stage == Stage.START || ++refusals >= REFUSALS_WHILE_RUNNING)) {
      Advice advice = Advice.of(failure, config);
      throw advice.fault().exception(advice.sentence(), error);
    }
    Duration longest = config.unavailableTimeout();
    if (longest != null && lasted().compareTo(longest) >= 0) {
      throw Fault.UNAVAILABLE.exception(
          "RabbitMQ could not be reached for "
              + text(lasted())
              + " ("
              + failure
              + "); "
              + ConnectionConfig.UNAVAILABLE_TIMEOUT_CONFIG
              + " sets how long to try",
          error);
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
          "{}: no connection to RabbitMQ at {} for {} ({}); attempt {} in {} ms, and so on until it is back {}",
          connectionName,
          config.addresses(),
          text(lasted()),
          Advice.withHint(failure, config, stage),
          attempts,
          delay.toMillis(),
          failure.isFatal() ? Advice.of(failure, config).fault() : Fault.UNAVAILABLE);
    }
  }

  private static String text(Duration duration) {
    long millis = duration.toMillis();
    return millis < 1000 ? millis + " ms" : String.format(Locale.ROOT, "%.1f s", millis / 1000.0);
  }

  private Duration lasted() {
    return Duration.ofNanos(nanoTime.getAsLong() - since);
  }
}
