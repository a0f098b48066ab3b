// SPDX-License-Identifier: Apache-2.0
package dev.rabbitbridge.sink;

import static dev.rabbitbridge.sink.Records.records;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.connect.errors.ConnectException;
import org.apache.kafka.connect.sink.SinkRecord;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Records that RabbitMQ will never take, and their reports. */
@Timeout(60)
class SinkRecordErrorTest {
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
  void aReturnOfWhatADelayedMessageExchangeDelaysSaysWhatToSet() {
    try (SinkFixture f = new SinkFixture(false, "rabbitmq.headers", "x-delay:5000")) {
      f.put(records(0, 1));
      FakeBroker.Fake channel = f.awaitPublished(1);
      channel.giveBack(1);
      channel.confirm(1, false);

      assertThatThrownBy(f::putNothing)
          .hasMessageContaining("x-delayed-message")
          .hasMessageContaining("rabbitmq.mandatory");
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
  void aRefusalThatIsKnownButNotReportedWhenTheTaskEndsIsTheNextOwners() { // F74
    try (SinkFixture f = new SinkFixture(true)) {
      f.put(records(0, 2));
      FakeBroker.Fake channel = f.awaitPublished(2);
      channel.giveBack(2);
      channel.confirm(2, true);
      var offered = f.sink.preCommit(Map.of(Records.ORDERS, new OffsetAndMetadata(2)));
      f.sink.close(List.of(Records.ORDERS));

      assertThat(f.context.reporter.reported).isEmpty();
      assertThat(offered.get(Records.ORDERS).offset()).isEqualTo(1);
    }
  }

  @Test
  void aReportThatIsCompleteCountsInTheVeryNextCommit() { // F74, F75
    try (SinkFixture f = new SinkFixture(true)) {
      f.context.reporter.completesAtOnce = false;
      f.put(records(0, 1));
      FakeBroker.Fake channel = f.awaitPublished(1);
      channel.giveBack(1);
      channel.confirm(1, false);
      f.putNothing();
      f.context.reporter.futures.get(0).complete(null);

      assertThat(f.committable(1)).isEqualTo(1);
    }
  }

  @Test
  void aReportThatWasCancelledLeavesItsRecordToTheNextOwner() { // F74
    try (SinkFixture f = new SinkFixture(true)) {
      f.context.reporter.completesAtOnce = false;
      f.put(records(0, 1));
      FakeBroker.Fake channel = f.awaitPublished(1);
      channel.giveBack(1);
      channel.confirm(1, false);
      f.putNothing();
      f.context.reporter.futures.get(0).cancel(true);

      f.putNothing();
      assertThat(f.committable(1)).isZero();
    }
  }

  @Test
  void aReportThatFailedFailsTheTaskInPutAndNotInPreCommit() { // F74
    try (SinkFixture f = new SinkFixture(true)) {
      f.context.reporter.completesAtOnce = false;
      f.put(records(0, 1));
      FakeBroker.Fake channel = f.awaitPublished(1);
      channel.giveBack(1);
      channel.confirm(1, false);
      f.putNothing();
      f.context.reporter.futures.get(0).completeExceptionally(new IllegalStateException("full"));

      assertThat(f.committable(1)).isZero();
      assertThatThrownBy(f::putNothing)
          .isInstanceOf(ConnectException.class)
          .hasMessageContaining("orders-0 offset 0")
          .hasMessageContaining("dead letter topic")
          .hasMessageContaining("full");
    }
  }

  @Test
  void recordsThatCannotBeEncodedDoNotHoldTheirNeighboursBack() {
    try (SinkFixture f =
        new SinkFixture(
            true, "rabbitmq.publish.max.in.flight", "5", "rabbitmq.routing.key", "${header:to}")) {
      f.broker.confirmsAtOnce = true;
      List<SinkRecord> mixed = records(0, 20);
      mixed.subList(10, 20).forEach(record -> record.headers().addString("to", "q"));
      f.put(mixed);

      assertThat(f.context.reporter.reported).isEqualTo(mixed.subList(0, 10));
      await().until(() -> f.committable(20) == 20);
    }
  }
}
