// SPDX-License-Identifier: Apache-2.0
package dev.rabbitbridge.harness.bench;

import dev.rabbitbridge.harness.Checkout;
import dev.rabbitbridge.harness.Harness;
import dev.rabbitbridge.harness.connect.PluginFolder;
import dev.rabbitbridge.harness.connect.WorkerSettings;
import dev.rabbitbridge.harness.kafka.KafkaClient;
import dev.rabbitbridge.harness.node.Endpoint;
import dev.rabbitbridge.harness.rabbitmq.Amqp;
import dev.rabbitbridge.harness.rabbitmq.QueueKind;
import dev.rabbitbridge.harness.rabbitmq.RabbitMQ;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.stream.Stream;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;

/** The servers that everything is measured on, and what is asked of them again and again. */
final class Lab implements AutoCloseable {
  static final String BYTES = "org.apache.kafka.connect.converters.ByteArrayConverter";

  private final Harness harness = Harness.open();
  private final Path plugins;
  private final RabbitMQ broker;
  private final String discovery;
  private final Plant plant;
  private final Amqp amqp;
  private final Map<String, Integer> filled = new HashMap<>();
  private int names;

  /** Starts the servers; the worker sees our plugin, the floor, and copies of the peers. */
  Lab(List<Peer> peers) throws IOException {
    plugins = PluginFolder.unpack(Checkout.archive(), harness.folder().resolve("bench-plugins"));
    FloorPlugin.into(plugins);
    for (Peer peer : peers) {
      copy(peer.folder(), plugins.resolve("peer-" + peer.name()));
    }
    broker = harness.rabbitMQ();
    discovery = peers.isEmpty() ? "service_load" : "hybrid_warn";
    plant = new Plant(harness.newWorker(settings("bench")));
    amqp = broker.connect();
  }

  private WorkerSettings settings(String group) {
    return WorkerSettings.of(group)
        .with("plugin.path", plugins.toString())
        .with("plugin.discovery", discovery)
        .with("offset.flush.interval.ms", "10000")
        .withJvmOption("-Xmx1g");
  }

  private static void copy(Path from, Path to) throws IOException {
    try (Stream<Path> files = Files.walk(from)) {
      for (Path file : files.toList()) {
        Files.copy(file, to.resolve(from.relativize(file).toString()));
      }
    }
  }

  Harness harness() {
    return harness;
  }

  RabbitMQ broker() {
    return broker;
  }

  /** Returns the worker that most is measured on. */
  Plant plant() {
    return plant;
  }

  /** Starts another worker, in exactly-once mode. */
  Plant exactlyOncePlant() {
    return new Plant(harness.newWorker(settings("bench-once").exactlyOnce()));
  }

  KafkaClient kafka() {
    return harness.kafka().client();
  }

  /** Returns a name that was not used before. */
  String name(String what) {
    return "bench-" + what + "-" + ++names;
  }

  /** Makes an empty queue. */
  String queue(QueueKind kind) {
    String queue = name(kind.wireName());
    broker.management().declareQueue(queue, kind, Map.of());
    return queue;
  }

  /** Makes a queue that holds all messages of a load. */
  String filledQueue(Load load) throws Exception {
    String queue = queue(load.kind());
    fill(queue, load);
    return queue;
  }

  void fill(String queue, Load load) throws Exception {
    fill(queue, load, false);
  }

  /** Fills a queue, if wanted with messages that each have a message-id of their own. */
  void fill(String queue, Load load, boolean ids) throws Exception {
    Load fast = new Load(load.kind(), load.size(), 5000, load.messages());
    try (BarePublisher publisher = new BarePublisher(this, null, queue, fast, ids)) {
      publisher.awaitAll();
    }
    // A quorum queue may confirm a moment before it counts.
    for (long found = ready(queue); found < load.messages(); found = ready(queue)) {
      Thread.onSpinWait();
    }
  }

  /**
   * Lets each run begin alike: RabbitMQ writes what quorum queues take into one log, and moves half
   * a gigabyte of it elsewhere when it is full, which is the run before or the run after.
   */
  void settle() {
    try {
      broker.ctl("eval", "ra_log_wal:force_roll_over(ra_log_wal).");
    } catch (UnsupportedOperationException e) {
      // Not a node of ours; then it is as it is.
    }
    Machine.awaitQuiet();
  }

  void deleteQueue(String queue) {
    broker.management().deleteQueue(queue);
  }

  long ready(String queue) {
    return amqp.ready(queue);
  }

  /** Returns a topic that holds exactly so many records, with so many different keys. */
  String filledTopic(int size, int messages, int partitions, int keys) {
    String topic = "bench-" + size + "-" + messages + "-" + partitions + "-" + keys;
    if (filled.putIfAbsent(topic, messages) == null) {
      kafka().createTopic(topic, partitions);
      byte[] value = new byte[size];
      for (int i = 0; i < messages; i++) {
        byte[] key = Integer.toString(i % keys).getBytes(StandardCharsets.UTF_8);
        var unused =
            kafka().producer().send(new ProducerRecord<>(topic, i % partitions, key, value));
      }
      kafka().producer().flush();
    }
    return topic;
  }

  String emptyTopic() {
    String topic = name("topic");
    kafka().createTopic(topic, 1);
    return topic;
  }

  /** Counts the records of a topic with one partition that began empty. */
  long records(String topic) throws InterruptedException, ExecutionException {
    TopicPartition only = new TopicPartition(topic, 0);
    return kafka()
        .admin()
        .listOffsets(Map.of(only, OffsetSpec.latest()))
        .partitionResult(only)
        .get()
        .offset();
  }

  /** What every connector of ours needs to reach the broker. */
  Map<String, String> connection(@Nullable Endpoint through) {
    Endpoint endpoint = through == null ? broker.amqpFromWorker() : through;
    Map<String, String> config = new HashMap<>();
    config.put("rabbitmq.host", endpoint.host());
    config.put("rabbitmq.port", Integer.toString(endpoint.port()));
    config.put("rabbitmq.username", broker.username());
    config.put("rabbitmq.password", broker.password());
    config.put("rabbitmq.virtual.host", broker.management().vhost());
    return config;
  }

  @Override
  public void close() {
    amqp.close();
    harness.close();
  }
}
