// SPDX-License-Identifier: Apache-2.0
package dev.rabbitbridge.harness.chaos;

import dev.rabbitbridge.harness.kafka.KafkaClient;
import dev.rabbitbridge.harness.rabbitmq.Amqp;
import dev.rabbitbridge.harness.rabbitmq.Management;
import dev.rabbitbridge.harness.rabbitmq.Message;
import dev.rabbitbridge.harness.rabbitmq.QueueKind;
import java.io.IOException;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeoutException;
import java.util.stream.IntStream;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;

/**
 * Kafka to RabbitMQ. Nobody consumes the queue until all is over: its content, in order, is the
 * third book, and its length at the moment of a commit tells what was done by then. One message in
 * fifty is unroutable, so that the dead letter topic takes part.
 */
final class SinkFlow extends Flow {
  static final int POISON = 50;
  static final String KEY = "work";

  /** Kafka keeps the partitions of a killed worker for so long, 45 s by default. */
  static final String SESSION = "10000";

  private static final int PARTITIONS = 4;
  private static final Duration WATCH = Duration.ofMillis(100);

  final String queue;
  final String exchange;
  private final String topic;
  private final String dead;
  private final Probe depth;
  private final Probe depthAtCommit;
  private @Nullable KafkaLoad load;
  private @Nullable Repeat watch;
  private @Nullable Repeat commits;

  SinkFlow(Rig rig) {
    super(rig, Side.SINK);
    queue = "chaos-sink-queue-" + rig.run;
    exchange = "chaos-sink-exchange-" + rig.run;
    topic = "chaos-sink-topic-" + rig.run;
    dead = "chaos-sink-dead-" + rig.run;
    depth = new Probe(rig.rabbitMQ()::uri, false);
    depthAtCommit = new Probe(rig.rabbitMQ()::uri, false);
  }

  @Override
  void begin() {
    kafka().createTopic(topic, PARTITIONS);
    kafka().createTopic(dead, 1);
    declareQueue();
    put();
    rig.rest().awaitRunning(connector, 2);
    load = new KafkaLoad(rig.harness.kafka(), books, lanes(), rig.rate);
    watch = new Repeat("sink-progress", WATCH, () -> progress.note(depth.ready(queue)));
    commits = new Repeat("sink-commits", WATCH, this::watchCommits);
  }

  @Override
  Map<String, String> settings() {
    Map<String, String> settings = new HashMap<>();
    settings.put("topics", topic);
    // A task fails over an exchange only where all its records go to that one.
    settings.put(
        "rabbitmq.exchange",
        rig.fault.failure() == null ? "${header:exchange|" + exchange + "}" : exchange);
    settings.put("rabbitmq.routing.key", "${header:" + Letter.ROUTE + "|" + KEY + "}");
    settings.put("consumer.override.session.timeout.ms", SESSION);
    settings.put("errors.tolerance", "all");
    settings.put("errors.deadletterqueue.topic.name", dead);
    settings.put("errors.deadletterqueue.topic.replication.factor", "1");
    return settings;
  }

  /** First what is committed, then how much had come out: nothing else proves a commit too far. */
  private void watchCommits() throws IOException, TimeoutException {
    Map<TopicPartition, Long> committed = kafka().committedBySink(connector);
    int ready = depthAtCommit.ready(queue);
    // Right after its restart a broker counts too low.
    if (ready >= progress.delivered()) {
      progress.note(ready);
      committed.forEach((partition, offset) -> books.claim(partition.partition(), offset, ready));
    }
  }

  /** Returns whether something was confirmed or dead-lettered that is not committed yet. */
  boolean hasUncommitted(int messages) {
    long committed =
        kafka().committedBySink(connector).values().stream().mapToLong(Long::longValue).sum();
    return progress.delivered() >= committed + messages && deadLetters() > committed / POISON;
  }

  private long deadLetters() {
    return kafka().endOffsets(dead).values().stream().mapToLong(Long::longValue).sum();
  }

  @Override
  void endLoad() {
    if (load != null) {
      load.close();
    }
  }

  @Override
  boolean isThrough() {
    return kafka().committedBySink(connector).equals(kafka().endOffsets(topic));
  }

  @Override
  void destroyQueue() {
    // Nothing may come in while the content is booked.
    rig.rabbitMQ().management().unbind(exchange, queue, KEY);
    try (Amqp amqp = rig.rabbitMQ().connect()) {
      for (List<Message> some = amqp.drain(queue); !some.isEmpty(); some = amqp.drain(queue)) {
        some.forEach(message -> read(message).ifPresent(l -> books.destroy(l.lane(), l.number())));
      }
    }
    rig.rabbitMQ().management().deleteQueue(queue);
    // Counts that were asked for before.
    Rig.sleep(WATCH.multipliedBy(3));
    progress.restart();
  }

  @Override
  void declareQueue() {
    Management management = rig.nodes().get(0).management();
    QueueKind kind = rig.fault.clusterQueues();
    management.declareExchange(exchange, "direct", Map.of());
    management.declareQueue(queue, kind == null ? QueueKind.QUORUM : kind, Map.of());
    management.bind(exchange, queue, KEY);
  }

  @Override
  Account account() {
    stopWatching();
    Map<TopicPartition, Long> committed = kafka().committedBySink(connector);
    rig.rest().delete(connector);
    try (Amqp amqp = rig.rabbitMQ().connect()) {
      for (Message message : amqp.drain(queue)) {
        read(message)
            .ifPresentOrElse(
                l -> books.deliver(l.lane(), l.number(), l.digest()), books::deliverForeign);
      }
    }
    kafka().read(dead).stream()
        .flatMap(record -> Letter.read(record.value(), null).stream())
        .forEach(letter -> books.deadLetter(letter.lane(), letter.number()));
    kafka().read(topic).stream()
        .filter(
            record ->
                record.offset()
                    >= committed.getOrDefault(new TopicPartition(topic, record.partition()), 0L))
        .flatMap(record -> Letter.read(record.value(), null).stream())
        .forEach(letter -> books.remain(letter.lane(), letter.number()));
    return books.account();
  }

  private static Optional<Letter> read(Message message) {
    Map<String, Object> headers = message.properties().getHeaders();
    return Letter.read(message.body(), headers == null ? null : headers.get(Letter.HEADER));
  }

  private void stopWatching() {
    if (watch != null) {
      watch.close();
    }
    if (commits != null) {
      commits.close();
    }
    depth.close();
    depthAtCommit.close();
  }

  private List<TopicPartition> lanes() {
    return IntStream.range(0, PARTITIONS).mapToObj(p -> new TopicPartition(topic, p)).toList();
  }

  private KafkaClient kafka() {
    return rig.harness.kafka().client();
  }

  @Override
  public void close() {
    endLoad();
    stopWatching();
    rig.rest().delete(connector);
    rig.rabbitMQ().management().deleteQueue(queue);
    rig.rabbitMQ().management().deleteExchange(exchange);
    kafka().deleteTopics(List.of(topic, dead));
  }
}
