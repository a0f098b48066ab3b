// SPDX-License-Identifier: Apache-2.0
package dev.rabbitbridge.connection;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.rabbitmq.client.AuthenticationFailureException;
import com.rabbitmq.client.PossibleAuthenticationFailureException;
import dev.rabbitbridge.config.ConnectionConfig;
import dev.rabbitbridge.failure.Fault;
import dev.rabbitbridge.metrics.LogLines;
import java.io.EOFException;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.kafka.common.config.AbstractConfig;
import org.apache.kafka.common.config.ConfigDef;
import org.apache.kafka.connect.errors.ConnectException;
import org.junit.jupiter.api.Test;

class OutageTest {
  private final AtomicLong clock = new AtomicLong();

  @Test
  void aBrokerThatIsAwayIsWaitedForWithGrowingDelays() { // F26
    Outage outage = outage(Map.of());
    Duration first = outage.failed(new java.net.ConnectException("refused"));

    assertThat(first).isBetween(Duration.ofMillis(400), Duration.ofMillis(600));
    for (int i = 0; i < 1000; i++) {
      clock.addAndGet(Duration.ofMinutes(1).toNanos());
      assertThat(outage.failed(new java.net.ConnectException("refused")))
          .isGreaterThan(first)
          .isLessThanOrEqualTo(Duration.ofSeconds(30));
    }
  }

  @Test
  void wrongCredentialsAtStartFailAtOnceAndNameTheSetting() { // F87
    assertThatThrownBy(() -> outage(Map.of()).failed(new AuthenticationFailureException("refused")))
        .isInstanceOf(ConnectException.class)
        .hasMessageStartingWith(Fault.PASSWORD.id() + ": ")
        .hasMessageContaining("rabbitmq.username")
        .hasMessageContaining("[localhost:5672]");
  }

  @Test
  void refusedLoginsWhileRunningAreTriedAFewTimes() { // F87
    Outage outage = outage(Map.of());
    outage.ended();
    for (int i = 0; i < 4; i++) {
      assertThat(outage.failed(new AuthenticationFailureException("refused"))).isPositive();
    }

    assertThatThrownBy(() -> outage.failed(new AuthenticationFailureException("refused")))
        .isInstanceOf(ConnectException.class);
  }

  @Test
  void aSocketClosedDuringTheLoginIsABrokerGoingDown() { // F87
    Outage outage = outage(Map.of());

    for (int i = 0; i < 100; i++) {
      assertThat(outage.failed(new PossibleAuthenticationFailureException(new EOFException())))
          .isPositive();
    }
  }

  @Test
  void theConfiguredLongestOutageEndsInAFailure() { // F52
    Outage outage = outage(Map.of(ConnectionConfig.UNAVAILABLE_TIMEOUT_CONFIG, "60000"));
    outage.failed(new java.net.ConnectException("refused"));
    clock.addAndGet(Duration.ofSeconds(61).toNanos());

    assertThatThrownBy(() -> outage.failed(new java.net.ConnectException("refused")))
        .isInstanceOf(ConnectException.class)
        .hasMessageStartingWith(Fault.UNAVAILABLE.id() + ": ")
        .hasMessageContaining("for 61.0 s (")
        .hasMessageContaining(ConnectionConfig.UNAVAILABLE_TIMEOUT_CONFIG);
  }

  @Test
  void anOutageThatEndedDoesNotCountForTheNext() {
    Outage outage = outage(Map.of(ConnectionConfig.UNAVAILABLE_TIMEOUT_CONFIG, "60000"));
    outage.failed(new java.net.ConnectException("refused"));
    outage.ended();
    clock.addAndGet(Duration.ofSeconds(61).toNanos());

    assertThat(outage.failed(new java.net.ConnectException("refused")))
        .isBetween(Duration.ofMillis(400), Duration.ofMillis(600));
  }

  @Test
  void anOutageOfTenMinutesIsALineAMinute() {
    try (LogLines log = new LogLines(Outage.class)) {
      Outage outage = outage(Map.of());
      long end = Duration.ofMinutes(10).toNanos();
      int attempts = 0;
      while (clock.get() < end) {
        clock.addAndGet(outage.failed(new java.net.ConnectException("refused")).toNanos());
        attempts++;
      }
      outage.ended();

      assertThat(attempts).isGreaterThan(20);
      assertThat(log.lines()).hasSizeBetween(8, 12);
      assertThat(log.lines().subList(0, log.lines().size() - 1))
          .allMatch(line -> line.startsWith("WARNING orders-0: no connection to RabbitMQ"))
          .allMatch(line -> line.endsWith(Fault.UNAVAILABLE.toString()));
      assertThat(log.lines())
          .last()
          .asString()
          .startsWith(
              "INFO orders-0: connected to RabbitMQ after " + attempts + " failed attempts in ")
          .matches(".* in 6\\d\\d\\.\\d s");
    }
  }

  @Test
  void anOutageIsTimedInMillisecondsOrSeconds() {
    assertThat(saidAfter(Duration.ofMillis(120))).endsWith("1 failed attempts in 120 ms");
    assertThat(saidAfter(Duration.ofMillis(999))).endsWith("in 999 ms");
    assertThat(saidAfter(Duration.ofMillis(29_240))).endsWith("in 29.2 s");
    assertThat(saidAfter(Duration.ofHours(1))).endsWith("in 3600.0 s");
  }

  private String saidAfter(Duration away) {
    Outage outage = outage(Map.of());
    outage.failed(new java.net.ConnectException("refused"));
    clock.addAndGet(away.toNanos());
    try (LogLines log = new LogLines(Outage.class)) {
      outage.ended();
      return log.lines().get(0);
    }
  }

  private Outage outage(Map<String, String> props) {
    AbstractConfig config =
        new AbstractConfig(ConnectionConfig.addTo(new ConfigDef()), props, false);
    return new Outage(new ConnectionConfig(config), "orders-0", clock::get);
  }
}
