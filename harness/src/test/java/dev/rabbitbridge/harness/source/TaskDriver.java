// SPDX-License-Identifier: Apache-2.0
package dev.rabbitbridge.harness.source;

import dev.rabbitbridge.source.RabbitMQSourceTask;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.connect.source.SourceRecord;
import org.apache.kafka.connect.source.SourceTaskContext;
import org.apache.kafka.connect.storage.OffsetStorageReader;
import org.jspecify.annotations.Nullable;

/**
 * A source task without a worker: the test says when it is polled and what Kafka has committed. For
 * one thread.
 */
final class TaskDriver implements AutoCloseable {
  private static final Duration PATIENCE = Duration.ofSeconds(30);
  private static final RecordMetadata PRODUCED =
      new RecordMetadata(new TopicPartition("topic", 0), 0, 0, 0, 0, 0);

  private final RabbitMQSourceTask task = new RabbitMQSourceTask();
  private boolean stopped;

  private TaskDriver() {}

  static TaskDriver start(Map<String, String> config) {
    return start(config, Map.of());
  }

  /** Starts a task for which Connect has stored these offsets. */
  static TaskDriver start(
      Map<String, String> config, Map<Map<String, ?>, Map<String, Object>> offsets) {
    TaskDriver driver = new TaskDriver();
    Map<String, String> props = new HashMap<>(config);
    props.putIfAbsent("name", "driver");
    props.putIfAbsent("kafka.topic", "topic");
    driver.task.initialize(context(props, offsets));
    driver.task.start(props);
    return driver;
  }

  /** Polls once. */
  List<SourceRecord> poll() {
    try {
      List<SourceRecord> records = task.poll();
      return records == null ? List.of() : records;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException(e);
    }
  }

  /** Polls until this many records have come. */
  List<SourceRecord> poll(int count) {
    List<SourceRecord> records = new ArrayList<>();
    long deadline = System.nanoTime() + PATIENCE.toNanos();
    while (records.size() < count) {
      if (System.nanoTime() > deadline) {
        throw new AssertionError("only " + records.size() + " of " + count + " records came");
      }
      records.addAll(poll());
    }
    return records;
  }

  /** Polls and commits until each of these texts has come. */
  List<SourceRecord> pollAndCommitAll(java.util.Collection<String> texts) {
    java.util.Set<String> missing = new java.util.HashSet<>(texts);
    return pollAndCommit(
        polled -> {
          polled.forEach(record -> missing.remove(text(record)));
          return missing.isEmpty();
        });
  }

  /** Publishes one message after the other until a record comes. */
  List<SourceRecord> pollAndCommitWhilePublishing(
      dev.rabbitbridge.harness.Scenario scenario, String queue, String text) {
    return pollAndCommit(
        polled -> {
          if (polled.isEmpty()) {
            scenario.amqp().publish(queue, List.of(text));
          }
          return !polled.isEmpty();
        });
  }

  /** Polls and commits whatever comes, until the condition holds. */
  List<SourceRecord> pollAndCommitUntil(java.util.function.BooleanSupplier condition) {
    return pollAndCommit(polled -> condition.getAsBoolean());
  }

  private List<SourceRecord> pollAndCommit(
      java.util.function.Predicate<List<SourceRecord>> isDone) {
    List<SourceRecord> records = new ArrayList<>();
    long deadline = System.nanoTime() + PATIENCE.toNanos();
    boolean done = false;
    while (!done) {
      if (System.nanoTime() > deadline) {
        throw new AssertionError("not within " + PATIENCE + "; " + records.size() + " records");
      }
      List<SourceRecord> polled = poll();
      records.addAll(polled);
      polled.forEach(this::commit);
      done = isDone.test(polled);
    }
    return records;
  }

  void commit(SourceRecord record) {
    task.commitRecord(record, PRODUCED);
  }

  /** As the framework does when a transform drops the record or an error is tolerated. */
  void drop(SourceRecord record) {
    task.commitRecord(record, null);
  }

  RabbitMQSourceTask task() {
    return task;
  }

  void stop() {
    stopped = true;
    task.stop();
  }

  @Override
  public void close() {
    if (!stopped) {
      stop();
    }
  }

  static String text(SourceRecord record) {
    return new String((byte[]) record.value(), java.nio.charset.StandardCharsets.UTF_8);
  }

  /** A proxy, since what a context has to offer depends on Kafka's version: null, if not this. */
  private static SourceTaskContext context(
      Map<String, String> configs, Map<Map<String, ?>, Map<String, Object>> offsets) {
    return (SourceTaskContext)
        Proxy.newProxyInstance(
            SourceTaskContext.class.getClassLoader(),
            new Class<?>[] {SourceTaskContext.class},
            (proxy, method, arguments) ->
                switch (method.getName()) {
                  case "configs" -> configs;
                  case "offsetStorageReader" -> new Reader(offsets);
                  default -> null;
                });
  }

  private record Reader(Map<Map<String, ?>, Map<String, Object>> offsets)
      implements OffsetStorageReader {
    @Override
    public <T> @Nullable Map<String, Object> offset(Map<String, T> partition) {
      return offsets.get(partition);
    }

    @Override
    public <T> Map<Map<String, T>, Map<String, Object>> offsets(
        Collection<Map<String, T>> partitions) {
      Map<Map<String, T>, Map<String, Object>> found = new HashMap<>();
      partitions.forEach(partition -> found.put(partition, offsets.get(partition)));
      return found;
    }
  }
}
