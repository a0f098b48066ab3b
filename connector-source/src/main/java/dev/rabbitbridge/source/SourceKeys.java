// SPDX-License-Identifier: Apache-2.0
package dev.rabbitbridge.source;

import static dev.rabbitbridge.source.RabbitMQSourceConfig.ACK_BATCH_CONFIG;
import static dev.rabbitbridge.source.RabbitMQSourceConfig.ACK_DELAY_CONFIG;
import static dev.rabbitbridge.source.RabbitMQSourceConfig.CLUSTER_ID_CONFIG;
import static dev.rabbitbridge.source.RabbitMQSourceConfig.CONSUMER_ARGUMENTS_CONFIG;
import static dev.rabbitbridge.source.RabbitMQSourceConfig.CONSUMER_EXCLUSIVE_CONFIG;
import static dev.rabbitbridge.source.RabbitMQSourceConfig.CONSUMER_MODE_CONFIG;
import static dev.rabbitbridge.source.RabbitMQSourceConfig.CONSUMER_PRIORITY_CONFIG;
import static dev.rabbitbridge.source.RabbitMQSourceConfig.DEDUPLICATION_CONFIG;
import static dev.rabbitbridge.source.RabbitMQSourceConfig.DELIVERY_LIMIT_CONFIG;
import static dev.rabbitbridge.source.RabbitMQSourceConfig.FAILURE_TOLERANCE_CONFIG;
import static dev.rabbitbridge.source.RabbitMQSourceConfig.FORWARD_PROPERTIES_CONFIG;
import static dev.rabbitbridge.source.RabbitMQSourceConfig.HEADER_PREFIX_CONFIG;
import static dev.rabbitbridge.source.RabbitMQSourceConfig.KEY_CONFIG;
import static dev.rabbitbridge.source.RabbitMQSourceConfig.MAX_QUEUES_CONFIG;
import static dev.rabbitbridge.source.RabbitMQSourceConfig.POLL_MAX_RECORDS_CONFIG;
import static dev.rabbitbridge.source.RabbitMQSourceConfig.POLL_WAIT_CONFIG;
import static dev.rabbitbridge.source.RabbitMQSourceConfig.POSITION_LOST_CONFIG;
import static dev.rabbitbridge.source.RabbitMQSourceConfig.PREFETCH_CONFIG;
import static dev.rabbitbridge.source.RabbitMQSourceConfig.QUEUE_CONFIG;
import static dev.rabbitbridge.source.RabbitMQSourceConfig.QUEUE_TYPE_CONFIG;
import static dev.rabbitbridge.source.RabbitMQSourceConfig.RECORD_ERROR_CONFIG;
import static dev.rabbitbridge.source.RabbitMQSourceConfig.RETRY_DELAY_CONFIG;
import static dev.rabbitbridge.source.RabbitMQSourceConfig.RETRY_MAX_CONFIG;
import static dev.rabbitbridge.source.RabbitMQSourceConfig.SKIPPED_RECORD_CONFIG;
import static dev.rabbitbridge.source.RabbitMQSourceConfig.STREAM_OFFSET_CONFIG;
import static dev.rabbitbridge.source.RabbitMQSourceConfig.TOPIC_CONFIG;
import static dev.rabbitbridge.source.RabbitMQSourceConfig.TOPIC_MAP_CONFIG;
import static dev.rabbitbridge.source.RabbitMQSourceConfig.VALUE_FORMAT_CONFIG;
import static org.apache.kafka.common.config.ConfigDef.Importance.HIGH;
import static org.apache.kafka.common.config.ConfigDef.Importance.LOW;
import static org.apache.kafka.common.config.ConfigDef.Importance.MEDIUM;
import static org.apache.kafka.common.config.ConfigDef.Range.atLeast;
import static org.apache.kafka.common.config.ConfigDef.Range.between;

import dev.rabbitbridge.config.Choice;
import dev.rabbitbridge.config.ConnectionConfig;
import dev.rabbitbridge.config.TopologyConfig;
import org.apache.kafka.common.config.ConfigDef;
import org.apache.kafka.common.config.ConfigDef.Type;
import org.apache.kafka.common.config.ConfigDef.Width;

/** The source's keys as people meet them: type, default, what is valid, and what it does. */
final class SourceKeys {
  private SourceKeys() {}

  /** Defines all keys, those of connection and topology too. */
  static ConfigDef define() {
    ConfigDef def = ConnectionConfig.addTo(new ConfigDef());
    return TopologyConfig.addTo(
        defineErrors(defineRecords(defineOnce(defineStreams(defineFlow(defineQueues(def)))))));
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
            "Further arguments for the consumers as name:value, separated by commas. Whole numbers, true and false are sent as such, all else as text, and x-stream-filter always as text.",
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
}
