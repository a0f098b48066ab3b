// SPDX-License-Identifier: Apache-2.0
package dev.rabbitbridge.harness.chaos;

import dev.rabbitbridge.harness.kafka.Kafka;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.header.Header;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;

/** Reads all that arrives in Kafka topics, from their beginning, once and in order. */
final class KafkaTail implements AutoCloseable {
  private static final Duration TIMEOUT = Duration.ofSeconds(30);

  private final KafkaConsumer<byte[], byte[]> consumer;
  private final Repeat polls;

  /**
   * Starts to read.
   *
   * @param each called with each record, on one thread
   */
  KafkaTail(
      Kafka kafka, List<TopicPartition> partitions, Consumer<ConsumerRecord<byte[], byte[]>> each) {
    consumer =
        new KafkaConsumer<>(
            Map.of(
                ConsumerConfig.BOOTSTRAP_SERVERS_CONFIG,
                kafka.bootstrap(),
                ConsumerConfig.AUTO_OFFSET_RESET_CONFIG,
                "earliest",
                ConsumerConfig.ENABLE_AUTO_COMMIT_CONFIG,
                false),
            new ByteArrayDeserializer(),
            new ByteArrayDeserializer());
    consumer.assign(partitions);
    consumer.seekToBeginning(partitions);
    for (TopicPartition partition : partitions) {
      consumer.position(partition, TIMEOUT);
    }
    polls =
        new Repeat(
            "kafka-tail", Duration.ZERO, () -> consumer.poll(Duration.ofMillis(100)).forEach(each));
  }

  /** Enters a record in the third book. */
  static void deliver(Books books, ConsumerRecord<byte[], byte[]> record) {
    Header header = record.headers().lastHeader(Letter.HEADER);
    Letter.read(
            record.value(),
            header == null ? null : new String(header.value(), StandardCharsets.UTF_8))
        .ifPresentOrElse(
            letter -> books.deliver(letter.lane(), letter.number(), letter.digest()),
            books::deliverForeign);
  }

  @Override
  public void close() {
    polls.close();
    consumer.close();
  }
}
