// SPDX-License-Identifier: Apache-2.0
package dev.rabbitbridge.sink;

import static dev.rabbitbridge.sink.Records.records;
import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.connect.sink.SinkRecord;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** How much is published before the broker has answered. */
@Timeout(60)
class SinkWindowTest {
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
  void noMoreThanAWindowIsPublishedBeyondARecordThatIsNotDone() { // F38, F52
    try (SinkFixture f =
        new SinkFixture(
            false,
            "rabbitmq.publish.max.in.flight",
            "10",
            "rabbitmq.publish.retry.backoff.ms",
            "60000",
            "rabbitmq.publish.retry.backoff.max.ms",
            "60000")) {
      f.put(records(0, 30));
      FakeBroker.Fake channel = f.awaitPublished(10);
      channel.nack(3, false);
      channel.confirm(10, true);

      f.putNothing();
      f.awaitPublished(12).confirm(12, true);
      f.putNothing();

      assertThat(channel.published).as("2 to 11, and 0 and 1 before").hasSize(12);
      assertThat(f.context.paused).contains(Records.ORDERS);
      assertThat(f.committable(30)).isEqualTo(2);
    }
  }

  @Test
  void noMoreThanAWindowIsPublishedBeyondAMissingConfirmWhateverThePartition() {
    TopicPartition other = new TopicPartition("orders", 1);
    try (SinkFixture f = new SinkFixture(false, "rabbitmq.publish.max.in.flight", "10")) {
      f.put(records(0, 1));
      FakeBroker.Fake channel = f.awaitPublished(1);
      List<SinkRecord> more = new ArrayList<>();
      for (int offset = 0; offset < 30; offset++) {
        more.add(Records.record(other, offset, "other" + offset));
      }
      f.put(more);
      f.awaitPublished(10);
      for (int number = 2; number <= 10; number++) {
        channel.confirm(number, false);
      }

      f.putNothing();
      assertThat(channel.published).hasSize(10);
      assertThat(f.committable(other, 30)).isEqualTo(9);

      channel.confirm(1, false);
      f.awaitPublished(19);
    }
  }

  @Test
  void aCommitIsAskedForWhenAWindowOfRecordsIsDone() {
    try (SinkFixture f = new SinkFixture(false, "rabbitmq.publish.max.in.flight", "10")) {
      f.put(records(0, 9));
      f.awaitPublished(9).confirm(9, true);
      f.putNothing();
      assertThat(f.context.commitRequests).isZero();

      f.put(records(9, 10));
      f.awaitPublished(10).confirm(10, true);
      f.putNothing();
      assertThat(f.context.commitRequests).isEqualTo(1);

      assertThat(f.committable(10)).isEqualTo(10);
      f.putNothing();
      assertThat(f.context.commitRequests).isEqualTo(1);
    }
  }

  @Test
  void preCommitAnswersAtOnceWhileTheBrokerIsBlocked() { // F51
    try (SinkFixture f = new SinkFixture(false, "rabbitmq.publish.max.in.flight", "10")) {
      f.put(records(0, 10));
      FakeBroker.Fake channel = f.awaitPublished(10);
      channel.confirm(3, true);
      channel.setBlocked(true);
      f.put(records(10, 30));

      long start = System.nanoTime();
      assertThat(f.committable(30)).isEqualTo(3);
      assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(Duration.ofSeconds(1));
    }
  }
}
