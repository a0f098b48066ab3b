// SPDX-License-Identifier: Apache-2.0
package dev.rabbitbridge.sink;

import dev.rabbitbridge.metrics.Latency;
import dev.rabbitbridge.metrics.Meter;
import dev.rabbitbridge.metrics.TaskMetrics;
import java.util.function.DoubleSupplier;
import org.apache.kafka.connect.sink.SinkTaskContext;

/**
 * What happens to the messages of one task, counted where it happens, and what operators see of it.
 * Thread safe, but for {@link #publish} and {@link #close}, which are the task thread's.
 */
final class SinkMetrics implements AutoCloseable {
  private static final double NANOS_PER_MILLI = 1e6;

  final Meter published = new Meter(System.nanoTime());
  final Meter confirmed = new Meter(System.nanoTime());
  final Meter nacked = new Meter(System.nanoTime());
  final Meter returned = new Meter(System.nanoTime());
  final Meter timedOut = new Meter(System.nanoTime());
  final Meter republished = new Meter(System.nanoTime());
  final Meter recordErrors = new Meter(System.nanoTime());
  final Latency confirmLatency = new Latency(System.nanoTime());
  private final TaskMetrics metrics;

  SinkMetrics(String connector, String task) {
    metrics = new TaskMetrics(connector, task, System::nanoTime);
    metrics
        .add("published", "Messages written to a channel, repeats included", published)
        .add("confirmed", "Messages that RabbitMQ confirmed and had not returned", confirmed)
        .add("nacked", "Messages that RabbitMQ nacked", nacked)
        .add("returned", "Messages that RabbitMQ returned as unroutable", returned)
        .add("timed-out", "Messages without a confirm in time", timedOut)
        .add("republished", "Messages written to a channel once more", republished)
        .add("record-errors", "Records that RabbitMQ will never take", recordErrors)
        .add("confirm-latency", "Time from publish to confirm", confirmLatency);
  }

  /** Makes them visible, together with what the parts of a task know by themselves. */
  void publish(
      SinkTaskContext context, Outbox outbox, Publisher publisher, DoubleSupplier pending) {
    metrics
        .add("in-flight", "Messages that wait for their confirm", outbox::inFlight)
        .add("pending", "Records taken from Kafka and not done, in flight or not", pending)
        .add(
            "blocked",
            "1 while RabbitMQ blocks the connection, else 0",
            () -> publisher.isBlocked() ? 1 : 0)
        .add(
            "blocked-time-ms-total",
            "Time for which RabbitMQ blocked the connection, in ms, since the task started",
            () -> publisher.blockedNanos() / NANOS_PER_MILLI)
        .add(
            "connected",
            "1 while there is a connection to publish on, else 0",
            () -> publisher.isConnected() ? 1 : 0)
        .add(
            "reconnects-total",
            "Connections opened after the first, since the task started",
            publisher::reconnects)
        .publish(SinkTaskContext.class, context);
  }

  @Override
  public void close() {
    metrics.close();
  }
}
