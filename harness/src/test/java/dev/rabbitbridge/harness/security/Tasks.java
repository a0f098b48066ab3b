// SPDX-License-Identifier: Apache-2.0
package dev.rabbitbridge.harness.security;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.rabbitbridge.sink.RabbitMQSinkTask;
import dev.rabbitbridge.source.RabbitMQSourceTask;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
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
  private static final Duration BETWEEN_PUTS = Duration.ofMillis(5);
  private static final String NAME = "mistaken";
  private static final String WARNING = "no connection to RabbitMQ";

  private Tasks() {}

  /**
   * Runs a task until it fails or warns that there is no connection, stops it, and returns that
   * message.
   */
  static String complaint(Map<String, String> config) {
    PrintStream before = System.err;
    ByteArrayOutputStream logged = new ByteArrayOutputStream();
    // Where the tests' logger writes to.
    System.setErr(new PrintStream(logged, true, UTF_8));
    try {
      boolean warned = running(config).until(() -> logged.toString(UTF_8).contains(WARNING));
      assertThat(warned).as("fails or warns within %s", PATIENCE).isTrue();
      return logged
          .toString(UTF_8)
          .lines()
          .filter(line -> line.contains(WARNING))
          .findFirst()
          .get();
    } catch (RuntimeException e) {
      return String.valueOf(e.getMessage());
    } finally {
      System.setErr(before);
      before.print(logged.toString(UTF_8));
    }
  }

  /** Runs a task until something is so, and stops it. */
  static void runUntil(Map<String, String> config, BooleanSupplier condition) {
    assertThat(running(config).until(condition)).isTrue();
  }

  private static Running running(Map<String, String> config) {
    Map<String, String> props = named(config);
    return props.containsKey("topics") ? runningSink(props) : runningSource(props);
  }

  private static Map<String, String> named(Map<String, String> config) {
    Map<String, String> props = new HashMap<>(config);
    props.put("name", NAME);
    return props;
  }

  private static Running runningSink(Map<String, String> props) {
    RabbitMQSinkTask task = new RabbitMQSinkTask();
    TopicPartition partition = new TopicPartition(props.get("topics"), 0);
    task.initialize(context(SinkTaskContext.class, props));
    return new Running(
        task,
        () -> {
          task.start(props);
          task.open(Set.of(partition));
          task.put(List.of(oneRecord(partition)));
        },
        () -> {
          task.put(List.of());
          LockSupport.parkNanos(BETWEEN_PUTS.toNanos());
        });
  }

  private static Running runningSource(Map<String, String> props) {
    RabbitMQSourceTask task = new RabbitMQSourceTask();
    task.initialize(context(SourceTaskContext.class, props));
    return new Running(task, () -> task.start(props), task::poll);
  }

  private static SinkRecord oneRecord(TopicPartition partition) {
    return new SinkRecord(partition.topic(), 0, null, null, null, new byte[] {1}, 0);
  }

  /** Runs a sink until a record of its topic is confirmed. */
  static void publishOne(Map<String, String> config) {
    Map<String, String> props = named(config);
    RabbitMQSinkTask task = new RabbitMQSinkTask();
    TopicPartition partition = new TopicPartition(props.get("topics"), 0);
    task.initialize(context(SinkTaskContext.class, props));
    try {
      task.start(props);
      task.open(Set.of(partition));
      task.put(List.of(oneRecord(partition)));
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

  private record Running(Task task, Step start, Step next) {
    /** Returns whether it came to be so in time; the task is stopped in any case. */
    boolean until(BooleanSupplier condition) {
      long deadline = System.nanoTime() + PATIENCE.toNanos();
      try {
        start.run();
        while (!condition.getAsBoolean()) {
          if (System.nanoTime() > deadline) {
            return false;
          }
          next.run();
        }
        return true;
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        throw new IllegalStateException(e);
      } finally {
        task.stop();
      }
    }
  }

  private interface Step {
    void run() throws InterruptedException;
  }
}
