// SPDX-License-Identifier: Apache-2.0
package dev.rabbitbridge.sink;

import static dev.rabbitbridge.sink.Records.records;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.util.List;
import java.util.stream.LongStream;
import org.apache.kafka.connect.errors.ConnectException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What becomes of a record for each word of the broker. */
@Timeout(60)
class SinkConfirmsTest {

  @Test
  void nothingIsCommittedWithoutAConfirm() { // F37
    try (SinkFixture f = new SinkFixture(false)) {
      f.put(records(0, 100));
      FakeBroker.Fake channel = f.awaitPublished(100);

      assertThat(f.committable(100)).isZero();
      for (int n = 1; n <= 40; n++) {
        channel.confirm(n, false);
      }
      assertThat(f.committable(100)).isEqualTo(40);
    }
  }

  @Test
  void confirmsOutOfOrderAndMultipleMoveTheOffsetOverTheContiguousPart() { // F42
    try (SinkFixture f = new SinkFixture(false)) {
      f.put(records(0, 6));
      FakeBroker.Fake channel = f.awaitPublished(6);

      channel.confirm(3, false);
      assertThat(f.committable(6)).isZero();
      channel.confirm(2, true);
      assertThat(f.committable(6)).isEqualTo(3);
      channel.confirm(5, true);
      assertThat(f.committable(6)).isEqualTo(5);
      channel.confirm(6, false);
      assertThat(f.committable(6)).isEqualTo(6);
    }
  }

  @Test
  void aNackedRecordHoldsBackLaterOffsetsUntilItsRetryIsConfirmed() { // F38
    try (SinkFixture f = new SinkFixture(false)) {
      f.put(records(0, 10));
      FakeBroker.Fake channel = f.awaitPublished(10);

      channel.nack(6, false);
      channel.confirm(10, true);
      assertThat(f.committable(10)).isEqualTo(5);

      f.awaitPublished(11);
      assertThat(f.broker.bodies()).last().isEqualTo("v5");
      assertThat(f.committable(10)).isEqualTo(5);
      channel.confirm(11, false);
      assertThat(f.committable(10)).isEqualTo(10);
    }
  }

  @Test
  void aRecordNackedTooOftenIsReportedAndDone() { // F38
    try (SinkFixture f = new SinkFixture(true, "rabbitmq.publish.max.retries", "2")) {
      f.put(records(0, 1));
      for (int attempt = 1; attempt <= 3; attempt++) {
        f.awaitPublished(attempt).nack(attempt, false);
      }

      f.putNothing();
      assertThat(f.context.reporter.reported).hasSize(1);
      assertThat(f.committable(1)).isEqualTo(1);
      assertThat(f.broker.bodies()).hasSize(3);
    }
  }

  @Test
  void nacksAreRetriedForEverWhenSoConfigured() {
    try (SinkFixture f =
        new SinkFixture(
            false,
            "rabbitmq.publish.max.retries",
            "-1",
            "rabbitmq.publish.retry.backoff.max.ms",
            "1")) {
      f.put(records(0, 1));
      for (int attempt = 1; attempt <= 50; attempt++) {
        f.awaitPublished(attempt).nack(attempt, false);
      }
      f.awaitPublished(51).confirm(51, false);

      f.putNothing();
      assertThat(f.committable(1)).isEqualTo(1);
    }
  }

  @Test
  void afterALostConnectionEverythingUnconfirmedIsPublishedAgainInOrder() { // F44, F49
    try (SinkFixture f = new SinkFixture(false)) {
      f.put(records(0, 100));
      FakeBroker.Fake first = f.awaitPublished(100);
      first.confirm(99, true);

      first.cut();
      f.awaitChannels(2);
      FakeBroker.Fake second = f.awaitPublished(1);

      assertThat(f.broker.bodies()).hasSize(101).last().isEqualTo("v99");
      assertThat(f.committable(100)).isEqualTo(99);
      second.confirm(1, false);
      assertThat(f.committable(100)).isEqualTo(100);
    }
  }

  @Test
  void lateConfirmsOfALostChannelConfirmNothing() { // F49
    try (SinkFixture f = new SinkFixture(false)) {
      f.put(records(0, 50));
      FakeBroker.Fake first = f.awaitPublished(50);
      first.cut();
      f.awaitChannels(2);
      f.put(records(50, 100));
      FakeBroker.Fake second = f.awaitPublished(100);

      first.confirm(50, true);
      assertThat(f.committable(100)).isZero();
      second.confirm(50, true);
      assertThat(f.committable(100)).isEqualTo(50);
      second.confirm(100, true);
      assertThat(f.committable(100)).isEqualTo(100);
    }
  }

  @Test
  void missingConfirmsAreAnUnknownOutcomeAndPublishedAgainOnANewChannel() { // F47, F48
    try (SinkFixture f = new SinkFixture(false, "rabbitmq.publish.confirm.timeout.ms", "1000")) {
      f.put(records(0, 3));
      FakeBroker.Fake silent = f.awaitPublished(3);
      silent.confirm(1, false);
      await()
          .until(
              () -> {
                f.putNothing();
                return f.broker.channels.size() > 1;
              });
      FakeBroker.Fake second = f.broker.channels.get(1);
      await().until(() -> second.published.size() == 2);

      assertThat(f.committable(3)).isEqualTo(1);
      second.confirm(2, true);
      assertThat(f.committable(3)).isEqualTo(3);
    }
  }

  @Test
  void aBlockedConnectionIsWaitedOutAndNotTimedOut() { // F51
    try (SinkFixture f = new SinkFixture(false, "rabbitmq.publish.confirm.timeout.ms", "30")) {
      f.put(records(0, 1));
      FakeBroker.Fake channel = f.awaitPublished(1);
      channel.setBlocked(true);
      f.put(records(1, 2));
      long until = System.nanoTime() + Duration.ofMillis(200).toNanos();
      while (System.nanoTime() < until) {
        f.putNothing();
      }
      assertThat(f.broker.channels).hasSize(1);
      assertThat(channel.published).hasSize(1);

      channel.setBlocked(false);
      f.awaitPublished(2);
      channel.confirm(2, true);
      assertThat(f.committable(2)).isEqualTo(2);
    }
  }

  @Test
  void aReturnedRecordIsNeverDoneByItsConfirm() { // F40
    try (SinkFixture f = new SinkFixture(true)) {
      f.put(records(0, 3));
      FakeBroker.Fake channel = f.awaitPublished(3);

      channel.giveBack(2);
      channel.confirm(3, true);
      assertThat(f.committable(3)).isEqualTo(1);
      f.putNothing();

      assertThat(f.context.reporter.reported).extracting(r -> r.kafkaOffset()).containsExactly(1L);
      assertThat(f.committable(3)).isEqualTo(3);
    }
  }

  @Test
  void returnsInAnyOrderFindTheirRecords() { // F40
    try (SinkFixture f = new SinkFixture(true)) {
      f.put(records(0, 5));
      FakeBroker.Fake channel = f.awaitPublished(5);

      channel.giveBack(4);
      channel.giveBack(2);
      channel.giveBack(5);
      channel.confirm(5, true);
      f.putNothing();

      assertThat(f.context.reporter.reported)
          .extracting(r -> r.kafkaOffset())
          .containsExactlyInAnyOrder(1L, 3L, 4L);
    }
  }

  @Test
  void aRecordReturnedByALostChannelGetsANewChance() {
    try (SinkFixture f = new SinkFixture(true)) {
      f.put(records(0, 1));
      FakeBroker.Fake first = f.awaitPublished(1);
      first.giveBack(1);
      first.cut();
      f.awaitChannels(2);
      f.awaitPublished(1).confirm(1, false);
      f.putNothing();

      assertThat(f.context.reporter.reported).isEmpty();
      assertThat(f.committable(1)).isEqualTo(1);
    }
  }

  @Test
  void aReportIsMadeOnTheTaskThreadAndItsOffsetIsDoneWhenTheReportIs() { // F74
    try (SinkFixture f = new SinkFixture(true)) {
      f.context.reporter.completesAtOnce = false;
      f.put(records(0, 1));
      FakeBroker.Fake channel = f.awaitPublished(1);
      channel.giveBack(1);
      channel.confirm(1, false);
      f.putNothing();

      assertThat(f.context.reporter.threads).containsExactly(Thread.currentThread());
      assertThat(f.committable(1)).isZero();
      f.context.reporter.futures.get(0).complete(null);
      f.putNothing();
      assertThat(f.committable(1)).isEqualTo(1);
    }
  }

  @Test
  void withoutAReporterARefusedRecordFailsTheTaskWithTheFullSentence() { // F76
    try (SinkFixture f = new SinkFixture(false)) {
      f.put(records(0, 1));
      FakeBroker.Fake channel = f.awaitPublished(1);
      channel.giveBack(1);
      channel.confirm(1, false);

      assertThatThrownBy(f::putNothing)
          .isInstanceOf(ConnectException.class)
          .hasMessageContaining("orders-0 offset 0")
          .hasMessageContaining("exchange ''")
          .hasMessageContaining("routing key 'q'")
          .hasMessageContaining("312 NO_ROUTE")
          .hasMessageContaining("errors.tolerance")
          .hasMessageContaining("errors.log.enable");
      assertThat(f.committable(1)).isZero();
    }
  }

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
  void inSingleModeARetryGoesOutBeforeTheNextRecord() {
    try (SinkFixture f =
        new SinkFixture(
            false,
            "rabbitmq.publish.confirm.mode",
            "single",
            "rabbitmq.publish.max.in.flight",
            "10")) {
      f.put(records(0, 3));
      FakeBroker.Fake channel = f.awaitPublished(1);
      channel.nack(1, false);
      f.awaitPublished(2);
      channel.confirm(2, false);
      f.awaitPublished(3);
      channel.confirm(3, false);
      f.awaitPublished(4);

      assertThat(f.broker.bodies()).containsExactly("v0", "v0", "v1", "v2");
    }
  }

  @Test
  void moreRecordsThanTheWindowArePausedAndResumed() { // F52
    try (SinkFixture f = new SinkFixture(false, "rabbitmq.publish.max.in.flight", "10")) {
      long start = System.nanoTime();
      f.put(records(0, 25));
      assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(Duration.ofSeconds(5));
      assertThat(f.context.paused).contains(Records.ORDERS);
      assertThat(f.context.timeout).isPositive().isLessThanOrEqualTo(1000);
      assertThat(f.awaitPublished(10).published).hasSize(10);

      f.broker.channel().confirm(10, true);
      f.putNothing();
      f.awaitPublished(20).confirm(20, true);
      f.putNothing();
      assertThat(f.context.paused).isEmpty();
      f.awaitPublished(25).confirm(25, true);
      assertThat(f.committable(25)).isEqualTo(25);
    }
  }

  @Test
  void inBatchModePutWaitsForTheConfirms() {
    try (SinkFixture f = new SinkFixture(false, "rabbitmq.publish.confirm.mode", "batch")) {
      f.broker.confirmsAtOnce = true;
      f.put(records(0, 100));
      assertThat(f.context.paused).isEmpty();
      assertThat(f.committable(100)).isEqualTo(100);

      f.broker.confirmsAtOnce = false;
      f.put(records(100, 101));
      assertThat(f.context.paused).contains(Records.ORDERS);
    }
  }

  @Test
  void aRecordPassedTwiceWhileInFlightIsPublishedOnce() { // F44
    try (SinkFixture f = new SinkFixture(false)) {
      f.put(records(0, 100));
      FakeBroker.Fake channel = f.awaitPublished(100);
      channel.confirm(99, true);
      f.putNothing();
      f.put(records(99, 100));
      f.putNothing();

      channel.confirm(100, false);
      assertThat(f.committable(100)).isEqualTo(100);
      assertThat(f.broker.bodies()).hasSize(100);
    }
  }

  @Test
  void closeWaitsForConfirmsAndRaisesTheOffsetsThatAreBeingCommitted() {
    try (SinkFixture f = new SinkFixture(false)) {
      f.put(records(0, 10));
      FakeBroker.Fake channel = f.awaitPublished(10);
      var offered =
          f.sink.preCommit(
              java.util.Map.of(
                  Records.ORDERS, new org.apache.kafka.clients.consumer.OffsetAndMetadata(10)));
      assertThat(offered.get(Records.ORDERS).offset()).isZero();
      Thread broker =
          new Thread(() -> LongStream.rangeClosed(1, 10).forEach(n -> channel.confirm(n, false)));
      broker.start();

      f.sink.close(List.of(Records.ORDERS));

      assertThat(offered.get(Records.ORDERS).offset()).isEqualTo(10);
    }
  }

  @Test
  void closeGivesUpAfterTheShutdownTimeoutAndLateConfirmsAreIgnored() { // F72
    try (SinkFixture f = new SinkFixture(false, "rabbitmq.shutdown.timeout.ms", "100")) {
      f.put(records(0, 10));
      FakeBroker.Fake channel = f.awaitPublished(10);
      channel.confirm(4, true);
      var offered =
          f.sink.preCommit(
              java.util.Map.of(
                  Records.ORDERS, new org.apache.kafka.clients.consumer.OffsetAndMetadata(10)));
      f.sink.close(List.of(Records.ORDERS));
      assertThat(offered.get(Records.ORDERS).offset()).isEqualTo(4);

      channel.confirm(10, true);
      f.sink.open(List.of(Records.ORDERS));
      f.putNothing();
      f.put(records(4, 10));
      assertThat(f.committable(10)).isEqualTo(4);
      f.awaitPublished(16).confirm(16, true);
      assertThat(f.committable(10)).isEqualTo(10);
    }
  }

  @Test
  void lostPartitionsAreClosedWithoutWaiting() { // F72
    try (SinkFixture f = new SinkFixture(false)) {
      f.put(records(0, 10));
      f.awaitPublished(10);

      long start = System.nanoTime();
      f.sink.close(List.of(Records.ORDERS));

      assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(Duration.ofSeconds(2));
    }
  }

  @Test
  void stopWhileTheBrokerIsAwayReturnsWithinTheDeadline() {
    SinkFixture f = new SinkFixture(false, "rabbitmq.reconnect.backoff.ms", "10000");
    f.broker.refusal = new java.net.ConnectException("refused");
    f.put(records(0, 10));

    long start = System.nanoTime();
    f.close();

    assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(Duration.ofSeconds(4));
  }

  @Test
  void wrongCredentialsFailTheTaskWithTheSetting() { // F87
    try (SinkFixture f = new SinkFixture(false)) {
      f.broker.refusal = new com.rabbitmq.client.AuthenticationFailureException("ACCESS_REFUSED");
      f.broker.channels.forEach(FakeBroker.Fake::cut);
      await()
          .untilAsserted(
              () ->
                  assertThatThrownBy(f::putNothing)
                      .isInstanceOf(ConnectException.class)
                      .hasMessageContaining("rabbitmq.username"));
    }
  }
}
