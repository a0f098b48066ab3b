// SPDX-License-Identifier: Apache-2.0
package dev.rabbitbridge.harness.security;

import static org.awaitility.Awaitility.await;

import dev.rabbitbridge.sink.RabbitMQSinkTask;
import dev.rabbitbridge.source.RabbitMQSourceTask;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.connect.connector.Task;
import org.apache.kafka.connect.sink.SinkRecord;
import org.apache.kafka.connect.sink.SinkTaskContext;
import org.apache.kafka.connect.source.SourceTaskContext;

/**
 * Runs tasks in this JVM until they fail: restarts without the rebalances of a worker, and what
 * they leave behind can be counted.
 */
final class Tasks {
  private static final Duration PATIENCE = Duration.ofSeconds(30);
  private static final String NAME = "mistaken";

  private Tasks() {}

  /** Starts a task and returns the message that it fails with. */
  static String failure(Map<String, String> config) {
    Map<String, String> props = new HashMap<>(config);
    props.put("name", NAME);
    return props.containsKey("topics") ? sinkFailure(props) : sourceFailure(props);
  }

  private static String sinkFailure(Map<String, String> props) {
    RabbitMQSinkTask task = new RabbitMQSinkTask();
    TopicPartition partition = new TopicPartition(props.get("topics"), 0);
    task.initialize(context(SinkTaskContext.class, props));
    List<SinkRecord> once =
        List.of(new SinkRecord(partition.topic(), 0, null, null, null, new byte[] {1}, 0));
    return failure(
        task,
        () -> {
          task.start(props);
          task.open(Set.of(partition));
          task.put(once);
        },
        () -> task.put(List.of()));
  }

  /** Runs a sink until a record of its topic is confirmed. */
  static void publishOne(Map<String, String> config) {
    Map<String, String> props = new HashMap<>(config);
    props.put("name", NAME);
    RabbitMQSinkTask task = new RabbitMQSinkTask();
    TopicPartition partition = new TopicPartition(props.get("topics"), 0);
    task.initialize(context(SinkTaskContext.class, props));
    try {
      task.start(props);
      task.open(Set.of(partition));
      task.put(List.of(new SinkRecord(partition.topic(), 0, null, null, null, new byte[] {1}, 0)));
      await()
          .atMost(PATIENCE)
          .until(
              () -> {
                task.put(List.of());
                return task.preCommit(Map.of(partition, new OffsetAndMetadata(1)))
                    .equals(Map.of(partition, new OffsetAndMetadata(1)));
              });
    } finally {
      task.close(Set.of(partition));
      task.stop();
    }
  }

  private static String sourceFailure(Map<String, String> props) {
    RabbitMQSourceTask task = new RabbitMQSourceTask();
    task.initialize(context(SourceTaskContext.class, props));
    return failure(task, () -> task.start(props), task::poll);
  }

  private static String failure(Task task, Step start, Step next) {
    long deadline = System.nanoTime() + PATIENCE.toNanos();
    try {
      start.run();
      while (System.nanoTime() < deadline) {
        next.run();
      }
      return "did not fail within " + PATIENCE;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException(e);
    } catch (RuntimeException e) {
      return String.valueOf(e.getMessage());
    } finally {
      task.stop();
    }
  }

  /** The threads that tasks and their connections have now. */
  static Set<String> threads() {
    return Thread.getAllStackTraces().keySet().stream()
        .map(Thread::getName)
        .filter(name -> name.contains(NAME) || name.contains("RabbitMQ"))
        .collect(Collectors.toSet());
  }

  /** No reporter, no stored offsets, nothing assigned. */
  private static <T> T context(Class<T> type, Map<String, String> props) {
    return type.cast(
        Proxy.newProxyInstance(
            type.getClassLoader(),
            new Class<?>[] {type},
            (proxy, method, arguments) ->
                switch (method.getName()) {
                  case "configs" -> props;
                  case "assignment" -> Set.of();
                  case "offsetStorageReader" -> noOffsets(method.getReturnType());
                  default -> null;
                }));
  }

  private static Object noOffsets(Class<?> type) {
    return Proxy.newProxyInstance(
        type.getClassLoader(),
        new Class<?>[] {type},
        (proxy, method, arguments) -> method.getName().equals("offsets") ? Map.of() : null);
  }

  private interface Step {
    void run() throws InterruptedException;
  }
}
