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
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

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
  void aQueueThatIsIdleForWeeksIsNotGivenUpForACancelNowAndThen() {
    AtomicLong clock = new AtomicLong();
    QueueOutage outage = outage(Map.of(), clock::get);
    for (int cancel = 0; cancel < 100; cancel++) {
      outage.subscribed();
      clock.addAndGet(Duration.ofDays(1).toNanos());
      outage.lostIdle();
      assertThat(outage.failed(new IOException("cancelled"))).isLessThan(Duration.ofSeconds(1));
    }
  }

  @Test
  void aConsumerThatIsLostAgainAtOnceIsGivenUp() {
    AtomicLong clock = new AtomicLong();
    QueueOutage outage = outage(Map.of(), clock::get);

    assertThatThrownBy(
            () -> {
              for (int cancel = 0; cancel < 6; cancel++) {
                outage.subscribed();
                clock.addAndGet(Duration.ofSeconds(59).toNanos());
                outage.lostIdle();
                outage.failed(new IOException("cancelled"));
              }
            })
        .isInstanceOf(ConnectException.class);
  }

  @Test
  void aQueueThatStaysAwayIsGivenUpHoweverLongItHadBeenIdle() {
    AtomicLong clock = new AtomicLong();
    QueueOutage outage = outage(Map.of(), clock::get);
    outage.subscribed();
    clock.addAndGet(Duration.ofDays(1).toNanos());
    outage.lostIdle();
    outage.failed(new IOException("cancelled"));

    assertThatThrownBy(
            () -> {
              for (int attempt = 0; attempt < 5; attempt++) {
                outage.failed(channelClosed(AMQP.NOT_FOUND));
              }
            })
        .isInstanceOf(ConnectException.class);
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
  void aQueueComesBackWithItsNodeHoweverLongThatTakes() {
    QueueOutage outage = outage(Map.of());
    for (int attempt = 0; attempt < 1000; attempt++) {
      assertThat(
              outage.failed(
                  channelClosed(
                      AMQP.NOT_FOUND,
                      "NOT_FOUND - home node 'rabbit@a' of durable queue 'q' in vhost '/' is down or inaccessible",
                      60,
                      CONSUME)))
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

  @Test
  void lateAcksAreNotTakenForARefusedConsumer() { // F19
    QueueOutage outage = outage(Map.of());
    outage.subscribed();

    assertThat(warned(outage, channelClosed(AMQP.PRECONDITION_FAILED, 0, 0)))
        .contains("consumer_timeout in rabbitmq.conf", "Kafka did not confirm")
        .endsWith(Fault.ACKS.toString())
        .doesNotContain("rabbitmq.queue.type");
    assertThatThrownBy(() -> failUntilItGivesUp(outage, 0, 0))
        .hasMessageStartingWith(Fault.ACKS.id())
        .hasMessageContaining("consumer_timeout in rabbitmq.conf")
        .hasMessageNotContaining("rabbitmq.queue.type");
  }

  @ParameterizedTest
  @ValueSource(ints = {80, 90, 120}) // ack, reject, nack
  void anAckThatRabbitMqDoesNotKnowIsNotTakenForARefusedConsumerOrALateAck(int method) {
    QueueOutage outage = outage(Map.of());
    outage.subscribed();

    assertThat(warned(outage, channelClosed(AMQP.PRECONDITION_FAILED, 60, method)))
        .contains("does not know the delivery that was acked", "delivered again")
        .endsWith(Fault.ACKS.toString())
        .doesNotContain("rabbitmq.queue.type", "consumer_timeout");
    assertThatThrownBy(() -> failUntilItGivesUp(outage, 60, method))
        .hasMessageStartingWith(Fault.ACKS.id())
        .hasMessageNotContaining("rabbitmq.queue.type");
  }

  @Test
  void onlyARefusedConsumerSendsAStreamToAnotherNode() {
    assertThat(QueueOutage.isRefusedConsume(channelClosed(AMQP.PRECONDITION_FAILED))).isTrue();
    assertThat(QueueOutage.isRefusedConsume(channelClosed(AMQP.PRECONDITION_FAILED, 0, 0)))
        .isFalse();
    assertThat(QueueOutage.isRefusedConsume(channelClosed(AMQP.PRECONDITION_FAILED, 60, 80)))
        .isFalse();
    assertThat(QueueOutage.isRefusedConsume(channelClosed(AMQP.NOT_FOUND))).isFalse();
    assertThat(QueueOutage.isRefusedConsume(new IOException("cancelled"))).isFalse();
  }

  private static String warned(QueueOutage outage, IOException error) {
    try (LogLines log = new LogLines(QueueOutage.class)) {
      outage.failed(error);
      assertThat(log.lines()).hasSize(1);
      return log.lines().get(0);
    }
  }

  private static void failUntilItGivesUp(QueueOutage outage, int classId, int method) {
    for (int attempt = 0; attempt < 10; attempt++) {
      outage.failed(channelClosed(AMQP.PRECONDITION_FAILED, classId, method));
    }
  }

  private static IOException channelClosed(int code) {
    return channelClosed(code, 60, CONSUME);
  }

  private static IOException channelClosed(int code, int classId, int method) {
    return channelClosed(code, "reason", classId, method);
  }

  private static IOException channelClosed(int code, String text, int classId, int method) {
    AMQP.Channel.Close close = new AMQImpl.Channel.Close(code, text, classId, method);
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
