// SPDX-License-Identifier: Apache-2.0
package dev.rabbitbridge.sink;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rabbitbridge.metrics.LogLines;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** How many lines a storm of the broker's words is, with a clock that runs fast. */
@Timeout(60)
class SinkLogTest {
  private static final int SECONDS = 30;
  private static final int A_SECOND = 50;
  private static final int MESSAGES = SECONDS * A_SECOND;
  private static final Duration TICK = Duration.ofMillis(1000 / A_SECOND);
  private static final Duration TIMEOUT = Duration.ofSeconds(10);

  private final AtomicLong clock = new AtomicLong(1);
  private final SinkMetrics metrics = new SinkMetrics("orders", "0");
  private final Outbox outbox =
      new Outbox(
          "orders-0",
          Records.config(
              "rabbitmq.publish.max.in.flight", "" + MESSAGES, "rabbitmq.publish.max.retries", "0"),
          metrics,
          clock::get);
  private final FakeBroker broker = new FakeBroker();
  private final LogLines log = new LogLines(Outcomes.class);

  @AfterEach
  void close() {
    log.close();
  }

  @Test
  void aNackStormIsALineASecond() throws Exception {
    FakeBroker.Fake channel = published();
    for (int number = 1; number <= MESSAGES; number++) {
      channel.nack(number, false);
      tick();
    }

    assertLines("nacked by RabbitMQ", MESSAGES);
    assertThat(metrics.nacked.total()).isEqualTo(MESSAGES);
    assertThat(metrics.confirmed.total()).isZero();
  }

  @Test
  void aReturnStormIsALineASecond() throws Exception {
    FakeBroker.Fake channel = published();
    for (int number = 1; number <= MESSAGES; number++) {
      channel.giveBack(number);
      channel.confirm(number, false);
      tick();
    }

    assertLines("returned by RabbitMQ as unroutable", MESSAGES);
    assertThat(metrics.returned.total()).isEqualTo(MESSAGES);
    assertThat(metrics.confirmed.total()).isZero();
  }

  @Test
  void confirmsThatNeverComeAreALineForEachChannelGivenUp() throws Exception {
    for (int round = 0; round < 3; round++) {
      published();
      clock.addAndGet(TIMEOUT.plusSeconds(1).toNanos());
      assertThat(outbox.loseIfOverdue(clock.get() - TIMEOUT.toNanos(), TIMEOUT)).isTrue();
      outbox.startOver(null);
    }

    assertThat(log.lines())
        .hasSize(3)
        .allMatch(
            line ->
                line.startsWith("WARNING orders-0: " + MESSAGES + " without a confirm within 10000")
                    && line.contains(
                        "record orders-0 offset 0 for exchange '' with routing key 'q'"));
    assertThat(metrics.timedOut.total()).isEqualTo(3 * MESSAGES);
  }

  @Test
  void whatIsInFlightWhenTheChannelGoesIsOneLine() throws Exception {
    published().cut();
    outbox.startOver(null);

    assertThat(log.lines())
        .singleElement()
        .asString()
        .startsWith("WARNING orders-0: " + MESSAGES + " lost with their channel");
  }

  private FakeBroker.Fake published() throws Exception {
    FakeBroker.Fake channel = (FakeBroker.Fake) broker.open(outbox.epoch(), outbox);
    RecordEncoder encoder = new RecordEncoder(Records.config());
    Deque<InFlight> items = new ArrayDeque<>();
    for (int i = outbox.pending(); i < MESSAGES; i++) {
      InFlight item = new InFlight(Records.record(i), Records.ORDERS);
      item.message = encoder.encode(item.record);
      items.add(item);
    }
    outbox.offer(items, MESSAGES);
    InFlight[] batch = new InFlight[64];
    for (int left = MESSAGES; left > 0; ) {
      int count = Math.max(0, outbox.take(channel, batch));
      for (int i = 0; i < count; i++) {
        channel.publish(batch[i].message());
      }
      left -= count;
    }
    return channel;
  }

  private void tick() {
    clock.addAndGet(TICK.toNanos());
    outbox.logCounted();
  }

  private void assertLines(String kind, int events) {
    clock.addAndGet(TIMEOUT.toNanos());
    outbox.logCounted();
    List<String> lines = log.lines();
    assertThat(lines)
        .hasSizeBetween(SECONDS, SECONDS + 1)
        .allMatch(
            line -> line.matches("WARNING orders-0: \\d+ " + kind + ", for example record .*"));
    assertThat(
            lines.stream()
                .mapToInt(line -> Integer.parseInt(line.replaceAll(".*?: (\\d+) .*", "$1")))
                .sum())
        .isEqualTo(events);
  }
}
