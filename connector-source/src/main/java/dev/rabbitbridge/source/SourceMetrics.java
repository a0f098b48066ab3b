// SPDX-License-Identifier: Apache-2.0
package dev.rabbitbridge.source;

import dev.rabbitbridge.metrics.Latency;
import dev.rabbitbridge.metrics.Meter;
import dev.rabbitbridge.metrics.TaskMetrics;
import java.util.Collection;
import java.util.List;
import java.util.function.ToIntFunction;
import org.apache.kafka.connect.source.SourceTaskContext;

/**
 * What happens to the messages of one task, counted where it happens, and what operators see of it.
 * Thread safe, but for {@link #publish} and {@link #close}, which are the task thread's.
 */
final class SourceMetrics implements AutoCloseable {
  final Meter delivered = new Meter(System.nanoTime());
  final Meter redelivered = new Meter(System.nanoTime());
  final Meter produced = new Meter(System.nanoTime());
  final Meter acked = new Meter(System.nanoTime());
  final Meter rejected = new Meter(System.nanoTime());
  final Meter retried = new Meter(System.nanoTime());
  final Meter deduplicated = new Meter(System.nanoTime());
  final Meter unidentified = new Meter(System.nanoTime());
  final Meter staleTags = new Meter(System.nanoTime());
  final Latency ackLatency = new Latency(System.nanoTime());
  private final TaskMetrics metrics;

  SourceMetrics(String connector, String task) {
    metrics = new TaskMetrics(connector, task, System::nanoTime);
    metrics
        .add("delivered", "Messages that RabbitMQ delivered", delivered)
        .add("redelivered", "Messages that RabbitMQ delivered again", redelivered)
        .add("produced", "Records that Kafka has committed", produced)
        .add("acked", "Messages acked", acked)
        .add("rejected", "Messages rejected without requeue", rejected)
        .add("retried", "Messages sent to a delay queue for a retry", retried)
        .add("deduplicated", "Redeliveries acked because Kafka has their record", deduplicated)
        .add(
            "unidentified",
            "Redeliveries without a message-id, which deduplication cannot tell from others",
            unidentified)
        .add(
            "stale-tags-dropped",
            "Words about messages whose channel was lost, so that RabbitMQ delivers them again",
            staleTags)
        .add("ack-latency", "Time from delivery to ack", ackLatency);
  }

  /** Returns how many messages RabbitMQ was told of. */
  long answered() {
    return acked.total() + rejected.total();
  }

  /** Makes them visible, together with what the parts of a task know by themselves. */
  void publish(
      SourceTaskContext context,
      Collection<QueueConsumer> consumers,
      Inbox inbox,
      List<Link> links) {
    metrics
        .add(
            "unacked",
            "Messages delivered and not acked or rejected yet",
            () -> sum(consumers, QueueConsumer::unacked))
        .add("buffer", "Messages delivered and not polled yet", inbox::size)
        .add(
            "consumers",
            "Queues that are being consumed",
            () -> sum(consumers, consumer -> consumer.isSubscribed() ? 1 : 0))
        .add(
            "connected",
            "1 while there is a connection, and with retries the one that publishes them, else 0",
            () -> links.stream().allMatch(Link::isUp) ? 1 : 0)
        .add(
            "reconnects-total",
            "Connections opened in place of lost ones, since the task started",
            () -> links.stream().mapToInt(Link::reconnects).sum())
        .publish(SourceTaskContext.class, context);
  }

  private static int sum(Collection<QueueConsumer> consumers, ToIntFunction<QueueConsumer> of) {
    return consumers.stream().mapToInt(of).sum();
  }

  @Override
  public void close() {
    metrics.close();
  }
}
