// SPDX-License-Identifier: Apache-2.0
package dev.rabbitbridge.source;

import static org.apache.kafka.common.config.ConfigDef.Importance.HIGH;
import static org.apache.kafka.common.config.ConfigDef.Importance.LOW;
import static org.apache.kafka.common.config.ConfigDef.Importance.MEDIUM;
import static org.apache.kafka.common.config.ConfigDef.Range.atLeast;
import static org.apache.kafka.common.config.ConfigDef.Range.between;

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
import org.apache.kafka.common.config.ConfigDef;
import org.apache.kafka.common.config.ConfigDef.Type;
import org.apache.kafka.common.config.ConfigDef.Width;
import org.jspecify.annotations.Nullable;

/** The source connector's configuration. Immutable. */
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
      new ConnectorKeys(
          TopologyConfig.addTo(define(ConnectionConfig.addTo(new ConfigDef()))),
          aliases(),
          ignoredKeys());

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

  private static ConfigDef define(ConfigDef def) {
    return defineErrors(defineRecords(defineOnce(defineStreams(defineFlow(defineQueues(def))))));
  }

  private static ConfigDef defineQueues(ConfigDef def) {
    String group = "Queues";
    int order = 0;
    return def.define(
            QUEUE_CONFIG,
            Type.LIST,
            ConfigDef.NO_DEFAULT_VALUE,
            new Rules.QueueNames(),
            HIGH,
            "Queues to read from, separated by commas. For a super stream: its partitions.",
            group,
            ++order,
            Width.LONG,
            "Queues")
        .define(
            QUEUE_TYPE_CONFIG,
            Type.STRING,
            Choice.word(QueueType.AUTO),
            Choice.of(QueueType.class),
            HIGH,
            "auto for classic and quorum queues: the position lives in RabbitMQ. stream for streams: the position lives in Connect's offsets.",
            group,
            ++order,
            Width.SHORT,
            "Queue type",
            Choice.of(QueueType.class))
        .define(
            CONSUMER_MODE_CONFIG,
            Type.STRING,
            Choice.word(ConsumerMode.DEDICATED),
            Choice.of(ConsumerMode.class),
            MEDIUM,
            "dedicated: each queue is read by one task, which keeps its order. shared: every task reads every queue, which gives up order.",
            group,
            ++order,
            Width.SHORT,
            "Consumer mode",
            Choice.of(ConsumerMode.class))
        .define(
            MAX_QUEUES_CONFIG,
            Type.INT,
            10,
            atLeast(1),
            MEDIUM,
            "Most queues that one task reads. When tasks.max is too small for the number of queues the connector does not start.",
            group,
            ++order,
            Width.SHORT,
            "Max queues per task")
        .define(
            FAILURE_TOLERANCE_CONFIG,
            Type.STRING,
            Choice.word(QueueFailureTolerance.FAIL_FAST),
            Choice.of(QueueFailureTolerance.class),
            MEDIUM,
            "When a queue cannot be consumed, for example because it was deleted. fail-fast: the task fails, after a few attempts if it had worked before. skip-and-continue: it keeps trying this queue and serves the others.",
            group,
            ++order,
            Width.SHORT,
            "Queue failure tolerance",
            Choice.of(QueueFailureTolerance.class))
        .define(
            CONSUMER_ARGUMENTS_CONFIG,
            Type.LIST,
            "",
            new Rules.Arguments(),
            LOW,
            "Further arguments for the consumers as name:value, separated by commas. Whole numbers, true and false are sent as such, all else as text.",
            group,
            ++order,
            Width.LONG,
            "Consumer arguments")
        .define(
            CONSUMER_PRIORITY_CONFIG,
            Type.INT,
            null,
            LOW,
            "Priority of the consumers. RabbitMQ serves those of a higher priority first.",
            group,
            ++order,
            Width.SHORT,
            "Consumer priority")
        .define(
            CONSUMER_EXCLUSIVE_CONFIG,
            Type.BOOLEAN,
            false,
            LOW,
            "Whether to be the only consumer of each queue. Quorum queues ignore it: use their single active consumer argument.",
            group,
            ++order,
            Width.SHORT,
            "Exclusive consumer");
  }

  private static ConfigDef defineFlow(ConfigDef def) {
    String group = "Flow";
    int order = 0;
    return def.define(
            PREFETCH_CONFIG,
            Type.INT,
            500,
            between(1, 65535),
            HIGH,
            "Most messages of one queue that are held without an ack, per task. Bounds memory, and how much is delivered again after a fault.",
            group,
            ++order,
            Width.SHORT,
            "Prefetch count")
        .define(
            POLL_MAX_RECORDS_CONFIG,
            Type.INT,
            1024,
            atLeast(1),
            MEDIUM,
            "Most records that one poll returns.",
            group,
            ++order,
            Width.SHORT,
            "Poll max records")
        .define(
            POLL_WAIT_CONFIG,
            Type.LONG,
            100L,
            between(1, 4000),
            LOW,
            "Longest wait of a poll while there is nothing to return, in milliseconds. A stop or pause waits for it.",
            group,
            ++order,
            Width.SHORT,
            "Poll wait (ms)")
        .define(
            ACK_BATCH_CONFIG,
            Type.INT,
            100,
            atLeast(1),
            LOW,
            "How many messages that Kafka has committed are acked together.",
            group,
            ++order,
            Width.SHORT,
            "Ack batch size")
        .define(
            ACK_DELAY_CONFIG,
            Type.LONG,
            50L,
            atLeast(0),
            LOW,
            "Longest wait of an ack for others to join it, in milliseconds.",
            group,
            ++order,
            Width.SHORT,
            "Ack max delay (ms)");
  }

  private static ConfigDef defineOnce(ConfigDef def) {
    String group = "Exactly once";
    int order = 0;
    return def.define(
            DEDUPLICATION_CONFIG,
            Type.STRING,
            Choice.word(Deduplication.NONE),
            Choice.of(Deduplication.class),
            MEDIUM,
            "message-id: a message with a message-id that RabbitMQ delivers again though Kafka has its record is acked, and not produced again; on a worker with exactly.once.source.support=enabled across every crash, on another while the task runs. Streams need it not: their offsets do it.",
            group,
            ++order,
            Width.SHORT,
            "Deduplication",
            Choice.of(Deduplication.class))
        .define(
            CLUSTER_ID_CONFIG,
            Type.STRING,
            null,
            LOW,
            "Becomes part of the source partitions that Connect keeps offsets for, to tell queues of the same name in two clusters apart. A change makes the connector forget its stream positions.",
            group,
            ++order,
            Width.MEDIUM,
            "Cluster id");
  }

  private static ConfigDef defineStreams(ConfigDef def) {
    String group = "Streams";
    int order = 0;
    return def.define(
            STREAM_OFFSET_CONFIG,
            Type.STRING,
            "first",
            new Rules.StreamStart(),
            MEDIUM,
            "Where to start in a stream that Connect has no offset of: first, last (the last chunk), next, an offset, or a time such as 2026-01-31T12:00:00Z.",
            group,
            ++order,
            Width.MEDIUM,
            "Stream offset")
        .define(
            POSITION_LOST_CONFIG,
            Type.STRING,
            Choice.word(PositionLost.FAIL),
            Choice.of(PositionLost.class),
            MEDIUM,
            "When a stream no longer holds the message at the stored offset, because of retention or because it was created anew. fail: the task fails. earliest: it reads on from the first message there is. latest: from the next one published.",
            group,
            ++order,
            Width.SHORT,
            "Stream position lost",
            Choice.of(PositionLost.class));
  }

  private static ConfigDef defineRecords(ConfigDef def) {
    String group = "Records";
    int order = 0;
    return def.define(
            TOPIC_CONFIG,
            Type.STRING,
            ConfigDef.NO_DEFAULT_VALUE,
            new Rules.Topic(),
            HIGH,
            "Topic to write to. May hold ${queue}, ${exchange}, ${routing.key} and ${header:NAME}, each with a default as in ${header:region|eu}.",
            group,
            ++order,
            Width.MEDIUM,
            "Topic")
        .define(
            TOPIC_MAP_CONFIG,
            Type.STRING,
            null,
            new Rules.TopicMap(),
            MEDIUM,
            "JSON object from queue to topic, for queues that go elsewhere than kafka.topic.",
            group,
            ++order,
            Width.LONG,
            "Queue to topic map")
        .define(
            KEY_CONFIG,
            Type.STRING,
            "message-id",
            new Rules.Key(),
            MEDIUM,
            "Key of the record: none, message-id, correlation-id, routing-key or header:NAME. Null when the message has no such thing.",
            group,
            ++order,
            Width.MEDIUM,
            "Record key")
        .define(
            VALUE_FORMAT_CONFIG,
            Type.STRING,
            Choice.word(ValueFormat.BYTES),
            Choice.of(ValueFormat.class),
            HIGH,
            "Value of the record. bytes: the body as it is. string: as text. json: parsed, without a schema. envelope: a struct of body, properties, headers and envelope. auto: json, string or bytes, as the content type says.",
            group,
            ++order,
            Width.SHORT,
            "Value format",
            Choice.of(ValueFormat.class))
        .define(
            HEADER_PREFIX_CONFIG,
            Type.STRING,
            "",
            LOW,
            "Put before the names of the message's own headers.",
            group,
            ++order,
            Width.SHORT,
            "Header prefix")
        .define(
            FORWARD_PROPERTIES_CONFIG,
            Type.BOOLEAN,
            true,
            MEDIUM,
            "Whether the message's properties, exchange, routing key and the like become headers named rabbitmq.message.id and so on.",
            group,
            ++order,
            Width.SHORT,
            "Forward properties");
  }

  private static ConfigDef defineErrors(ConfigDef def) {
    String group = "Errors";
    int order = 0;
    return def.define(
            RECORD_ERROR_CONFIG,
            Type.STRING,
            Choice.word(RecordErrorBehavior.FAIL),
            Choice.of(RecordErrorBehavior.class),
            MEDIUM,
            "A message that cannot become a record. fail: the task fails. reject: rejected without requeue, to the queue's dead letter exchange. ack: dropped with a warning. raw: passed on as bytes.",
            group,
            ++order,
            Width.SHORT,
            "Record error behavior",
            Choice.of(RecordErrorBehavior.class))
        .define(
            SKIPPED_RECORD_CONFIG,
            Type.STRING,
            Choice.word(SkippedRecordBehavior.ACK),
            Choice.of(SkippedRecordBehavior.class),
            MEDIUM,
            "A message whose record a filter dropped, or that failed with errors.tolerance=all. ack: it is done. reject: to the queue's dead letter exchange. retry: delivered again after a delay.",
            group,
            ++order,
            Width.SHORT,
            "Skipped record behavior",
            Choice.of(SkippedRecordBehavior.class))
        .define(
            DELIVERY_LIMIT_CONFIG,
            Type.INT,
            0,
            atLeast(0),
            MEDIUM,
            "A message that was delivered more often than this is rejected without requeue before it reaches Kafka; 0 for no limit. Counts x-delivery-count where the queue has it, else what the connector itself has seen.",
            group,
            ++order,
            Width.SHORT,
            "Delivery limit")
        .define(
            RETRY_DELAY_CONFIG,
            Type.LONG,
            5000L,
            atLeast(1),
            LOW,
            "Delay of a retry, in milliseconds. The delay queue is named QUEUE.retry.DELAY and is declared when first needed.",
            group,
            ++order,
            Width.SHORT,
            "Retry delay (ms)")
        .define(
            RETRY_MAX_CONFIG,
            Type.INT,
            5,
            atLeast(0),
            LOW,
            "Retries of one message; after them it is rejected without requeue.",
            group,
            ++order,
            Width.SHORT,
            "Max retries");
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
