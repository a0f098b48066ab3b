// SPDX-License-Identifier: Apache-2.0
package dev.rabbitbridge.sink;

import static dev.rabbitbridge.sink.Records.records;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import org.apache.kafka.connect.errors.ConnectException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

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
  void aLateReturnOfALostChannelIsNobodys() { // F40, F49
    try (SinkFixture f = new SinkFixture(true)) {
      f.put(records(0, 3));
      FakeBroker.Fake first = f.awaitPublished(3);
      first.cut();
      f.awaitChannels(2);
      FakeBroker.Fake second = f.awaitPublished(3);

      first.giveBack(2);
      second.confirm(3, true);
      f.putNothing();

      assertThat(f.context.reporter.reported).isEmpty();
      assertThat(f.committable(3)).isEqualTo(3);
    }
  }

  @Test
  void aReturnedRecordThatIsThenNackedIsPublishedAgain() { // F40
    try (SinkFixture f = new SinkFixture(true)) {
      f.put(records(0, 1));
      FakeBroker.Fake channel = f.awaitPublished(1);
      channel.giveBack(1);
      channel.nack(1, false);
      f.awaitPublished(2).confirm(2, false);
      f.putNothing();

      assertThat(f.context.reporter.reported).isEmpty();
      assertThat(f.committable(1)).isEqualTo(1);
    }
  }

  @Test
  void anAckOfManyDoesNotAckTheOneAmongThemThatWasNacked() { // F38, F42
    try (SinkFixture f = new SinkFixture(false)) {
      f.put(records(0, 5));
      FakeBroker.Fake channel = f.awaitPublished(5);
      channel.nack(2, false);
      channel.confirm(5, true);
      f.awaitPublished(6);

      channel.confirm(5, true);
      assertThat(f.committable(5)).isEqualTo(1);
      channel.confirm(6, true);
      assertThat(f.committable(5)).isEqualTo(5);
    }
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

  @Test
  void whatIsRefusedAtOnceFailsTheStart() { // F87
    FakeBroker broker = new FakeBroker();
    broker.refusal = new com.rabbitmq.client.AuthenticationFailureException("ACCESS_REFUSED");
    assertThatThrownBy(() -> new SinkFixture(broker, false))
        .isInstanceOf(ConnectException.class)
        .hasMessageStartingWith("RB-C02")
        .hasMessageContaining("rabbitmq.username");
  }

  @Test
  void anAbsentBrokerDoesNotHoldUpTheStart() {
    FakeBroker broker = new FakeBroker();
    broker.refusal = new java.net.ConnectException("refused");
    long begin = System.nanoTime();
    try (SinkFixture f = new SinkFixture(broker, false)) {
      assertThat(System.nanoTime() - begin).isLessThan(1_500_000_000L);
      f.putNothing();
      broker.refusal = null;
      f.awaitChannels(1);
    }
  }
}
