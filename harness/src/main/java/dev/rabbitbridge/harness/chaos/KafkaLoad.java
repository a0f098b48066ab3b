// SPDX-License-Identifier: Apache-2.0
package dev.rabbitbridge.harness.chaos;

import dev.rabbitbridge.harness.kafka.Kafka;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;

/** Produces to Kafka at a constant rate, one lane per partition, and keeps the first two books. */
final class KafkaLoad implements AutoCloseable {
  private static final Duration TICK = Duration.ofMillis(50);

  private final Kafka kafka;
  private final Books books;
  private final List<TopicPartition> lanes;
  private final Repeat ticks;
  private int sent;

  /**
   * Starts to produce.
   *
   * @param lanes where each lane goes to
   */
  KafkaLoad(Kafka kafka, Books books, List<TopicPartition> lanes, int perSecond) {
    this.kafka = kafka;
    this.books = books;
    this.lanes = List.copyOf(lanes);
    int perTick = Math.max(1, (int) (perSecond * TICK.toMillis() / 1000));
    ticks = new Repeat("kafka-load", TICK, () -> send(perTick));
  }

  private void send(int messages) {
    for (int i = 0; i < messages; i++) {
      int lane = sent % lanes.size();
      Letter letter = Letter.of(lane, sent / lanes.size());
      sent++;
      books.attempt(letter.lane(), letter.number(), letter.digest());
      TopicPartition to = lanes.get(lane);
      ProducerRecord<byte[], byte[]> record =
          new ProducerRecord<>(to.topic(), to.partition(), null, letter.body());
      record.headers().add(Letter.HEADER, letter.header().getBytes(StandardCharsets.UTF_8));
      if (letter.number() % SinkFlow.POISON == SinkFlow.POISON - 1) {
        record.headers().add(Letter.ROUTE, "nowhere".getBytes(StandardCharsets.UTF_8));
      }
      var unused =
          kafka
              .client()
              .producer()
              .send(
                  record,
                  (metadata, failure) -> {
                    if (failure == null) {
                      books.acknowledge(letter.lane(), letter.number(), metadata.offset());
                    }
                  });
    }
  }

  /** Stops, and waits for Kafka's word about all that was sent. */
  @Override
  public void close() {
    ticks.close();
    kafka.client().producer().flush();
  }
}
