// SPDX-License-Identifier: Apache-2.0
package dev.rabbitbridge.sink;

import static dev.rabbitbridge.sink.Records.records;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.net.ConnectException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.stream.LongStream;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Partitions that go and come back, rewinds, and the end of a task. */
@Timeout(60)
class SinkRebalanceTest {
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
      var offered = f.sink.preCommit(Map.of(Records.ORDERS, new OffsetAndMetadata(10)));
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
      var offered = f.sink.preCommit(Map.of(Records.ORDERS, new OffsetAndMetadata(10)));
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
    f.broker.refusal = new ConnectException("refused");
    f.put(records(0, 10));

    long start = System.nanoTime();
    f.close();

    assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(Duration.ofSeconds(4));
  }

  @Test
  void aNackedRecordThatIsPassedAgainBeforeItsRetryIsPublishedOnce() { // F44
    try (SinkFixture f = new SinkFixture(false, "rabbitmq.publish.retry.backoff.ms", "300")) {
      f.put(records(0, 3));
      FakeBroker.Fake channel = f.awaitPublished(3);
      channel.nack(1, false);
      channel.confirm(3, true);
      f.put(records(0, 1));

      f.awaitPublished(4).confirm(4, false);
      assertThat(f.committable(1)).isEqualTo(1);
      assertThat(f.broker.bodies()).containsExactly("v0", "v1", "v2", "v0");
    }
  }

  @Test
  void aPartitionThatComesBackAtAnotherOffsetStartsThere() { // F72
    try (SinkFixture f = new SinkFixture(false, "rabbitmq.publish.retry.backoff.ms", "100")) {
      f.put(records(0, 10));
      FakeBroker.Fake channel = f.awaitPublished(10);
      channel.nack(1, false);
      f.sink.close(List.of(Records.ORDERS));
      f.sink.open(List.of(Records.ORDERS));
      f.put(records(20, 25));
      f.awaitPublished(15);

      channel.confirm(10, true);
      assertThat(f.committable(25)).isEqualTo(20);
      channel.confirm(15, true);
      assertThat(f.committable(25)).isEqualTo(25);
      await()
          .during(Duration.ofMillis(300))
          .untilAsserted(() -> assertThat(f.broker.bodies()).containsOnlyOnce("v0"));
    }
  }

  @Test
  void closeWhileReconnectingDoesNotWait() {
    try (SinkFixture f = new SinkFixture(false)) {
      f.put(records(0, 10));
      FakeBroker.Fake channel = f.awaitPublished(10);
      channel.confirm(4, true);
      f.broker.refusal = new ConnectException("refused");
      channel.cut();
      await()
          .until(
              () -> {
                f.putNothing();
                return f.metrics.confirmed.total() == 4 && !f.isConnected();
              });
      var offered = f.sink.preCommit(Map.of(Records.ORDERS, new OffsetAndMetadata(10)));

      long start = System.nanoTime();
      f.sink.close(List.of(Records.ORDERS));

      assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(Duration.ofSeconds(2));
      assertThat(offered.get(Records.ORDERS).offset()).isEqualTo(4);
    }
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void stopWithAFullWindowReturnsWithinTheDeadline(boolean blocked) {
    SinkFixture f =
        new SinkFixture(
            false, "rabbitmq.publish.max.in.flight", "10", "rabbitmq.shutdown.timeout.ms", "300");
    f.put(records(0, 25));
    f.awaitPublished(10).setBlocked(blocked);

    long start = System.nanoTime();
    f.sink.preCommit(Map.of(Records.ORDERS, new OffsetAndMetadata(25)));
    f.sink.close(List.of(Records.ORDERS));
    f.close();

    assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(Duration.ofSeconds(4));
    assertThat(f.broker.channel().published).hasSize(10);
  }
}
