// SPDX-License-Identifier: Apache-2.0
package dev.rabbitbridge.harness.chaos;

import dev.rabbitbridge.harness.rabbitmq.QueueKind;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;

/** The first half of the round trip: from each topic to a queue of its own. */
final class TripSink extends Flow {
  static final int ROUTES = 4;
  private static final int PARTITIONS = 2;
  static final int TASKS = 4;
  static final int WINDOW = 500;

  private @Nullable KafkaLoad load;

  TripSink(Rig rig) {
    super(rig, Side.SINK);
  }

  String topic(int route) {
    return "chaos-" + rig.run + "-in-" + route;
  }

  String queue(int route) {
    return "chaos-queue-" + route + "-" + rig.run;
  }

  private static List<TopicPartition> partitions(Stream<String> topics) {
    return topics
        .flatMap(
            topic -> IntStream.range(0, PARTITIONS).mapToObj(p -> new TopicPartition(topic, p)))
        .toList();
  }

  Stream<String> topics() {
    return IntStream.range(0, ROUTES).mapToObj(this::topic);
  }

  Stream<String> queues() {
    return IntStream.range(0, ROUTES).mapToObj(this::queue);
  }

  @Override
  void begin() {
    topics().forEach(topic -> rig.harness.kafka().client().createTopic(topic, PARTITIONS));
    declareQueue();
    put();
    rig.rest().awaitRunning(connector, TASKS);
  }

  /** Begins once the second half is ready. */
  void beginLoad() {
    load = new KafkaLoad(rig.harness.kafka(), books, partitions(topics()), rig.rate);
  }

  @Override
  Map<String, String> settings() {
    return Map.of(
        "consumer.override.session.timeout.ms",
        SinkFlow.SESSION,
        "tasks.max",
        Integer.toString(TASKS),
        "topics",
        topics().collect(Collectors.joining(",")),
        "rabbitmq.exchange",
        "",
        "rabbitmq.topic.queue.map",
        IntStream.range(0, ROUTES)
            .mapToObj(route -> "\"%s\":\"%s\"".formatted(topic(route), queue(route)))
            .collect(Collectors.joining(",", "{", "}")),
        "rabbitmq.publish.max.in.flight",
        Integer.toString(WINDOW));
  }

  @Override
  void endLoad() {
    if (load != null) {
      load.close();
    }
  }

  @Override
  boolean isThrough() {
    return books.isComplete();
  }

  @Override
  void destroyQueue() {
    throw new UnsupportedOperationException("not on a round trip");
  }

  @Override
  void declareQueue() {
    for (int route = 0; route < ROUTES; route++) {
      rig.rabbitMQ()
          .management()
          .declareQueue(queue(route), route == 0 ? QueueKind.CLASSIC : QueueKind.QUORUM, Map.of());
    }
  }

  @Override
  Account account() {
    return books.account();
  }

  @Override
  public void close() {
    endLoad();
    rig.rest().delete(connector);
    queues().forEach(rig.rabbitMQ().management()::deleteQueue);
    rig.harness.kafka().client().deleteTopics(topics().toList());
  }
}
