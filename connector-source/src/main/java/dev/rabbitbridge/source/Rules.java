// SPDX-License-Identifier: Apache-2.0
package dev.rabbitbridge.source;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.type.TypeReference;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.rabbitbridge.config.Choice;
import dev.rabbitbridge.config.ConnectionConfig;
import dev.rabbitbridge.config.TopologyConfig;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.format.DateTimeParseException;
import java.util.Date;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.kafka.common.config.ConfigDef;
import org.apache.kafka.common.config.ConfigException;
import org.apache.kafka.common.config.ConfigValue;
import org.jspecify.annotations.Nullable;

/**
 * What makes a source configuration valid: of single keys, and between them. Connects to nothing.
 */
final class Rules {
  private static final String TASKS_MAX = "tasks.max";
  private static final String TOPOLOGY_QUEUE_TYPE = "rabbitmq.topology.queue.type";

  private static final String EXACTLY_ONCE = "exactly.once.support";
  private static final String PRODUCER_ACKS = "producer.override.acks";
  private static final int LARGEST_PREFETCH = (SettledWindow.SLOTS - 1) * SettledWindow.SLOT / 4;

  private Rules() {}

  /** The rules between keys. */
  static void check(Map<String, String> props, Map<String, ConfigValue> values) {
    ConnectionConfig.checkRules(values);
    checkAcks(props, values);
    checkTopicMap(values);
    checkTasks(props, values);
    checkOnce(props, values);
    checkDelayQueues(values);
    boolean stream = is(values, RabbitMQSourceConfig.QUEUE_TYPE_CONFIG, QueueType.STREAM);
    if (stream) {
      checkStream(props, values);
    }
    if (is(values, TopologyConfig.MODE_CONFIG, TopologyConfig.Mode.DECLARE)
        && stream != is(values, TOPOLOGY_QUEUE_TYPE, TopologyConfig.QueueType.STREAM)) {
      values
          .get(TOPOLOGY_QUEUE_TYPE)
          .addErrorMessage(
              "the queues are read as "
                  + (stream ? "streams" : "classic or quorum queues")
                  + " according to "
                  + RabbitMQSourceConfig.QUEUE_TYPE_CONFIG);
    }
  }

  /**
   * Tells whether the configuration lets an exactly-once worker keep its word: a stream is read by
   * offset, and a queue's redeliveries can be told.
   */
  static boolean isExactlyOnce(Map<String, String> props) {
    return Choice.word(QueueType.STREAM)
            .equalsIgnoreCase(props.get(RabbitMQSourceConfig.QUEUE_TYPE_CONFIG))
        || Choice.word(Deduplication.MESSAGE_ID)
            .equalsIgnoreCase(props.get(RabbitMQSourceConfig.DEDUPLICATION_CONFIG));
  }

  private static void checkAcks(Map<String, String> props, Map<String, ConfigValue> values) {
    String acks = props.get(PRODUCER_ACKS);
    if (acks != null && acks.trim().equals("0")) {
      values
          .computeIfAbsent(PRODUCER_ACKS, ConfigValue::new)
          .addErrorMessage(
              "is 0: messages would be acked before Kafka has their records, and lost; remove it");
    }
  }

  private static void checkOnce(Map<String, String> props, Map<String, ConfigValue> values) {
    ConfigValue deduplication = values.get(RabbitMQSourceConfig.DEDUPLICATION_CONFIG);
    if ("required".equalsIgnoreCase(props.get(EXACTLY_ONCE)) && !isExactlyOnce(props)) {
      deduplication.addErrorMessage(
          "message-id is what "
              + EXACTLY_ONCE
              + "=required takes for classic and quorum queues; for a stream set "
              + RabbitMQSourceConfig.QUEUE_TYPE_CONFIG
              + "=stream");
    }
    if (!is(values, RabbitMQSourceConfig.DEDUPLICATION_CONFIG, Deduplication.MESSAGE_ID)) {
      return;
    }
    if (is(values, RabbitMQSourceConfig.QUEUE_TYPE_CONFIG, QueueType.STREAM)) {
      deduplication.addErrorMessage(
          "is not needed with a stream, which is read by offset; use none");
    }
    if (is(values, RabbitMQSourceConfig.CONSUMER_MODE_CONFIG, ConsumerMode.SHARED)) {
      values
          .get(RabbitMQSourceConfig.CONSUMER_MODE_CONFIG)
          .addErrorMessage(
              "shared is not possible with "
                  + RabbitMQSourceConfig.DEDUPLICATION_CONFIG
                  + ": a redelivery would go to a task that knows nothing of the first; use dedicated");
    }
    ConfigValue skipped = values.get(RabbitMQSourceConfig.SKIPPED_RECORD_CONFIG);
    if (!is(values, RabbitMQSourceConfig.SKIPPED_RECORD_CONFIG, SkippedRecordBehavior.ACK)
        && skipped.errorMessages().isEmpty()) {
      skipped.addErrorMessage(
          "has to be ack with "
              + RabbitMQSourceConfig.DEDUPLICATION_CONFIG
              + ": a redelivery of a skipped message is acked");
    }
    ConfigValue prefetch = values.get(RabbitMQSourceConfig.PREFETCH_CONFIG);
    if (prefetch.value() instanceof Integer count && count > LARGEST_PREFETCH) {
      prefetch.addErrorMessage(
          "may be at most "
              + LARGEST_PREFETCH
              + " with "
              + RabbitMQSourceConfig.DEDUPLICATION_CONFIG
              + ", which remembers four times as many messages");
    }
  }

  private static void checkTopicMap(Map<String, ConfigValue> values) {
    ConfigValue map = values.get(RabbitMQSourceConfig.TOPIC_MAP_CONFIG);
    Object queues = values.get(RabbitMQSourceConfig.QUEUE_CONFIG).value();
    if (map.value() instanceof String json
        && map.errorMessages().isEmpty()
        && queues instanceof List<?> names) {
      for (String queue : TopicMap.parse(json).keySet()) {
        if (!names.contains(queue)) {
          map.addErrorMessage(
              "names queue '" + queue + "', which is not in " + RabbitMQSourceConfig.QUEUE_CONFIG);
        }
      }
    }
  }

  private static void checkDelayQueues(Map<String, ConfigValue> values) {
    ConfigValue queues = values.get(RabbitMQSourceConfig.QUEUE_CONFIG);
    if (is(values, RabbitMQSourceConfig.SKIPPED_RECORD_CONFIG, SkippedRecordBehavior.RETRY)
        && values.get(RabbitMQSourceConfig.RETRY_DELAY_CONFIG).value() instanceof Long delay
        && queues.value() instanceof List<?> names) {
      for (Object queue : names) {
        String delayQueue = RetryPublisher.delayQueue(queue.toString(), delay);
        if (isTooLong(delayQueue)) {
          queues.addErrorMessage(
              "'" + delayQueue + "', the delay queue for its retries, has more than 255 bytes");
        }
      }
    }
  }

  private static boolean isTooLong(String queue) {
    return queue.getBytes(StandardCharsets.UTF_8).length > 255;
  }

  private static void checkTasks(Map<String, String> props, Map<String, ConfigValue> values) {
    ConfigValue most = values.get(RabbitMQSourceConfig.MAX_QUEUES_CONFIG);
    int tasks = tasksMax(props);
    if (tasks > 0
        && most.value() instanceof Integer perTask
        && most.errorMessages().isEmpty()
        && values.get(RabbitMQSourceConfig.QUEUE_CONFIG).value() instanceof List<?> queues) {
      String problem =
          QueueAssignment.problem(
              (int) queues.stream().distinct().count(), tasks, perTask, isShared(values));
      if (problem != null) {
        most.addErrorMessage(problem);
      }
    }
    ConfigValue exclusive = values.get(RabbitMQSourceConfig.CONSUMER_EXCLUSIVE_CONFIG);
    if (tasks > 1 && Boolean.TRUE.equals(exclusive.value()) && isShared(values)) {
      exclusive.addErrorMessage(
          "lets only one of the "
              + tasks
              + " tasks read a queue; use dedicated for "
              + RabbitMQSourceConfig.CONSUMER_MODE_CONFIG);
    }
  }

  private static boolean isShared(Map<String, ConfigValue> values) {
    return is(values, RabbitMQSourceConfig.CONSUMER_MODE_CONFIG, ConsumerMode.SHARED);
  }

  private static void checkStream(Map<String, String> props, Map<String, ConfigValue> values) {
    refuse(values, RabbitMQSourceConfig.RECORD_ERROR_CONFIG, RecordErrorBehavior.REJECT);
    refuse(values, RabbitMQSourceConfig.SKIPPED_RECORD_CONFIG, SkippedRecordBehavior.REJECT);
    refuse(values, RabbitMQSourceConfig.SKIPPED_RECORD_CONFIG, SkippedRecordBehavior.RETRY);
    ConfigValue limit = values.get(RabbitMQSourceConfig.DELIVERY_LIMIT_CONFIG);
    if (limit.value() instanceof Integer most && most > 0) {
      limit.addErrorMessage("is not possible with a stream, which never counts deliveries; use 0");
    }
    ConfigValue priority = values.get(RabbitMQSourceConfig.CONSUMER_PRIORITY_CONFIG);
    if (priority.value() != null) {
      priority.addErrorMessage("is not possible with a stream; remove it");
    }
    if (tasksMax(props) > 1 && isShared(values)) {
      values
          .get(RabbitMQSourceConfig.CONSUMER_MODE_CONFIG)
          .addErrorMessage(
              "shared is not possible with a stream: every task would read all of it; use dedicated");
    }
  }

  private static void refuse(Map<String, ConfigValue> values, String key, Enum<?> choice) {
    if (is(values, key, choice)) {
      values
          .get(key)
          .addErrorMessage(
              Choice.word(choice)
                  + " is not possible with a stream: its messages stay where they are");
    }
  }

  private static boolean is(Map<String, ConfigValue> values, String key, Enum<?> choice) {
    ConfigValue value = values.get(key);
    return value.value() instanceof String written && written.equalsIgnoreCase(Choice.word(choice));
  }

  /** 0 when it is not a number; the framework complains of that. */
  private static int tasksMax(Map<String, String> props) {
    String written = props.get(TASKS_MAX);
    try {
      return written == null ? 1 : Integer.parseInt(written.trim());
    } catch (NumberFormatException e) {
      return 0;
    }
  }

  /** At least one queue name; none blank, none over the protocol's limit. */
  static final class QueueNames implements ConfigDef.Validator {
    @Override
    public void ensureValid(String name, @Nullable Object value) {
      if (!(value instanceof List<?> queues) || queues.isEmpty()) {
        throw new ConfigException(name, value, "must name at least one queue");
      }
      for (Object queue : queues) {
        String text = queue.toString();
        if (text.isBlank() || isTooLong(text)) {
          throw new ConfigException(name, queue, "a queue name has 1 to 255 bytes");
        }
      }
    }

    @Override
    public String toString() {
      return "queue,queue,...";
    }
  }

  /** A topic template. */
  static final class Topic implements ConfigDef.Validator {
    @Override
    public void ensureValid(String name, @Nullable Object value) {
      if (value != null) {
        ensureTopic(name, value.toString());
      }
    }

    private static void ensureTopic(String name, String template) {
      new TopicTemplate(name, template);
    }

    @Override
    public String toString() {
      return "a topic, or a template of one";
    }
  }

  /** A JSON object from text to topic template. */
  static final class TopicMap implements ConfigDef.Validator {
    private static final ObjectMapper JSON = new ObjectMapper();

    @Override
    public void ensureValid(String name, @Nullable Object value) {
      if (value != null) {
        Map<String, String> map;
        try {
          map = parse(value.toString());
        } catch (IllegalArgumentException e) {
          throw new ConfigException(name, value, e.getMessage());
        }
        map.values().forEach(topic -> Topic.ensureTopic(name, topic));
      }
    }

    static Map<String, String> parse(String json) {
      try {
        Map<String, String> map =
            JSON.readValue(json, new TypeReference<LinkedHashMap<String, String>>() {});
        if (map == null || map.containsValue(null)) {
          throw new IllegalArgumentException("must be a JSON object from queue to topic");
        }
        return map;
      } catch (JsonProcessingException e) {
        throw new IllegalArgumentException("must be a JSON object from queue to topic", e);
      }
    }

    @Override
    public String toString() {
      return "{\"queue\":\"topic\",...}";
    }
  }

  /** name:value pairs. */
  static final class Arguments implements ConfigDef.Validator {
    static final String STREAM_FILTER = "x-stream-filter";

    @Override
    public void ensureValid(String name, @Nullable Object value) {
      for (Object pair : (List<?>) value) {
        if (pair.toString().indexOf(':') < 1) {
          throw new ConfigException(name, pair, "must be name:value");
        }
        if (pair.toString().startsWith("x-stream-offset:")) {
          throw new ConfigException(
              name, pair, "is what " + RabbitMQSourceConfig.STREAM_OFFSET_CONFIG + " is for");
        }
      }
    }

    static Map<String, Object> parse(List<String> pairs) {
      Map<String, Object> arguments = new LinkedHashMap<>();
      for (String pair : pairs) {
        int colon = pair.indexOf(':');
        String name = pair.substring(0, colon).trim();
        String value = pair.substring(colon + 1).trim();
        // RabbitMQ takes no notice of a filter that is not text.
        arguments.put(name, name.equals(STREAM_FILTER) ? value : typed(value));
      }
      return arguments;
    }

    private static Object typed(String text) {
      if (text.equals("true") || text.equals("false")) {
        return Boolean.valueOf(text);
      }
      try {
        return Long.valueOf(text);
      } catch (NumberFormatException e) {
        return text;
      }
    }

    @Override
    public String toString() {
      return "name:value,name:value,...";
    }
  }

  /** A choice of the record's key. */
  static final class Key implements ConfigDef.Validator {
    static final String HEADER = "header:";
    private static final Set<String> WORDS =
        Set.of("none", "message-id", "correlation-id", "routing-key");

    @Override
    public void ensureValid(String name, @Nullable Object value) {
      String key = String.valueOf(value);
      if (!WORDS.contains(key) && !(key.startsWith(HEADER) && key.length() > HEADER.length())) {
        throw new ConfigException(name, value, "must be " + this);
      }
    }

    @Override
    public String toString() {
      return "none, message-id, correlation-id, routing-key or header:NAME";
    }
  }

  /** A start position in a stream. */
  static final class StreamStart implements ConfigDef.Validator {
    @Override
    public void ensureValid(String name, @Nullable Object value) {
      try {
        parse(String.valueOf(value));
      } catch (DateTimeParseException e) {
        throw new ConfigException(name, value, "must be " + this);
      }
    }

    static Object parse(String written) {
      if (Set.of("first", "last", "next").contains(written)) {
        return written;
      }
      return written.matches("\\d{1,18}")
          ? Long.valueOf(written)
          : (Object) Date.from(Instant.parse(written));
    }

    @Override
    public String toString() {
      return "first, last, next, an offset, or a time such as 2026-01-31T12:00:00Z";
    }
  }
}
