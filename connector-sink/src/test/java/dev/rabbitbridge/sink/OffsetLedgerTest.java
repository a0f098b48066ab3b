// SPDX-License-Identifier: Apache-2.0
package dev.rabbitbridge.sink;

import static dev.rabbitbridge.sink.Records.ORDERS;
import static dev.rabbitbridge.sink.Records.record;
import static org.assertj.core.api.Assertions.assertThat;

import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.connect.sink.SinkRecord;
import org.junit.jupiter.api.Test;

class OffsetLedgerTest {
  private final OffsetLedger ledger = new OffsetLedger();

  @Test
  void theLowestRecordThatIsNotDoneHoldsTheOffsetBack() {
    InFlight zero = ledger.track(record(0));
    InFlight one = ledger.track(record(1));
    InFlight two = ledger.track(record(2));

    assertThat(ledger.committable(ORDERS, 3)).isZero();
    ledger.settle(two);
    assertThat(ledger.committable(ORDERS, 3)).isZero();
    ledger.settle(zero);
    assertThat(ledger.committable(ORDERS, 3)).isEqualTo(1);
    ledger.settle(one);
    assertThat(ledger.committable(ORDERS, 3)).isEqualTo(3);
    assertThat(ledger.isDone(ORDERS)).isTrue();
  }

  @Test
  void whenAllIsDoneTheFrameworksPositionCountsAlsoOverRecordsThatATransformDropped() {
    InFlight five = ledger.track(record(5));
    ledger.settle(five);

    assertThat(ledger.committable(ORDERS, 40)).isEqualTo(40);
    assertThat(ledger.committable(new TopicPartition("other", 3), 7)).isEqualTo(7);
  }

  @Test
  void aRecordSettledTwiceChangesNothing() {
    InFlight zero = ledger.track(record(0));
    ledger.track(record(1));
    ledger.settle(zero);
    ledger.settle(zero);

    assertThat(ledger.committable(ORDERS, 2)).isEqualTo(1);
  }

  @Test
  void aRecordPassedAgainWhileInFlightIsTheSameRecord() { // F44
    InFlight zero = ledger.track(record(0));
    InFlight one = ledger.track(record(1));

    assertThat(ledger.track(record(0))).isNull();
    assertThat(ledger.track(record(1))).isNull();

    ledger.settle(one);
    assertThat(ledger.committable(ORDERS, 2)).isZero();
    ledger.settle(zero);
    assertThat(ledger.committable(ORDERS, 2)).isEqualTo(2);
    assertThat(ledger.isDone(ORDERS)).isTrue();
  }

  @Test
  void aRecordOfATopicThatWasCreatedAnewIsNotTakenForTheOneInFlight() {
    InFlight old = ledger.track(record(0));
    SinkRecord other = record(0);
    SinkRecord later =
        other.newRecord(
            other.topic(),
            other.kafkaPartition(),
            other.keySchema(),
            other.key(),
            other.valueSchema(),
            other.value(),
            other.timestamp() + 1);

    InFlight anew = ledger.track(later);

    assertThat(anew).isNotNull();
    ledger.settle(old);
    assertThat(ledger.committable(ORDERS, 1)).isZero();
    ledger.settle(anew);
    assertThat(ledger.committable(ORDERS, 1)).isEqualTo(1);
    assertThat(ledger.isDone(ORDERS)).isTrue();
  }

  @Test
  void afterARewindTheOffsetFollowsTheNewPosition() {
    for (long offset = 0; offset < 10; offset++) {
      InFlight item = ledger.track(record(offset));
      if (offset != 7) {
        ledger.settle(item);
      }
    }

    // the framework goes back to 5: 5 and 6 are done and new again, 7 is still in flight
    InFlight five = ledger.track(record(5));
    assertThat(five).isNotNull();
    assertThat(ledger.committable(ORDERS, 6)).isEqualTo(5);
    InFlight six = ledger.track(record(6));
    assertThat(ledger.track(record(7))).isNull();
    InFlight eight = ledger.track(record(8));

    ledger.settle(five);
    ledger.settle(eight);
    assertThat(ledger.committable(ORDERS, 9)).isEqualTo(6);
    ledger.settle(six);
    assertThat(ledger.committable(ORDERS, 9)).isEqualTo(7);
  }

  @Test
  void aRecordStillInFlightThatIsNeverPassedAgainAfterARewindHoldsTheOffsetBack() {
    for (long offset = 0; offset < 10; offset++) {
      InFlight item = ledger.track(record(offset));
      if (offset != 7) {
        ledger.settle(item);
      }
    }

    // back to 5, and the second time a transform drops everything up to 9
    ledger.settle(ledger.track(record(5)));
    ledger.settle(ledger.track(record(9)));

    assertThat(ledger.committable(ORDERS, 6)).isEqualTo(6);
    assertThat(ledger.committable(ORDERS, 10)).isEqualTo(7);
  }

  @Test
  void theSpanReachesFromTheLowestRecordThatIsNotDoneToTheLast() {
    InFlight zero = ledger.track(record(0));
    InFlight one = ledger.track(record(1));
    ledger.track(record(new TopicPartition("other", 3), 70, "x"));
    ledger.settle(one);
    assertThat(ledger.span()).isEqualTo(3);

    ledger.settle(zero);
    assertThat(ledger.span()).isEqualTo(1);
    ledger.forget(new TopicPartition("other", 3));
    assertThat(ledger.span()).isZero();
  }

  @Test
  void aRecordConfirmedWhileTheFrameworkIsBelowItIsSentAgain() {
    InFlight three = ledger.track(record(3));
    ledger.track(record(1));
    ledger.settle(three);

    assertThat(ledger.track(record(2))).isNotNull();
    assertThat(ledger.track(record(3))).isNotNull();
    assertThat(ledger.committable(ORDERS, 4)).isEqualTo(1);
  }

  @Test
  void confirmsForAPartitionThatWasTakenAwayAreNobodys() { // F72
    InFlight old = ledger.track(record(0));
    ledger.forget(ORDERS);
    assertThat(old.orphaned).isTrue();
    InFlight again = ledger.track(record(0));

    ledger.settle(old);

    assertThat(ledger.committable(ORDERS, 1)).isZero();
    ledger.settle(again);
    assertThat(ledger.committable(ORDERS, 1)).isEqualTo(1);
  }

  @Test
  void offsetsBelongToTheOriginalTopic() { // F71
    var renamed = record(0).newRecord("elsewhere", 9, null, null, null, new byte[0], null);

    InFlight item = ledger.track(renamed);

    assertThat(item.origin).isEqualTo(ORDERS);
    assertThat(ledger.committable(ORDERS, 1)).isZero();
    assertThat(ledger.committable(new TopicPartition("elsewhere", 9), 1)).isEqualTo(1);
  }
}
