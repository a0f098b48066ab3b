// SPDX-License-Identifier: Apache-2.0
package dev.rabbitbridge.harness.kafka;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.stream.Collectors;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AdminClientConfig;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.KafkaFuture;
import org.apache.kafka.common.PartitionInfo;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.TopicExistsException;
import org.apache.kafka.common.errors.UnknownTopicOrPartitionException;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.ByteArraySerializer;

/** Topics, records and offsets, each call waiting for the broker's answer. Safe from any thread. */
public final class KafkaClient implements AutoCloseable {
  private static final Duration TIMEOUT = Duration.ofSeconds(60);

  private final String bootstrap;
  private final Admin admin;
  private final KafkaProducer<byte[], byte[]> producer;

  /**
   * Opens a client.
   *
   * @param bootstrap where the broker is
   */
  public KafkaClient(String bootstrap) {
    this.bootstrap = bootstrap;
    admin = Admin.create(Map.of(AdminClientConfig.BOOTSTRAP_SERVERS_CONFIG, bootstrap));
    producer =
        new KafkaProducer<>(
            Map.of(
                ProducerConfig.BOOTSTRAP_SERVERS_CONFIG,
                bootstrap,
                ProducerConfig.ACKS_CONFIG,
                "all",
                ProducerConfig.LINGER_MS_CONFIG,
                5),
            new ByteArraySerializer(),
            new ByteArraySerializer());
  }

  /**
   * Creates a topic; one that exists stays as it is.
   *
   * @param topic its name
   * @param partitions how many partitions
   */
  public void createTopic(String topic, int partitions) {
    createTopic(topic, partitions, Map.of());
  }

  /**
   * Creates a topic; one that exists stays as it is.
   *
   * @param topic its name
   * @param partitions how many partitions
   * @param settings such as {@code cleanup.policy}
   */
  public void createTopic(String topic, int partitions, Map<String, String> settings) {
    NewTopic wanted = new NewTopic(topic, partitions, (short) 1).configs(settings);
    answer(admin.createTopics(List.of(wanted)).all(), TopicExistsException.class);
  }

  /**
   * Deletes topics; absent ones are no error.
   *
   * @param topics their names
   */
  public void deleteTopics(Collection<String> topics) {
    for (String topic : topics) {
      answer(admin.deleteTopics(List.of(topic)).all(), UnknownTopicOrPartitionException.class);
    }
  }

  /**
   * Lists the topics.
   *
   * @return the names, internal ones left out
   */
  public Set<String> topics() {
    return answer(admin.listTopics().names());
  }

  /**
   * Produces records without a key and waits until all are acked.
   *
   * @param topic where to
   * @param values one text per record
   */
  public void produce(String topic, List<String> values) {
    produce(
        values.stream()
            .map(
                value ->
                    new ProducerRecord<byte[], byte[]>(
                        topic, value.getBytes(StandardCharsets.UTF_8)))
            .toList());
  }

  /**
   * Produces records and waits until all are acked.
   *
   * @param records what to produce
   * @return where each of them is now, in the same order
   */
  public List<RecordMetadata> produce(Collection<ProducerRecord<byte[], byte[]>> records) {
    List<Future<RecordMetadata>> sent = new ArrayList<>();
    records.forEach(record -> sent.add(producer.send(record)));
    producer.flush();
    return sent.stream().map(KafkaClient::answer).toList();
  }

  /**
   * Reads a topic from its beginning to its end as of now, aborted and open transactions included.
   *
   * @param topic the topic
   * @return its records, partition by partition in order
   */
  public List<ConsumerRecord<byte[], byte[]>> read(String topic) {
    return read(topic, "read_uncommitted");
  }

  /**
   * Reads a topic from its beginning to its last stable offset as of now.
   *
   * @param topic the topic
   * @return its committed records
   */
  public List<ConsumerRecord<byte[], byte[]>> readCommitted(String topic) {
    return read(topic, "read_committed");
  }

  /**
   * Reads a topic as {@link #read(String)} does.
   *
   * @param topic the topic
   * @return the values as text
   */
  public List<String> values(String topic) {
    return read(topic).stream()
        .map(record -> new String(record.value(), StandardCharsets.UTF_8))
        .toList();
  }

  /**
   * Returns the ends of a topic's partitions.
   *
   * @param topic the topic
   * @return per partition the offset that its next record will get
   */
  public Map<TopicPartition, Long> endOffsets(String topic) {
    try (KafkaConsumer<byte[], byte[]> consumer = consumer("read_uncommitted")) {
      return consumer.endOffsets(partitions(consumer, topic), TIMEOUT);
    }
  }

  /**
   * Returns what a sink connector has committed.
   *
   * @param connector its name
   * @return per partition the committed offset; a partition without one is absent
   */
  public Map<TopicPartition, Long> committedBySink(String connector) {
    return committed("connect-" + connector);
  }

  /**
   * Returns what a consumer group has committed.
   *
   * @param group the group
   * @return per partition the committed offset; a partition without one is absent
   */
  public Map<TopicPartition, Long> committed(String group) {
    Map<TopicPartition, OffsetAndMetadata> found =
        answer(admin.listConsumerGroupOffsets(group).partitionsToOffsetAndMetadata());
    Map<TopicPartition, Long> offsets = new HashMap<>();
    found.forEach(
        (partition, offset) -> {
          if (offset != null) {
            offsets.put(partition, offset.offset());
          }
        });
    return offsets;
  }

  /**
   * Returns the admin client, for what this class does not do.
   *
   * @return the client, closed with the broker
   */
  public Admin admin() {
    return admin;
  }

  /**
   * Returns the producer, for what this class does not do.
   *
   * @return the producer, closed with the broker
   */
  public KafkaProducer<byte[], byte[]> producer() {
    return producer;
  }

  @Override
  public void close() {
    producer.close(Duration.ZERO);
    admin.close(Duration.ZERO);
  }

  boolean answers() {
    return !answer(admin.describeCluster().nodes()).isEmpty();
  }

  private List<ConsumerRecord<byte[], byte[]>> read(String topic, String isolation) {
    List<ConsumerRecord<byte[], byte[]>> records = new ArrayList<>();
    try (KafkaConsumer<byte[], byte[]> consumer = consumer(isolation)) {
      List<TopicPartition> partitions = partitions(consumer, topic);
      consumer.assign(partitions);
      consumer.seekToBeginning(partitions);
      Map<TopicPartition, Long> ends = consumer.endOffsets(partitions, TIMEOUT);
      while (partitions.stream().anyMatch(p -> consumer.position(p, TIMEOUT) < ends.get(p))) {
        consumer.poll(Duration.ofMillis(500)).forEach(records::add);
      }
      records.removeIf(r -> r.offset() >= ends.get(new TopicPartition(topic, r.partition())));
    }
    return records.stream()
        .collect(Collectors.groupingBy(ConsumerRecord::partition))
        .values()
        .stream()
        .flatMap(List::stream)
        .toList();
  }

  private KafkaConsumer<byte[], byte[]> consumer(String isolation) {
    return new KafkaConsumer<>(
        Map.of(
            ConsumerConfig.BOOTSTRAP_SERVERS_CONFIG,
            bootstrap,
            ConsumerConfig.ISOLATION_LEVEL_CONFIG,
            isolation,
            ConsumerConfig.ALLOW_AUTO_CREATE_TOPICS_CONFIG,
            false,
            ConsumerConfig.ENABLE_AUTO_COMMIT_CONFIG,
            false,
            ConsumerConfig.MAX_POLL_RECORDS_CONFIG,
            5000),
        new ByteArrayDeserializer(),
        new ByteArrayDeserializer());
  }

  private static List<TopicPartition> partitions(
      KafkaConsumer<byte[], byte[]> consumer, String topic) {
    List<PartitionInfo> infos = consumer.partitionsFor(topic, TIMEOUT);
    return infos == null
        ? List.of()
        : infos.stream().map(info -> new TopicPartition(topic, info.partition())).toList();
  }

  private static void answer(KafkaFuture<Void> future, Class<? extends Exception> harmless) {
    try {
      answer(future);
    } catch (IllegalStateException e) {
      if (!harmless.isInstance(e.getCause())) {
        throw e;
      }
    }
  }

  private static <T> T answer(Future<T> future) {
    try {
      return future.get(TIMEOUT.toSeconds(), TimeUnit.SECONDS);
    } catch (ExecutionException e) {
      throw new IllegalStateException(e.getCause());
    } catch (TimeoutException e) {
      throw new IllegalStateException("Kafka did not answer within " + TIMEOUT, e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException(e);
    }
  }
}
