// SPDX-License-Identifier: Apache-2.0
package dev.rabbitbridge.source;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Spreads queues over tasks. Pure. */
final class QueueAssignment {
  private QueueAssignment() {}

  /** Returns one list of queues for each task, none empty. */
  static List<List<String>> assign(List<String> queues, int maxTasks, ConsumerMode mode) {
    List<List<String>> tasks = new ArrayList<>();
    switch (mode) {
      case SHARED -> {
        for (int task = 0; task < maxTasks; task++) {
          tasks.add(queues);
        }
      }
      case DEDICATED -> {
        for (int task = 0; task < Math.min(maxTasks, queues.size()); task++) {
          tasks.add(new ArrayList<>());
        }
        for (int i = 0; i < queues.size(); i++) {
          tasks.get(i % tasks.size()).add(queues.get(i));
        }
      }
    }
    return tasks;
  }

  /** Returns why the queues do not fit, or null when they do. */
  static @Nullable String problem(int queues, int maxTasks, int perTask, boolean shared) {
    int most = shared ? queues : (queues + maxTasks - 1) / maxTasks;
    if (most <= perTask) {
      return null;
    }
    String what =
        shared
            ? "in shared mode every task reads all " + queues + " queues, "
            : queues + " queues on at most " + maxTasks + " tasks make " + most + " for one task, ";
    return what
        + perTask
        + " are allowed; raise "
        + (shared ? "" : "tasks.max or ")
        + RabbitMQSourceConfig.MAX_QUEUES_CONFIG;
  }
}
