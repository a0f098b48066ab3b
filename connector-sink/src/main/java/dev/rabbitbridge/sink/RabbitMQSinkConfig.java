// SPDX-License-Identifier: Apache-2.0
package dev.rabbitbridge.sink;

import static org.apache.kafka.common.config.ConfigDef.Importance.HIGH;
import static org.apache.kafka.common.config.ConfigDef.Importance.LOW;
import static org.apache.kafka.common.config.ConfigDef.Importance.MEDIUM;
import static org.apache.kafka.common.config.ConfigDef.NO_DEFAULT_VALUE;
import static org.apache.kafka.common.config.ConfigDef.Range.atLeast;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.type.TypeReference;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.rabbitbridge.config.Choice;
import dev.rabbitbridge.config.ConnectionConfig;
import dev.rabbitbridge.config.ConnectorKeys;
import dev.rabbitbridge.config.TopologyConfig;
import dev.rabbitbridge.connection.Topology;
import dev.rabbitbridge.failure.Backoff;
import dev.rabbitbridge.message.Template;
import java.time.Duration;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.kafka.common.config.AbstractConfig;
import org.apache.kafka.common.config.ConfigDef;
import org.apache.kafka.common.config.ConfigDef.Type;
import org.apache.kafka.common.config.ConfigDef.Width;
import org.apache.kafka.common.config.ConfigException;
import org.apache.kafka.common.config.ConfigValue;
import org.jspecify.annotations.Nullable;

/** The sink's configuration. Immutable; safe for use by any thread. */
final class RabbitMQSinkConfig extends AbstractConfig {
  static final String EXCHANGE_CONFIG = "rabbitmq.exchange";
  static final String ROUTING_KEY_CONFIG = "rabbitmq.routing.key";
  static final String TOPIC_QUEUE_MAP_CONFIG = "rabbitmq.topic.queue.map";
  static final String DELIVERY_MODE_CONFIG = "rabbitmq.delivery.mode";
  static final String MANDATORY_CONFIG = "rabbitmq.mandatory";
  static final String VALUE_FORMAT_CONFIG = "rabbitmq.value.format";
  static final String NULL_VALUE_CONFIG = "rabbitmq.null.value.behavior";
  static final String FORWARD_HEADERS_CONFIG = "rabbitmq.forward.kafka.headers";
  static final String FORWARD_KEY_CONFIG = "rabbitmq.forward.kafka.key";
  static final String FORWARD_METADATA_CONFIG = "rabbitmq.forward.kafka.metadata";
  static final String HEADERS_CONFIG = "rabbitmq.headers";
  static final String PROPERTY_PREFIX = "rabbitmq.property.";
  static final String CONFIRM_MODE_CONFIG = "rabbitmq.publish.confirm.mode";
  static final String MAX_IN_FLIGHT_CONFIG = "rabbitmq.publish.max.in.flight";
  static final String CONFIRM_TIMEOUT_CONFIG = "rabbitmq.publish.confirm.timeout.ms";
  static final String MAX_RETRIES_CONFIG = "rabbitmq.publish.max.retries";
  static final String RETRY_BACKOFF_CONFIG = "rabbitmq.publish.retry.backoff.ms";
  static final String RETRY_BACKOFF_MAX_CONFIG = "rabbitmq.publish.retry.backoff.max.ms";

  /** Given to each task by the connector: which one it is. */
  static final String TASK_ID = "rabbitbridge.task.id";

  /** What a template of the sink can refer to. */
  static final Set<String> REFERENCES =
      Set.of("topic", "partition", "offset", "timestamp", "key", "header:", "value:");

  private static final String DEFAULT_MESSAGE_ID = "${topic}-${partition}-${offset}";
  private static final List<String> PROPERTIES =
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
  private static final ObjectMapper JSON = new ObjectMapper();

  enum DeliveryMode {
    PERSISTENT,
    TRANSIENT
  }

  enum ValueFormat {
    AUTO,
    BYTES,
    STRING,
    JSON
  }

  enum NullValue {
    EMPTY,
    IGNORE,
    FAIL
  }

  enum ConfirmMode {
    /** Publishes overlap confirms, up to the window. */
    ASYNC,
    /** Every put waits for its confirms. */
    BATCH,
    /** One message in flight: strict order, across retries too. */
    SINGLE
  }

  static final ConnectorKeys KEYS =
      new ConnectorKeys(
          define(), aliases(), union(ConnectionConfig.IGNORED_KEYS, "rabbitmq.queue"));

  private static Map<String, String> aliases() {
    Map<String, String> aliases = new HashMap<>(ConnectionConfig.ALIASES);
    aliases.put("rabbitmq.publish.max.batch.size", MAX_IN_FLIGHT_CONFIG);
    aliases.put("rabbitmq.publish.ack.timeout", CONFIRM_TIMEOUT_CONFIG);
    return aliases;
  }

  private static Set<String> union(Set<String> some, String... more) {
    Set<String> all = new HashSet<>(some);
    all.addAll(Arrays.asList(more));
    return all;
  }

  private static ConfigDef define() {
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

  RabbitMQSinkConfig(Map<String, String> props) {
    super(KEYS.definition(), KEYS.resolve(props));
  }

  /** Rules between keys, for {@code Connector.validate}. */
  static void checkRules(Map<String, ConfigValue> values, Map<String, String> props) {
    ConnectionConfig.checkRules(values);
    ConfigValue exchange = values.get(EXCHANGE_CONFIG);
    if ("declare".equals(values.get(TopologyConfig.MODE_CONFIG).value())
        && exchange.value() instanceof String text
        && text.contains("${")) {
      exchange.addErrorMessage(
          "must be a fixed name where "
              + TopologyConfig.MODE_CONFIG
              + " is declare, not a template");
    }
    ConfigValue routingKey = values.get(ROUTING_KEY_CONFIG);
    if (routingKey.value() == null
        && routingKey.errorMessages().isEmpty()
        && !mapCovers(values.get(TOPIC_QUEUE_MAP_CONFIG), props.get("topics"))) {
      routingKey.addErrorMessage(
          "is missing; set it (it may be empty), or give every topic a queue in "
              + TOPIC_QUEUE_MAP_CONFIG);
    }
  }

  private static boolean mapCovers(ConfigValue map, @Nullable String topics) {
    if (!(map.value() instanceof String json) || topics == null || !map.errorMessages().isEmpty()) {
      return false;
    }
    Set<String> mapped = parseMap(json).keySet();
    return Arrays.stream(topics.split(",")).map(String::trim).allMatch(mapped::contains);
  }

  ConnectionConfig connection() {
    return new ConnectionConfig(this);
  }

  Template exchange() {
    return template(EXCHANGE_CONFIG, getString(EXCHANGE_CONFIG));
  }

  @Nullable Template routingKey() {
    String text = getString(ROUTING_KEY_CONFIG);
    return text == null ? null : template(ROUTING_KEY_CONFIG, text);
  }

  /** Tells whether the exchange is the same for every record, so that its error is no record's. */
  boolean hasFixedExchange() {
    return exchange().isStatic();
  }

  Map<String, String> topicQueueMap() {
    String json = getString(TOPIC_QUEUE_MAP_CONFIG);
    return json == null ? Map.of() : parseMap(json);
  }

  /** Returns the exchanges and queues that can be known before any record. */
  Topology topology() {
    TopologyConfig topology = new TopologyConfig(this);
    Template exchange = exchange();
    Template routingKey = routingKey();
    String exchangeName = exchange.isStatic() ? getString(EXCHANGE_CONFIG) : null;
    String fixedKey =
        routingKey != null && routingKey.isStatic() ? getString(ROUTING_KEY_CONFIG) : null;
    Set<String> queues = new LinkedHashSet<>(topicQueueMap().values());
    if (topology.queue() != null) {
      queues.add(topology.queue());
    }
    if ("".equals(exchangeName) && fixedKey != null) {
      queues.add(fixedKey);
    }
    return Topology.of(
        topology, exchangeName, List.copyOf(queues), fixedKey == null ? "#" : fixedKey);
  }

  DeliveryMode deliveryMode() {
    return Choice.ofCapitals(DeliveryMode.class).parse(getString(DELIVERY_MODE_CONFIG));
  }

  boolean mandatory() {
    return getBoolean(MANDATORY_CONFIG);
  }

  ValueFormat valueFormat() {
    return Choice.of(ValueFormat.class).parse(getString(VALUE_FORMAT_CONFIG));
  }

  NullValue nullValue() {
    return Choice.of(NullValue.class).parse(getString(NULL_VALUE_CONFIG));
  }

  boolean forwardsHeaders() {
    return getBoolean(FORWARD_HEADERS_CONFIG);
  }

  boolean forwardsKey() {
    return getBoolean(FORWARD_KEY_CONFIG);
  }

  boolean forwardsMetadata() {
    return getBoolean(FORWARD_METADATA_CONFIG);
  }

  Map<String, String> staticHeaders() {
    Map<String, String> headers = new LinkedHashMap<>();
    for (String header : getList(HEADERS_CONFIG)) {
      int colon = header.indexOf(':');
      headers.put(header.substring(0, colon).trim(), header.substring(colon + 1).trim());
    }
    return headers;
  }

  @Nullable Template property(String name) {
    String text = getString(PROPERTY_PREFIX + name);
    return text == null ? null : template(PROPERTY_PREFIX + name, text);
  }

  ConfirmMode confirmMode() {
    return Choice.of(ConfirmMode.class).parse(getString(CONFIRM_MODE_CONFIG));
  }

  int maxInFlight() {
    return getInt(MAX_IN_FLIGHT_CONFIG);
  }

  Duration confirmTimeout() {
    return Duration.ofMillis(getLong(CONFIRM_TIMEOUT_CONFIG));
  }

  /** Returns how often a record may be published again; -1 for ever. */
  int maxRetries() {
    return getInt(MAX_RETRIES_CONFIG);
  }

  Backoff retryBackoff() {
    return new Backoff(
        Duration.ofMillis(getLong(RETRY_BACKOFF_CONFIG)),
        Duration.ofMillis(getLong(RETRY_BACKOFF_MAX_CONFIG)));
  }

  private static Template template(String key, String text) {
    return Template.parse(key, text, REFERENCES);
  }

  private static Map<String, String> parseMap(String json) {
    try {
      return JSON.readValue(json, new TypeReference<LinkedHashMap<String, String>>() {});
    } catch (JsonProcessingException e) {
      throw new ConfigException(
          TOPIC_QUEUE_MAP_CONFIG, json, "must be a JSON object like {\"orders\":\"orders-queue\"}");
    }
  }

  private static final class TemplateText implements ConfigDef.Validator {
    @Override
    public void ensureValid(String name, @Nullable Object value) {
      if (value != null) {
        template(name, (String) value);
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
      if (value != null
          && (parseMap((String) value) == null || parseMap((String) value).containsValue(null))) {
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
