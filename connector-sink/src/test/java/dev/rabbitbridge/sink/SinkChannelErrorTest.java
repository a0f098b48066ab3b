// SPDX-License-Identifier: Apache-2.0
package dev.rabbitbridge.sink;

import static dev.rabbitbridge.sink.Records.records;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import java.util.List;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.connect.errors.ConnectException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What the broker closes a channel over, and who is to blame. */
@Timeout(60)
class SinkChannelErrorTest {
  @Test
  void theRecordThatClosesTheChannelIsFoundAndItsNeighboursGoOutAgain() { // F58
    try (SinkFixture f = new SinkFixture(true, "rabbitmq.routing.key", "${topic}")) {
      f.broker.poison =
          m -> new String(m.body(), java.nio.charset.StandardCharsets.UTF_8).equals("v9");
      f.broker.confirmsAtOnce = false;
      f.put(records(0, 20));
      f.awaitChannels(2);
      f.broker.confirmsAtOnce = true;
      f.broker.channel().confirm(1, true);

      await()
          .until(
              () -> {
                f.putNothing();
                return f.committable(20) == 20;
              });
      assertThat(f.context.reporter.reported).extracting(r -> r.kafkaOffset()).containsExactly(9L);
      assertThat(f.broker.bodies().stream().filter("v9"::equals).count()).isEqualTo(2);
    }
  }

  @Test
  void aMessageThatTheClientCannotWriteIsReportedAndTheNumbersStayInStep() { // F43
    try (SinkFixture f = new SinkFixture(true)) {
      f.awaitChannels(1);
      f.broker.channel().clientError = new IllegalArgumentException("too large");
      f.put(records(0, 10));
      f.awaitChannels(2);
      FakeBroker.Fake second = f.awaitPublished(9);
      second.confirm(8, true);
      f.putNothing();

      assertThat(f.context.reporter.reported).extracting(r -> r.kafkaOffset()).containsExactly(0L);
      assertThat(f.committable(10)).isEqualTo(9);
      second.confirm(9, false);
      assertThat(f.committable(10)).isEqualTo(10);
    }
  }

  @Test
  void headersLargerThanTheFrameAreARecordErrorAndTheNeighboursArrive() { // F59
    try (SinkFixture f = new SinkFixture(true)) {
      f.awaitChannels(1);
      f.broker.confirmsAtOnce = true;
      var large = Records.record(1);
      large.headers().addString("h", "x".repeat(200 * 1024));
      f.put(List.of(Records.record(0), large, Records.record(2)));

      await()
          .until(
              () -> {
                f.putNothing();
                return f.committable(3) == 3;
              });
      assertThat(f.context.reporter.reported).containsExactly(large);
      assertThat(f.broker.bodies()).containsExactly("v0", "v2");
    }
  }

  @ParameterizedTest
  @CsvSource({"404, q", "404, ${key}", "403, q", "403, ${key}"})
  void aFixedExchangeThatRefusesFailsTheTaskAndNoRecordIsBlamed( // F55
      int code, String routingKey) {
    try (SinkFixture f = new SinkFixture(true, "rabbitmq.routing.key", routingKey)) {
      f.put(records(0, 3));
      f.awaitPublished(3).closedByBroker(code);

      await()
          .untilAsserted(
              () ->
                  assertThatThrownBy(f::putNothing)
                      .isInstanceOf(ConnectException.class)
                      .hasMessageContaining(String.valueOf(code))
                      .hasMessageContaining("rabbitmq.exchange"));
      assertThat(f.context.reporter.reported).isEmpty();
      assertThat(f.committable(3)).isZero();
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {403, 404})
  void anExchangeOfOneRecordThatRefusesIsThatRecordsError(int code) { // F55
    try (SinkFixture f = new SinkFixture(true, "rabbitmq.exchange", "ex-${key}")) {
      f.broker.poison = m -> m.exchange().equals("ex-k1");
      f.broker.poisonCode = code;
      f.broker.confirmsAtOnce = true;
      f.put(records(0, 3));

      await()
          .until(
              () -> {
                f.putNothing();
                return f.committable(3) == 3;
              });
      assertThat(f.context.reporter.reported).extracting(r -> r.kafkaOffset()).containsExactly(1L);
      assertThat(f.context.reporter.errors.get(0))
          .hasMessageContaining("exchange 'ex-k1'")
          .hasMessageContaining(code + " ");
    }
  }

  @Test
  void suspectsWhosePartitionWasTakenAwayAreNotWaitedFor() {
    TopicPartition other = new TopicPartition("orders", 1);
    try (SinkFixture f = new SinkFixture(true)) {
      f.put(records(0, 20));
      f.awaitPublished(20).closedByBroker(406);
      f.awaitChannels(2);
      FakeBroker.Fake second = f.awaitPublished(1);

      f.sink.close(List.of(Records.ORDERS));
      f.sink.open(List.of(other));
      f.put(List.of(Records.record(other, 0, "a"), Records.record(other, 1, "b")));
      second.confirm(1, false);

      f.awaitPublished(3);
      assertThat(f.broker.bodies()).hasSize(23).endsWith("a", "b");
    }
  }

  @Test
  void whileTheGuiltyOneIsSearchedRecordsGoOutOneAtATime() { // F58
    try (SinkFixture f = new SinkFixture(true)) {
      f.put(records(0, 3));
      f.awaitPublished(3).closedByBroker(406);
      f.awaitChannels(2);
      FakeBroker.Fake second = f.awaitPublished(1);
      f.put(records(3, 5));

      second.confirm(1, false);
      f.awaitPublished(2);
      second.nack(2, false);
      f.awaitPublished(3);
      assertThat(second.published).hasSize(3);
      second.confirm(3, false);
      f.awaitPublished(4);
    }
  }
}
