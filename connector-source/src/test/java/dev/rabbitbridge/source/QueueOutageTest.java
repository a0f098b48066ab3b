// SPDX-License-Identifier: Apache-2.0
package dev.rabbitbridge.source;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.rabbitmq.client.AMQP;
import com.rabbitmq.client.ShutdownSignalException;
import com.rabbitmq.client.impl.AMQImpl;
import dev.rabbitbridge.failure.Fault;
import dev.rabbitbridge.metrics.LogLines;
import java.io.IOException;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;
import org.apache.kafka.connect.errors.ConnectException;
import org.junit.jupiter.api.Test;

class QueueOutageTest {
  private static final int CONSUME = 20;

  @Test
  void aMissingQueueAtStartFailsAtOnceAndIsNamed() { // F23
    assertThatThrownBy(() -> outage(Map.of()).failed(channelClosed(AMQP.NOT_FOUND)))
        .isInstanceOf(ConnectException.class)
        .hasMessageContaining("Queue 'q'")
        .hasMessageContaining("404")
        .hasMessageContaining("rabbitmq.queue.failure.tolerance");
  }

  @Test
  void aQueueThatWorkedIsTriedAFewTimesWithGrowingDelays() { // F22
    QueueOutage outage = outage(Map.of());
    outage.subscribed();
    Duration last = Duration.ZERO;
    for (int attempt = 0; attempt < 5; attempt++) {
      Duration delay = outage.failed(channelClosed(AMQP.NOT_FOUND));
      assertThat(delay).isGreaterThan(last);
      last = delay;
    }

    assertThatThrownBy(() -> outage.failed(channelClosed(AMQP.NOT_FOUND)))
        .isInstanceOf(ConnectException.class);
  }

  @Test
  void messagesThatGetThroughBeginTheCountAnew() {
    QueueOutage outage = outage(Map.of());
    outage.subscribed();
    for (int loss = 0; loss < 100; loss++) {
      assertThat(outage.failed(new IOException("cancelled"))).isPositive();
      outage.moved();
    }
  }

  @Test
  void skipAndContinueNeverGivesUp() { // F22
    QueueOutage outage = outage(Map.of("rabbitmq.queue.failure.tolerance", "skip-and-continue"));
    for (int attempt = 0; attempt < 1000; attempt++) {
      assertThat(outage.failed(channelClosed(AMQP.NOT_FOUND)))
          .isBetween(Duration.ofMillis(1), Duration.ofSeconds(30));
    }
  }

  @Test
  void aRefusedConsumerOnAQueueHintsAtAStream() { // F34
    assertThatThrownBy(() -> outage(Map.of()).failed(channelClosed(AMQP.PRECONDITION_FAILED)))
        .hasMessageContaining("rabbitmq.queue.type=stream");
  }

  @Test
  void aStreamThatThisNodeDoesNotHaveIsTriedElsewhere() {
    QueueOutage outage = outage(Map.of("rabbitmq.queue.type", "stream"));

    assertThat(outage.failed(channelClosed(AMQP.PRECONDITION_FAILED))).isPositive();
  }

  @Test
  void anExclusiveConsumerWaitsForTheOneBeforeItToGo() {
    QueueOutage outage = outage(Map.of("rabbitmq.consumer.exclusive", "true"));

    assertThat(outage.failed(channelClosed(AMQP.ACCESS_REFUSED))).isPositive();
    assertThatThrownBy(() -> outage(Map.of()).failed(channelClosed(AMQP.ACCESS_REFUSED)))
        .isInstanceOf(ConnectException.class);
  }

  @Test
  void aQueueThatIsAwayForTenMinutesIsALineAMinute() {
    AtomicLong clock = new AtomicLong();
    QueueOutage outage =
        outage(Map.of("rabbitmq.queue.failure.tolerance", "skip-and-continue"), clock::get);
    int attempts = 0;
    try (LogLines log = new LogLines(QueueOutage.class)) {
      while (clock.get() < Duration.ofMinutes(10).toNanos()) {
        clock.addAndGet(outage.failed(channelClosed(AMQP.NOT_FOUND)).toNanos());
        attempts++;
      }

      assertThat(attempts).isGreaterThan(20);
      assertThat(log.lines())
          .hasSizeBetween(8, 11)
          .allMatch(line -> line.startsWith("WARNING task: queue 'q' cannot be consumed (404"))
          .allMatch(line -> line.endsWith(Fault.QUEUE.toString()));
    }
  }

  private static IOException channelClosed(int code) {
    AMQP.Channel.Close close = new AMQImpl.Channel.Close(code, "reason", 60, CONSUME);
    return new IOException(new ShutdownSignalException(false, false, close, null));
  }

  private static QueueOutage outage(Map<String, String> more) {
    return outage(more, System::nanoTime);
  }

  private static QueueOutage outage(Map<String, String> more, LongSupplier nanoTime) {
    Map<String, String> props = new HashMap<>(Map.of("rabbitmq.queue", "q", "kafka.topic", "t"));
    props.putAll(more);
    return new QueueOutage("task", "q", new RabbitMQSourceConfig(props), nanoTime);
  }
}
