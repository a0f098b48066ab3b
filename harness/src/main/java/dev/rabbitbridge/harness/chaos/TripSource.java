// SPDX-License-Identifier: Apache-2.0
package dev.rabbitbridge.harness.chaos;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;

/** The second half of the round trip: from each queue back to a topic of its own. */
final class TripSource extends Flow {
  static final int PREFETCH = 200;
  private static final Duration WATCH = Duration.ofMillis(200);

  private final TripSink first;
  private @Nullable KafkaTail tail;
  private @Nullable Repeat watch;

  TripSource(Rig rig, TripSink first) {
    super(rig, Side.SOURCE, first.books, first.progress);
    this.first = first;
  }

  private List<String> back() {
    return first.queues().map(queue -> queue + "-back").toList();
  }

  @Override
  void begin() {
    // One partition, so that what comes reordered was reordered on the way.
    back().forEach(topic -> rig.harness.kafka().client().createTopic(topic, 1));
    put();
    rig.rest().awaitRunning(connector, TripSink.TASKS);
    tail =
        new KafkaTail(
            rig.harness.kafka(),
            back().stream().map(topic -> new TopicPartition(topic, 0)).toList(),
            record -> KafkaTail.deliver(books, record));
    watch = new Repeat("trip-progress", WATCH, () -> progress.note(books.deliveries()));
  }

  @Override
  Map<String, String> settings() {
    return Map.of(
        "tasks.max",
        Integer.toString(TripSink.TASKS),
        "rabbitmq.queue",
        first.queues().collect(Collectors.joining(",")),
        "rabbitmq.max.queue.per.task",
        "1",
        "rabbitmq.prefetch.count",
        Integer.toString(PREFETCH),
        "kafka.topic",
        "${queue}-back");
  }

  @Override
  void endLoad() {}

  /** Whatever is in a queue yet would be a delivery too many. */
  @Override
  boolean isThrough() {
    return books.isComplete()
        && first
            .queues()
            .allMatch(
                queue -> rig.rabbitMQ().management().queue(queue).path("messages").asLong(-1) == 0);
  }

  @Override
  void destroyQueue() {}

  @Override
  void declareQueue() {}

  @Override
  Account account() {
    return books.account();
  }

  @Override
  public void close() {
    if (watch != null) {
      watch.close();
    }
    if (tail != null) {
      tail.close();
    }
    rig.rest().delete(connector);
    rig.harness.kafka().client().deleteTopics(back());
  }
}
