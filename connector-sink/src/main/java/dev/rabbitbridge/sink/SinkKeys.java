// SPDX-License-Identifier: Apache-2.0
package dev.rabbitbridge.sink;

import static dev.rabbitbridge.sink.RabbitMQSinkConfig.CONFIRM_MODE_CONFIG;
import static dev.rabbitbridge.sink.RabbitMQSinkConfig.CONFIRM_TIMEOUT_CONFIG;
import static dev.rabbitbridge.sink.RabbitMQSinkConfig.DELIVERY_MODE_CONFIG;
import static dev.rabbitbridge.sink.RabbitMQSinkConfig.EXCHANGE_CONFIG;
import static dev.rabbitbridge.sink.RabbitMQSinkConfig.FORWARD_HEADERS_CONFIG;
import static dev.rabbitbridge.sink.RabbitMQSinkConfig.FORWARD_KEY_CONFIG;
import static dev.rabbitbridge.sink.RabbitMQSinkConfig.FORWARD_METADATA_CONFIG;
import static dev.rabbitbridge.sink.RabbitMQSinkConfig.HEADERS_CONFIG;
import static dev.rabbitbridge.sink.RabbitMQSinkConfig.MANDATORY_CONFIG;
import static dev.rabbitbridge.sink.RabbitMQSinkConfig.MAX_IN_FLIGHT_CONFIG;
import static dev.rabbitbridge.sink.RabbitMQSinkConfig.MAX_RETRIES_CONFIG;
import static dev.rabbitbridge.sink.RabbitMQSinkConfig.NULL_VALUE_CONFIG;
import static dev.rabbitbridge.sink.RabbitMQSinkConfig.PROPERTY_PREFIX;
import static dev.rabbitbridge.sink.RabbitMQSinkConfig.RETRY_BACKOFF_CONFIG;
import static dev.rabbitbridge.sink.RabbitMQSinkConfig.RETRY_BACKOFF_MAX_CONFIG;
import static dev.rabbitbridge.sink.RabbitMQSinkConfig.ROUTING_KEY_CONFIG;
import static dev.rabbitbridge.sink.RabbitMQSinkConfig.TOPIC_QUEUE_MAP_CONFIG;
import static dev.rabbitbridge.sink.RabbitMQSinkConfig.VALUE_FORMAT_CONFIG;
import static org.apache.kafka.common.config.ConfigDef.Importance.HIGH;
import static org.apache.kafka.common.config.ConfigDef.Importance.LOW;
import static org.apache.kafka.common.config.ConfigDef.Importance.MEDIUM;
import static org.apache.kafka.common.config.ConfigDef.NO_DEFAULT_VALUE;
import static org.apache.kafka.common.config.ConfigDef.Range.atLeast;

import dev.rabbitbridge.config.Choice;
import dev.rabbitbridge.config.ConnectionConfig;
import dev.rabbitbridge.config.TopologyConfig;
import dev.rabbitbridge.sink.RabbitMQSinkConfig.ConfirmMode;
import dev.rabbitbridge.sink.RabbitMQSinkConfig.DeliveryMode;
import dev.rabbitbridge.sink.RabbitMQSinkConfig.NullValue;
import dev.rabbitbridge.sink.RabbitMQSinkConfig.ValueFormat;
import java.util.List;
import java.util.Map;
import org.apache.kafka.common.config.ConfigDef;
import org.apache.kafka.common.config.ConfigDef.Type;
import org.apache.kafka.common.config.ConfigDef.Width;
import org.apache.kafka.common.config.ConfigException;
import org.jspecify.annotations.Nullable;

/** The sink's keys as people meet them: type, default, what is valid, and what it does. */
final class SinkKeys {
  private static final String DEFAULT_MESSAGE_ID = "${topic}-${partition}-${offset}";

  /** Those that have a template of their own, {@code rabbitmq.property.*}. */
  static final List<String> PROPERTIES =
      List.of(
          "message-id",
          "correlation-id",
          "content-type",
          "content-encoding",
          "type",
          "app-id",
          "reply-to",
          "priority",
          "expiration",
          "timestamp",
          "user-id");

  private SinkKeys() {}

  /** Defines all keys, those of the connection and the topology included. */
  static ConfigDef define() {
    ConfigDef def = ConnectionConfig.addTo(new ConfigDef());
    defineAddressing(def);
    defineMessage(def);
    definePublishing(def);
    return TopologyConfig.addTo(def);
  }

  private static void defineAddressing(ConfigDef def) {
    String group = "Addressing";
    int order = 0;
    def.define(
            EXCHANGE_CONFIG,
            Type.STRING,
            NO_DEFAULT_VALUE,
            new TemplateText(),
            HIGH,
            "Exchange to publish to; empty for the default exchange, which takes the routing key as a queue name. A template.",
            group,
            ++order,
            Width.MEDIUM,
            "Exchange")
        .define(
            ROUTING_KEY_CONFIG,
            Type.STRING,
            null,
            new TemplateText(),
            HIGH,
            "Routing key of each message, may be empty. A template. Required unless "
                + TOPIC_QUEUE_MAP_CONFIG
                + " covers every topic.",
            group,
            ++order,
            Width.MEDIUM,
            "Routing key")
        .define(
            TOPIC_QUEUE_MAP_CONFIG,
            Type.STRING,
            null,
            new TopicQueueMap(),
            MEDIUM,
            "JSON object of topic to queue. Records of these topics go straight to that queue through the default exchange.",
            group,
            ++order,
            Width.LONG,
            "Topic to queue map")
        .define(
            MANDATORY_CONFIG,
            Type.BOOLEAN,
            true,
            MEDIUM,
            "Whether a message that no queue takes comes back and counts as a record error. When false the broker drops it and confirms it.",
            group,
            ++order,
            Width.SHORT,
            "Mandatory");
  }

  private static void defineMessage(ConfigDef def) {
    String group = "Message";
    int order = 0;
    def.define(
            DELIVERY_MODE_CONFIG,
            Type.STRING,
            "PERSISTENT",
            Choice.ofCapitals(DeliveryMode.class),
            HIGH,
            "PERSISTENT messages survive a restart of the broker in a durable queue, TRANSIENT ones need not.",
            group,
            ++order,
            Width.SHORT,
            "Delivery mode",
            Choice.ofCapitals(DeliveryMode.class))
        .define(
            VALUE_FORMAT_CONFIG,
            Type.STRING,
            "auto",
            Choice.of(ValueFormat.class),
            MEDIUM,
            "How a value becomes a body. auto: bytes as they are, text as UTF-8, everything else as JSON. bytes, string and json insist on one form.",
            group,
            ++order,
            Width.SHORT,
            "Value format",
            Choice.of(ValueFormat.class))
        .define(
            NULL_VALUE_CONFIG,
            Type.STRING,
            "empty",
            Choice.of(NullValue.class),
            MEDIUM,
            "What a record without a value becomes. empty: a message of 0 bytes with the header kafka.tombstone; ignore: nothing; fail: a record error.",
            group,
            ++order,
            Width.SHORT,
            "Null value behavior",
            Choice.of(NullValue.class))
        .define(
            FORWARD_HEADERS_CONFIG,
            Type.BOOLEAN,
            true,
            MEDIUM,
            "Whether a record's headers become message headers, each with its type. A repeated one becomes a list.",
            group,
            ++order,
            Width.SHORT,
            "Forward headers")
        .define(
            FORWARD_KEY_CONFIG,
            Type.BOOLEAN,
            false,
            MEDIUM,
            "Whether a record's key, as text, becomes the correlation-id.",
            group,
            ++order,
            Width.SHORT,
            "Forward key")
        .define(
            FORWARD_METADATA_CONFIG,
            Type.BOOLEAN,
            false,
            MEDIUM,
            "Whether the record's origin becomes the headers KAFKA_TOPIC, KAFKA_PARTITION and KAFKA_OFFSET.",
            group,
            ++order,
            Width.SHORT,
            "Forward metadata")
        .define(
            HEADERS_CONFIG,
            Type.LIST,
            "",
            new StaticHeaders(),
            LOW,
            "Headers of every message, as name:value,name:value.",
            group,
            ++order,
            Width.LONG,
            "Static headers");
    for (String property : PROPERTIES) {
      def.define(
          PROPERTY_PREFIX + property,
          Type.STRING,
          property.equals("message-id") ? DEFAULT_MESSAGE_ID : null,
          new TemplateText(),
          property.equals("message-id") ? MEDIUM : LOW,
          describe(property),
          group,
          ++order,
          Width.MEDIUM,
          property);
    }
  }

  private static String describe(String property) {
    return switch (property) {
      case "message-id" ->
          "Template of the message-id, which consumers can deduplicate on. ${topic}, ${partition} and ${offset} mean the record's origin here.";
      case "timestamp" ->
          "Template of the timestamp, in milliseconds since 1970. Default is the record's own. AMQP keeps whole seconds.";
      case "expiration" -> "Template of the message's time to live, in whole milliseconds.";
      case "priority" -> "Template of the priority, 0 to 255.";
      case "user-id" ->
          "Template of the user-id. Left out where it is not the connection's user, because the broker would refuse the message.";
      default -> "Template of the " + property + ".";
    };
  }

  private static void definePublishing(ConfigDef def) {
    String group = "Publishing";
    int order = 0;
    def.define(
            CONFIRM_MODE_CONFIG,
            Type.STRING,
            "async",
            Choice.of(ConfirmMode.class),
            MEDIUM,
            "async: publishes overlap confirms. batch: every put waits for its confirms. single: one message in flight, strict order across retries too.",
            group,
            ++order,
            Width.SHORT,
            "Confirm mode",
            Choice.of(ConfirmMode.class))
        .define(
            MAX_IN_FLIGHT_CONFIG,
            Type.INT,
            5000,
            atLeast(1),
            MEDIUM,
            "Most messages of a task that await their confirms. When it is reached the task pauses its partitions.",
            group,
            ++order,
            Width.SHORT,
            "Max in flight")
        .define(
            CONFIRM_TIMEOUT_CONFIG,
            Type.LONG,
            10_000L,
            atLeast(1),
            MEDIUM,
            "How long to wait for a confirm, in milliseconds. Then the outcome is unknown and the message is published again on a new channel.",
            group,
            ++order,
            Width.SHORT,
            "Confirm timeout (ms)")
        .define(
            MAX_RETRIES_CONFIG,
            Type.INT,
            10,
            atLeast(-1),
            MEDIUM,
            "How often one record is published again after a nack or a confirm timeout before it is a record error; -1 for ever. Lost connections do not count.",
            group,
            ++order,
            Width.SHORT,
            "Max retries")
        .define(
            RETRY_BACKOFF_CONFIG,
            Type.LONG,
            100L,
            atLeast(1),
            LOW,
            "Wait before a nacked record is published again, in milliseconds; doubles with each.",
            group,
            ++order,
            Width.SHORT,
            "Retry back-off (ms)")
        .define(
            RETRY_BACKOFF_MAX_CONFIG,
            Type.LONG,
            10_000L,
            atLeast(1),
            LOW,
            "Longest wait before a record is published again, in milliseconds.",
            group,
            ++order,
            Width.SHORT,
            "Retry back-off max (ms)");
  }

  private static final class TemplateText implements ConfigDef.Validator {
    @Override
    public void ensureValid(String name, @Nullable Object value) {
      if (value != null) {
        RabbitMQSinkConfig.template(name, (String) value);
      }
    }

    @Override
    public String toString() {
      return "template";
    }
  }

  private static final class TopicQueueMap implements ConfigDef.Validator {
    @Override
    public void ensureValid(String name, @Nullable Object value) {
      if (value == null) {
        return;
      }
      Map<String, String> map = RabbitMQSinkConfig.parseMap((String) value);
      if (map == null || map.containsValue(null) || map.containsValue("")) {
        throw new ConfigException(name, value, "must give every topic a queue");
      }
    }

    @Override
    public String toString() {
      return "JSON object of topic to queue";
    }
  }

  private static final class StaticHeaders implements ConfigDef.Validator {
    @Override
    public void ensureValid(String name, @Nullable Object value) {
      for (Object header : (List<?>) value) {
        if (((String) header).indexOf(':') < 1) {
          throw new ConfigException(name, header, "must be name:value");
        }
      }
    }

    @Override
    public String toString() {
      return "name:value,name:value,...";
    }
  }
}
