// SPDX-License-Identifier: Apache-2.0
package dev.rabbitbridge.config;

import static org.apache.kafka.common.config.ConfigDef.Importance.LOW;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.type.TypeReference;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.apache.kafka.common.config.AbstractConfig;
import org.apache.kafka.common.config.ConfigDef;
import org.apache.kafka.common.config.ConfigDef.NonEmptyString;
import org.apache.kafka.common.config.ConfigDef.Type;
import org.apache.kafka.common.config.ConfigDef.Width;
import org.apache.kafka.common.config.ConfigException;
import org.jspecify.annotations.Nullable;

/**
 * The part of a connector's configuration that says which exchanges and queues it expects, or
 * makes.
 *
 * <p>Immutable; safe for use by any thread.
 */
public final class TopologyConfig {
  /** Whether the connector checks or declares anything at all. */
  public static final String MODE_CONFIG = "rabbitmq.topology";

  /** The queue to declare, and to bind to the exchange. */
  public static final String QUEUE_CONFIG = "rabbitmq.topology.queue";

  static final String EXCHANGE_TYPE_CONFIG = "rabbitmq.topology.exchange.type";
  static final String EXCHANGE_DURABLE_CONFIG = "rabbitmq.topology.exchange.durable";
  static final String EXCHANGE_ARGUMENTS_CONFIG = "rabbitmq.topology.exchange.arguments";
  static final String QUEUE_TYPE_CONFIG = "rabbitmq.topology.queue.type";
  static final String QUEUE_ARGUMENTS_CONFIG = "rabbitmq.topology.queue.arguments";
  static final String BINDING_KEYS_CONFIG = "rabbitmq.topology.binding.keys";
  static final String DEAD_LETTER_EXCHANGE_CONFIG = "rabbitmq.topology.dead.letter.exchange";
  static final String DEAD_LETTER_QUEUE_CONFIG = "rabbitmq.topology.dead.letter.queue";

  private static final String GROUP = "Topology";
  private static final ObjectMapper JSON = new ObjectMapper();

  /** What a connector does about exchanges and queues. */
  public enum Mode {
    /** Nothing: they are somebody else's. */
    NONE,
    /** Looks at start whether they exist. */
    CHECK,
    /** Creates them where they are missing. */
    DECLARE
  }

  /** The kinds of queue that can be declared. */
  public enum QueueType {
    /** Replicated. */
    QUORUM,
    /** On one node. */
    CLASSIC,
    /** An append-only log. */
    STREAM
  }

  private final AbstractConfig config;

  /**
   * Reads the topology settings out of a connector's configuration.
   *
   * @param config a configuration whose definition went through {@link #addTo}
   */
  public TopologyConfig(AbstractConfig config) {
    this.config = config;
  }

  /**
   * Adds the topology keys to a definition.
   *
   * @param def the connector's definition; changed
   * @return the same definition
   */
  public static ConfigDef addTo(ConfigDef def) {
    int order = 0;
    return def.define(
            MODE_CONFIG,
            Type.STRING,
            "none",
            Choice.of(Mode.class),
            LOW,
            "none: exchanges and queues are somebody else's. check: a missing one fails the task at start. declare: missing ones are created.",
            GROUP,
            ++order,
            Width.SHORT,
            "Topology",
            Choice.of(Mode.class))
        .define(
            EXCHANGE_TYPE_CONFIG,
            Type.STRING,
            "topic",
            new NonEmptyString(),
            LOW,
            "Type of a declared exchange.",
            GROUP,
            ++order,
            Width.SHORT,
            "Exchange type")
        .define(
            EXCHANGE_DURABLE_CONFIG,
            Type.BOOLEAN,
            true,
            LOW,
            "Whether a declared exchange survives a restart of the broker.",
            GROUP,
            ++order,
            Width.SHORT,
            "Exchange durable")
        .define(
            EXCHANGE_ARGUMENTS_CONFIG,
            Type.STRING,
            null,
            new Arguments(),
            LOW,
            "Arguments of a declared exchange, a JSON object.",
            GROUP,
            ++order,
            Width.LONG,
            "Exchange arguments")
        .define(
            QUEUE_CONFIG,
            Type.STRING,
            null,
            LOW,
            "Queue to declare, and to bind to the exchange.",
            GROUP,
            ++order,
            Width.MEDIUM,
            "Queue")
        .define(
            QUEUE_TYPE_CONFIG,
            Type.STRING,
            "quorum",
            Choice.of(QueueType.class),
            LOW,
            "Type of a declared queue.",
            GROUP,
            ++order,
            Width.SHORT,
            "Queue type",
            Choice.of(QueueType.class))
        .define(
            QUEUE_ARGUMENTS_CONFIG,
            Type.STRING,
            null,
            new Arguments(),
            LOW,
            "Arguments of a declared queue, a JSON object, for example {\"x-max-length\": 100000}.",
            GROUP,
            ++order,
            Width.LONG,
            "Queue arguments")
        .define(
            BINDING_KEYS_CONFIG,
            Type.LIST,
            "",
            LOW,
            "Routing keys to bind the declared queue with. Default is the routing key where that is the same for all records, else everything (#).",
            GROUP,
            ++order,
            Width.LONG,
            "Binding keys")
        .define(
            DEAD_LETTER_EXCHANGE_CONFIG,
            Type.STRING,
            null,
            LOW,
            "Exchange that the declared queue's dead letters go to; declared as fanout. Default with a dead letter queue is the default exchange.",
            GROUP,
            ++order,
            Width.MEDIUM,
            "Dead letter exchange")
        .define(
            DEAD_LETTER_QUEUE_CONFIG,
            Type.STRING,
            null,
            LOW,
            "Queue that the dead letters end in; declared too.",
            GROUP,
            ++order,
            Width.MEDIUM,
            "Dead letter queue");
  }

  /**
   * Returns what to do.
   *
   * @return never null
   */
  public Mode mode() {
    return Choice.of(Mode.class).parse(config.getString(MODE_CONFIG));
  }

  /**
   * Returns the type of a declared exchange.
   *
   * @return never null
   */
  public String exchangeType() {
    return config.getString(EXCHANGE_TYPE_CONFIG);
  }

  /**
   * Tells whether a declared exchange survives a restart.
   *
   * @return true by default
   */
  public boolean exchangeDurable() {
    return config.getBoolean(EXCHANGE_DURABLE_CONFIG);
  }

  /**
   * Returns the arguments of a declared exchange.
   *
   * @return may be empty
   */
  public Map<String, Object> exchangeArguments() {
    return parse(EXCHANGE_ARGUMENTS_CONFIG, config.getString(EXCHANGE_ARGUMENTS_CONFIG));
  }

  /**
   * Returns the queue to declare.
   *
   * @return null for none
   */
  public @Nullable String queue() {
    return config.getString(QUEUE_CONFIG);
  }

  /**
   * Returns the type of declared queues.
   *
   * @return never null
   */
  public QueueType queueType() {
    return Choice.of(QueueType.class).parse(config.getString(QUEUE_TYPE_CONFIG));
  }

  /**
   * Returns the user's own arguments of declared queues.
   *
   * @return may be empty
   */
  public Map<String, Object> queueArguments() {
    return parse(QUEUE_ARGUMENTS_CONFIG, config.getString(QUEUE_ARGUMENTS_CONFIG));
  }

  /**
   * Returns the routing keys to bind with.
   *
   * @return empty for the default
   */
  public List<String> bindingKeys() {
    return config.getList(BINDING_KEYS_CONFIG);
  }

  /**
   * Returns the exchange for dead letters.
   *
   * @return null for none, or for the default exchange if there is a dead letter queue
   */
  public @Nullable String deadLetterExchange() {
    return config.getString(DEAD_LETTER_EXCHANGE_CONFIG);
  }

  /**
   * Returns the queue for dead letters.
   *
   * @return null for none
   */
  public @Nullable String deadLetterQueue() {
    return config.getString(DEAD_LETTER_QUEUE_CONFIG);
  }

  private static Map<String, Object> parse(String key, @Nullable String json) {
    if (json == null) {
      return Map.of();
    }
    try {
      Map<String, Object> arguments =
          JSON.readValue(json, new TypeReference<LinkedHashMap<String, Object>>() {});
      if (arguments != null) {
        return arguments;
      }
    } catch (JsonProcessingException e) {
      // told below
    }
    throw new ConfigException(key, json, "must be a JSON object like {\"x-max-length\": 100000}");
  }

  private static final class Arguments implements ConfigDef.Validator {
    @Override
    public void ensureValid(String name, @Nullable Object value) {
      parse(name, (String) value);
    }

    @Override
    public String toString() {
      return "JSON object";
    }
  }
}
