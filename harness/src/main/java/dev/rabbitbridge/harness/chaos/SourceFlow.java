// SPDX-License-Identifier: Apache-2.0
package dev.rabbitbridge.harness.chaos;

import dev.rabbitbridge.harness.kafka.KafkaClient;
import dev.rabbitbridge.harness.rabbitmq.Amqp;
import dev.rabbitbridge.harness.rabbitmq.Management;
import dev.rabbitbridge.harness.rabbitmq.Message;
import dev.rabbitbridge.harness.rabbitmq.QueueKind;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.BiConsumer;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;

/** RabbitMQ to Kafka, from a quorum queue and a classic one into one partition. */
final class SourceFlow extends Flow {
  private static final Duration WATCH = Duration.ofMillis(100);
  private static final Duration LAST_RECORDS = Duration.ofSeconds(20);

  final List<String> queues;
  private final String dead;
  private final String topic;
  private final Probe probe;
  private @Nullable AmqpLoad load;
  private @Nullable KafkaTail tail;
  private @Nullable Repeat watch;
  private final AckTap tap = new AckTap();
  private @Nullable Repeat acks;

  SourceFlow(Rig rig) {
    super(rig, Side.SOURCE);
    queues = List.of("chaos-source-quorum-" + rig.run, "chaos-source-classic-" + rig.run);
    dead = "chaos-source-dead-" + rig.run;
    topic = "chaos-source-topic-" + rig.run;
    probe = new Probe(rig.rabbitMQ()::uri, false);
  }

  @Override
  void begin() {
    kafka().createTopic(topic, 1);
    declareQueue();
    rig.proxy.tap(tap);
    put();
    rig.rest().awaitRunning(connector, 2);
    tail =
        new KafkaTail(
            rig.harness.kafka(),
            List.of(new TopicPartition(topic, 0)),
            record -> KafkaTail.deliver(books, record));
    watch = new Repeat("source-progress", WATCH, () -> progress.note(books.deliveries()));
    acks = new Repeat("source-acks", WATCH, this::watchAcks);
    load = new AmqpLoad(rig.rabbitMQ()::uri, books, queues, rig.rate);
  }

  @Override
  Map<String, String> settings() {
    return Map.of(
        "rabbitmq.queue",
        String.join(",", queues),
        "kafka.topic",
        topic,
        "rabbitmq.max.queue.per.task",
        "1");
  }

  /** First what was acked, then how much is in Kafka: nothing else proves an ack too early. */
  private void watchAcks() throws Exception {
    List<Letter> acked = tap.take();
    if (!acked.isEmpty()) {
      int end = endOffset();
      acked.forEach(letter -> books.claimOne(letter.lane(), letter.number(), end));
    }
  }

  private int endOffset() throws Exception {
    TopicPartition partition = new TopicPartition(topic, 0);
    while (true) {
      try {
        return (int)
            kafka()
                .admin()
                .listOffsets(Map.of(partition, OffsetSpec.latest()))
                .partitionResult(partition)
                .get(20, TimeUnit.SECONDS)
                .offset();
      } catch (ExecutionException | TimeoutException e) {
        // Kafka is away. What was acked before, it must have had before.
        Rig.sleep(WATCH);
      }
    }
  }

  @Override
  void endLoad() {
    if (load != null) {
      load.close();
    }
  }

  @Override
  boolean isThrough() throws Exception {
    for (String queue : queues) {
      if (probe.ready(queue) > 0
          || rig.rabbitMQ().management().queue(queue).path("messages_unacknowledged").asLong(-1)
              != 0) {
        return false;
      }
    }
    return books.isComplete();
  }

  @Override
  void destroyQueue() {
    AmqpLoad publisher = Objects.requireNonNull(load);
    // Nothing may come in while the content is booked.
    publisher.pause(true);
    Rig.sleep(Duration.ofMillis(500));
    drain(queues, books::destroy);
    queues.forEach(rig.rabbitMQ().management()::deleteQueue);
    publisher.pause(false);
  }

  @Override
  void declareQueue() {
    Management management = rig.nodes().get(0).management();
    QueueKind kind = rig.fault.clusterQueues();
    management.declareQueue(dead, QueueKind.CLASSIC, Map.of());
    management.declareQueue(
        queues.get(0),
        kind == null ? QueueKind.QUORUM : kind,
        kind == QueueKind.CLASSIC ? Map.of() : limited());
    management.declareQueue(queues.get(1), kind == null ? QueueKind.CLASSIC : kind, Map.of());
  }

  /** As is the default from RabbitMQ 4 on, but nothing vanishes. */
  private Map<String, Object> limited() {
    return Map.of(
        "x-delivery-limit", 20, "x-dead-letter-exchange", "", "x-dead-letter-routing-key", dead);
  }

  private void drain(List<String> some, BiConsumer<Integer, Integer> book) {
    try (Amqp amqp = rig.rabbitMQ().connect()) {
      for (String queue : some) {
        for (Message message : amqp.drain(queue)) {
          Letter.read(message.body(), null)
              .ifPresent(letter -> book.accept(letter.lane(), letter.number()));
        }
      }
    }
  }

  @Override
  Account account() {
    rig.rest().delete(connector);
    long end = kafka().endOffsets(topic).values().iterator().next();
    long deadline = System.nanoTime() + LAST_RECORDS.toNanos();
    while (books.deliveries() < end && System.nanoTime() < deadline) {
      Rig.sleep(Duration.ofMillis(100));
    }
    stopWatching();
    drain(queues, books::remain);
    drain(List.of(dead), books::deadLetter);
    return books.account();
  }

  private void stopWatching() {
    if (watch != null) {
      watch.close();
    }
    if (acks != null) {
      acks.close();
    }
    if (tail != null) {
      tail.close();
      tail = null;
    }
    probe.close();
  }

  private KafkaClient kafka() {
    return rig.harness.kafka().client();
  }

  @Override
  public void close() {
    endLoad();
    stopWatching();
    rig.rest().delete(connector);
    queues.forEach(rig.rabbitMQ().management()::deleteQueue);
    rig.rabbitMQ().management().deleteQueue(dead);
    kafka().deleteTopics(List.of(topic));
  }
}
