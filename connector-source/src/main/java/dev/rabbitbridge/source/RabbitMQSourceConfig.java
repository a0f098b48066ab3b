// SPDX-License-Identifier: Apache-2.0
package dev.rabbitbridge.source;

import dev.rabbitbridge.config.Choice;
import dev.rabbitbridge.config.ConnectionConfig;
import dev.rabbitbridge.config.ConnectorKeys;
import dev.rabbitbridge.config.TopologyConfig;
import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.kafka.common.config.AbstractConfig;
import org.jspecify.annotations.Nullable;

/**
 * The source's configuration: what the keys of {@link SourceKeys} mean to a task. Immutable; safe
 * for use by any thread.
 */
final class RabbitMQSourceConfig {
  static final String QUEUE_CONFIG = "rabbitmq.queue";
  static final String QUEUE_TYPE_CONFIG = "rabbitmq.queue.type";
  static final String TOPIC_CONFIG = "kafka.topic";
  static final String TOPIC_MAP_CONFIG = "rabbitmq.queue.topic.map";
  static final String PREFETCH_CONFIG = "rabbitmq.prefetch.count";
  static final String POLL_MAX_RECORDS_CONFIG = "rabbitmq.poll.max.records";
  static final String POLL_WAIT_CONFIG = "rabbitmq.poll.wait.ms";
  static final String ACK_BATCH_CONFIG = "rabbitmq.ack.batch.size";
  static final String ACK_DELAY_CONFIG = "rabbitmq.ack.max.delay.ms";
  static final String CONSUMER_MODE_CONFIG = "rabbitmq.queue.consumer.mode";
  static final String MAX_QUEUES_CONFIG = "rabbitmq.max.queue.per.task";
  static final String FAILURE_TOLERANCE_CONFIG = "rabbitmq.queue.failure.tolerance";
  static final String CONSUMER_ARGUMENTS_CONFIG = "rabbitmq.consumer.arguments";
  static final String CONSUMER_PRIORITY_CONFIG = "rabbitmq.consumer.priority";
  static final String CONSUMER_EXCLUSIVE_CONFIG = "rabbitmq.consumer.exclusive";
  static final String STREAM_OFFSET_CONFIG = "rabbitmq.stream.offset";
  static final String POSITION_LOST_CONFIG = "rabbitmq.stream.position.lost";
  static final String KEY_CONFIG = "rabbitmq.record.key";
  static final String VALUE_FORMAT_CONFIG = "rabbitmq.value.format";
  static final String HEADER_PREFIX_CONFIG = "rabbitmq.header.prefix";
  static final String FORWARD_PROPERTIES_CONFIG = "rabbitmq.forward.properties";
  static final String RECORD_ERROR_CONFIG = "rabbitmq.record.error.behavior";
  static final String SKIPPED_RECORD_CONFIG = "rabbitmq.skipped.record.behavior";
  static final String DELIVERY_LIMIT_CONFIG = "rabbitmq.delivery.limit";
  static final String DEDUPLICATION_CONFIG = "rabbitmq.deduplication";
  static final String CLUSTER_ID_CONFIG = "rabbitmq.cluster.id";
  static final String RETRY_DELAY_CONFIG = "rabbitmq.retry.delay.ms";
  static final String RETRY_MAX_CONFIG = "rabbitmq.retry.max";

  /** Which of the connector's tasks this is; set by the connector. */
  static final String TASK_ID = "task.id";

  static final ConnectorKeys KEYS =
      new ConnectorKeys(SourceKeys.define(), aliases(), ignoredKeys());

  private final AbstractConfig config;
  private final String connectorName;
  private final String taskId;

  RabbitMQSourceConfig(Map<String, String> props) {
    this.config = new AbstractConfig(KEYS.definition(), KEYS.resolve(props), false);
    this.connectorName = props.getOrDefault("name", "rabbitmq-source");
    this.taskId = props.getOrDefault(TASK_ID, "0");
  }

  private static Map<String, String> aliases() {
    Map<String, String> aliases = new HashMap<>(ConnectionConfig.ALIASES);
    aliases.put("batch.size", POLL_MAX_RECORDS_CONFIG);
    aliases.put("backoff.time.ms", POLL_WAIT_CONFIG);
    return aliases;
  }

  private static Set<String> ignoredKeys() {
    Set<String> ignored = new HashSet<>(ConnectionConfig.IGNORED_KEYS);
    // Quorum queues refuse a channel-wide prefetch; ours is always per consumer.
    ignored.add("rabbitmq.prefetch.global");
    return ignored;
  }

  ConnectionConfig connection() {
    return new ConnectionConfig(config);
  }

  TopologyConfig topology() {
    return new TopologyConfig(config);
  }

  String connectorName() {
    return connectorName;
  }

  String taskId() {
    return taskId;
  }

  /** At least one name, none twice. */
  List<String> queues() {
    return config.getList(QUEUE_CONFIG).stream().distinct().toList();
  }

  QueueType queueType() {
    return Choice.of(QueueType.class).parse(config.getString(QUEUE_TYPE_CONFIG));
  }

  ConsumerMode consumerMode() {
    return Choice.of(ConsumerMode.class).parse(config.getString(CONSUMER_MODE_CONFIG));
  }

  int maxQueuesPerTask() {
    return config.getInt(MAX_QUEUES_CONFIG);
  }

  QueueFailureTolerance failureTolerance() {
    return Choice.of(QueueFailureTolerance.class).parse(config.getString(FAILURE_TOLERANCE_CONFIG));
  }

  /** The arguments of basic.consume, without those that depend on a stream's position. */
  Map<String, Object> consumerArguments() {
    Map<String, Object> arguments =
        new HashMap<>(Rules.Arguments.parse(config.getList(CONSUMER_ARGUMENTS_CONFIG)));
    if (config.getInt(CONSUMER_PRIORITY_CONFIG) != null) {
      arguments.put("x-priority", config.getInt(CONSUMER_PRIORITY_CONFIG));
    }
    return arguments;
  }

  boolean consumerExclusive() {
    return config.getBoolean(CONSUMER_EXCLUSIVE_CONFIG);
  }

  int prefetch() {
    return config.getInt(PREFETCH_CONFIG);
  }

  int pollMaxRecords() {
    return config.getInt(POLL_MAX_RECORDS_CONFIG);
  }

  Duration pollWait() {
    return Duration.ofMillis(config.getLong(POLL_WAIT_CONFIG));
  }

  int ackBatchSize() {
    return config.getInt(ACK_BATCH_CONFIG);
  }

  Duration ackMaxDelay() {
    return Duration.ofMillis(config.getLong(ACK_DELAY_CONFIG));
  }

  /** What x-stream-offset takes: text, a number or a date. */
  Object streamStart() {
    return Rules.StreamStart.parse(config.getString(STREAM_OFFSET_CONFIG));
  }

  PositionLost positionLost() {
    return Choice.of(PositionLost.class).parse(config.getString(POSITION_LOST_CONFIG));
  }

  String topic() {
    return config.getString(TOPIC_CONFIG);
  }

  Map<String, String> topicMap() {
    @Nullable String json = config.getString(TOPIC_MAP_CONFIG);
    return json == null ? Map.of() : Rules.TopicMap.parse(json);
  }

  String key() {
    return config.getString(KEY_CONFIG);
  }

  ValueFormat valueFormat() {
    return Choice.of(ValueFormat.class).parse(config.getString(VALUE_FORMAT_CONFIG));
  }

  String headerPrefix() {
    return config.getString(HEADER_PREFIX_CONFIG);
  }

  boolean forwardProperties() {
    return config.getBoolean(FORWARD_PROPERTIES_CONFIG);
  }

  RecordErrorBehavior recordErrorBehavior() {
    return Choice.of(RecordErrorBehavior.class).parse(config.getString(RECORD_ERROR_CONFIG));
  }

  SkippedRecordBehavior skippedRecordBehavior() {
    return Choice.of(SkippedRecordBehavior.class).parse(config.getString(SKIPPED_RECORD_CONFIG));
  }

  /** 0 for none. */
  int deliveryLimit() {
    return config.getInt(DELIVERY_LIMIT_CONFIG);
  }

  Deduplication deduplication() {
    return Choice.of(Deduplication.class).parse(config.getString(DEDUPLICATION_CONFIG));
  }

  @Nullable String clusterId() {
    return config.getString(CLUSTER_ID_CONFIG);
  }

  /** The source partition that Connect keeps the offset of a queue for. */
  Map<String, String> partition(String queue) {
    return SourceOffsets.partition(queue, clusterId());
  }

  Duration retryDelay() {
    return Duration.ofMillis(config.getLong(RETRY_DELAY_CONFIG));
  }

  int retryMax() {
    return config.getInt(RETRY_MAX_CONFIG);
  }
}
