// SPDX-License-Identifier: Apache-2.0
package dev.rabbitbridge.harness.sink;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.rabbitbridge.harness.Scenario;
import dev.rabbitbridge.harness.rabbitmq.Message;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.header.Headers;

/** What the sink's tests have in common. */
final class Sinks {
  static final Duration LONG = Duration.ofMinutes(2);

  private Sinks() {}

  static void awaitAllCommitted(Scenario scenario, String sink, String... topics) {
    await()
        .atMost(LONG)
        .untilAsserted(
            () ->
                assertThat(scenario.kafka().client().committedBySink(sink))
                    .isEqualTo(endOffsets(scenario, topics)));
  }

  private static Map<TopicPartition, Long> endOffsets(Scenario scenario, String... topics) {
    Map<TopicPartition, Long> ends = new HashMap<>();
    for (String topic : topics) {
      ends.putAll(scenario.kafka().client().endOffsets(topic));
    }
    return ends;
  }

  /** Returns the sum of a sink's committed offsets. */
  static long committed(Scenario scenario, String sink) {
    return scenario.kafka().client().committedBySink(sink).values().stream()
        .mapToLong(Long::longValue)
        .sum();
  }

  static List<String> ids(int count) {
    return ids(0, count);
  }

  static List<String> ids(int from, int to) {
    return IntStream.range(from, to).mapToObj(i -> "id-" + i).toList();
  }

  static List<String> texts(List<Message> messages) {
    return messages.stream().map(Message::text).toList();
  }

  /** Sends the records that RabbitMQ refuses for good to a topic, and returns its name. */
  static String withDeadLetters(Scenario scenario, Map<String, String> config) {
    String topic = scenario.topic(1);
    config.put("errors.tolerance", "all");
    config.put("errors.deadletterqueue.topic.name", topic);
    config.put("errors.deadletterqueue.topic.replication.factor", "1");
    config.put("errors.deadletterqueue.context.headers.enable", "true");
    return topic;
  }

  static ProducerRecord<byte[], byte[]> record(String topic, String key, String value) {
    return new ProducerRecord<>(topic, bytes(key), bytes(value));
  }

  static ProducerRecord<byte[], byte[]> with(
      ProducerRecord<byte[], byte[]> record, String header, String value) {
    Headers headers = record.headers();
    headers.add(header, bytes(value));
    return record;
  }

  static byte[] bytes(String text) {
    return text == null ? null : text.getBytes(StandardCharsets.UTF_8);
  }
}
