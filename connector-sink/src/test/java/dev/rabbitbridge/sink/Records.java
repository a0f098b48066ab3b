// SPDX-License-Identifier: Apache-2.0
package dev.rabbitbridge.sink;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.record.TimestampType;
import org.apache.kafka.connect.data.Schema;
import org.apache.kafka.connect.sink.SinkRecord;

/** Records and configurations for tests. */
final class Records {
  static final TopicPartition ORDERS = new TopicPartition("orders", 0);

  private Records() {}

  static RabbitMQSinkConfig config(String... keysAndValues) {
    Map<String, String> props = new HashMap<>();
    props.put("rabbitmq.exchange", "");
    props.put("rabbitmq.routing.key", "q");
    props.put("rabbitmq.publish.retry.backoff.ms", "1");
    props.put("rabbitmq.reconnect.backoff.ms", "1");
    for (int i = 0; i < keysAndValues.length; i += 2) {
      props.put(keysAndValues[i], keysAndValues[i + 1]);
    }
    return new RabbitMQSinkConfig(props);
  }

  static SinkRecord record(long offset) {
    return record(ORDERS, offset, "v" + offset);
  }

  static SinkRecord record(TopicPartition partition, long offset, Object value) {
    return new SinkRecord(
        partition.topic(),
        partition.partition(),
        Schema.STRING_SCHEMA,
        "k" + offset,
        null,
        value instanceof String text ? text.getBytes(StandardCharsets.UTF_8) : value,
        offset,
        1_000L * offset,
        TimestampType.CREATE_TIME);
  }

  static List<SinkRecord> records(long from, long to) {
    List<SinkRecord> records = new ArrayList<>();
    for (long offset = from; offset < to; offset++) {
      records.add(record(offset));
    }
    return records;
  }
}
