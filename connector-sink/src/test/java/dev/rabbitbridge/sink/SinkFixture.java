// SPDX-License-Identifier: Apache-2.0
package dev.rabbitbridge.sink;

import static org.awaitility.Awaitility.await;

import dev.rabbitbridge.connection.Outage;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.connect.sink.SinkRecord;

/** A started sink between a fake framework and a fake broker. */
final class SinkFixture implements AutoCloseable {
  final FakeContext context;
  final FakeBroker broker;
  final StartedSink sink;
  final SinkMetrics metrics = new SinkMetrics("orders", "0");
  private final Publisher publisher;

  SinkFixture(boolean withReporter, String... keysAndValues) {
    this(new FakeBroker(), withReporter, keysAndValues);
  }

  SinkFixture(FakeBroker broker, boolean withReporter, String... keysAndValues) {
    this.broker = broker;
    context = new FakeContext(withReporter);
    RabbitMQSinkConfig config = Records.config(keysAndValues);
    Outbox outbox = new Outbox("orders-0", config, metrics, System::nanoTime);
    publisher =
        new Publisher(
            "orders-0",
            outbox,
            broker,
            new Outage(config.connection(), "orders-0"),
            config,
            metrics);
    sink = new StartedSink(context, config, outbox, publisher, metrics);
    sink.run();
  }

  boolean isConnected() {
    return publisher.isConnected();
  }

  void put(List<SinkRecord> records) {
    sink.put(records);
  }

  void putNothing() {
    sink.put(List.of());
  }

  /**
   * What the framework would commit for the one partition if it had passed everything below a
   * position.
   */
  long committable(long position) {
    return committable(Records.ORDERS, position);
  }

  long committable(TopicPartition partition, long position) {
    return sink.preCommit(Map.of(partition, new OffsetAndMetadata(position)))
        .get(partition)
        .offset();
  }

  /** Waits until the present channel has seen so many publishes. */
  FakeBroker.Fake awaitPublished(int count) {
    await()
        .atMost(Duration.ofSeconds(10))
        .pollInterval(Duration.ofMillis(2))
        .until(() -> !broker.channels.isEmpty() && broker.channel().published.size() >= count);
    return broker.channel();
  }

  /** Waits until so many channels have been opened. */
  void awaitChannels(int count) {
    await()
        .atMost(Duration.ofSeconds(10))
        .pollInterval(Duration.ofMillis(2))
        .until(() -> broker.channels.size() >= count);
  }

  @Override
  public void close() {
    sink.stop();
  }
}
