// SPDX-License-Identifier: Apache-2.0
package dev.rabbitbridge.sink;

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
import org.apache.kafka.common.config.ConfigException;
import org.apache.kafka.common.config.ConfigValue;
import org.jspecify.annotations.Nullable;

/**
 * The sink's configuration: what the keys of {@link SinkKeys} mean to a task. Immutable; safe for
 * use by any thread.
 */
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

  /** Kafka Connect lets a connector set even this. */
  private static final String AUTO_COMMIT = "consumer.override.enable.auto.commit";

  /** Given to each task by the connector: which one it is. */
  static final String TASK_ID = "rabbitbridge.task.id";

  /** What a template of the sink can refer to. */
  static final Set<String> REFERENCES =
      Set.of("topic", "partition", "offset", "timestamp", "key", "header:", "value:");

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
          SinkKeys.define(),
          aliases(),
          union(ConnectionConfig.IGNORED_KEYS, "rabbitmq.queue"),
          Set.of(ROUTING_KEY_CONFIG));

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

  RabbitMQSinkConfig(Map<String, String> props) {
    super(KEYS.definition(), KEYS.resolve(props));
  }

  /** Rules between keys, for {@code Connector.validate}. */
  static void checkRules(Map<String, ConfigValue> values, Map<String, String> props) {
    ConnectionConfig.checkRules(values);
    if ("true".equalsIgnoreCase(props.get(AUTO_COMMIT))) {
      values
          .computeIfAbsent(AUTO_COMMIT, ConfigValue::new)
          .addErrorMessage(
              "is true: offsets would be committed before RabbitMQ has confirmed, and records lost; remove it");
    }
    ConfigValue exchange = values.get(EXCHANGE_CONFIG);
    if (values.get(TopologyConfig.MODE_CONFIG).value() instanceof String mode
        && mode.equalsIgnoreCase(Choice.word(TopologyConfig.Mode.DECLARE))
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

  static Template template(String key, String text) {
    return Template.parse(key, text, REFERENCES);
  }

  static Map<String, String> parseMap(String json) {
    try {
      return JSON.readValue(json, new TypeReference<LinkedHashMap<String, String>>() {});
    } catch (JsonProcessingException e) {
      throw new ConfigException(
          TOPIC_QUEUE_MAP_CONFIG, json, "must be a JSON object like {\"orders\":\"orders-queue\"}");
    }
  }
}
