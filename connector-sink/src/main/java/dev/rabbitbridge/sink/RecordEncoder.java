// SPDX-License-Identifier: Apache-2.0
package dev.rabbitbridge.sink;

import com.rabbitmq.client.AMQP.BasicProperties;
import dev.rabbitbridge.config.ConnectionConfig;
import dev.rabbitbridge.config.LoginConfig;
import dev.rabbitbridge.message.AmqpHeaders;
import dev.rabbitbridge.message.ProtocolLimits;
import dev.rabbitbridge.message.Template;
import dev.rabbitbridge.sink.RabbitMQSinkConfig.DeliveryMode;
import dev.rabbitbridge.sink.RabbitMQSinkConfig.ValueFormat;
import java.util.Date;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import org.apache.kafka.connect.errors.DataException;
import org.apache.kafka.connect.sink.SinkRecord;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Turns a record into the message to publish. What it cannot turn, or what would break a limit of
 * the protocol, is a {@link DataException}: the record's own fault, found before anything is sent.
 * For the task thread only.
 */
final class RecordEncoder {
  /**
   * Names the record that a returned message was made from. Overwrites a header of the same name.
   */
  static final String ID_HEADER = "rabbitbridge.publish.id";

  private static final Logger LOG = LoggerFactory.getLogger(RecordEncoder.class);
  private static final int PERSISTENT = 2;
  private static final int TRANSIENT = 1;
  private static final byte[] EMPTY = {};

  private final ValueFormat valueFormat;
  private final Template exchange;
  private final @Nullable Template routingKey;
  private final Map<String, String> topicQueueMap;
  private final Map<String, String> staticHeaders;
  private final boolean forwardsHeaders;
  private final boolean forwardsKey;
  private final boolean forwardsMetadata;
  private final boolean mandatory;
  private final int largestInbound;
  private final int deliveryMode;
  private final @Nullable String user;
  private final @Nullable Template messageId;
  private final @Nullable Template correlationId;
  private final @Nullable Template contentType;
  private final @Nullable Template contentEncoding;
  private final @Nullable Template type;
  private final @Nullable Template appId;
  private final @Nullable Template replyTo;
  private final @Nullable Template priority;
  private final @Nullable Template expiration;
  private final @Nullable Template timestamp;
  private final @Nullable Template userId;
  private long lastId;
  private boolean warnedOfUserId;

  RecordEncoder(RabbitMQSinkConfig config) {
    valueFormat = config.valueFormat();
    exchange = config.exchange();
    routingKey = config.routingKey();
    topicQueueMap = config.topicQueueMap();
    staticHeaders = config.staticHeaders();
    forwardsHeaders = config.forwardsHeaders();
    forwardsKey = config.forwardsKey();
    forwardsMetadata = config.forwardsMetadata();
    mandatory = config.mandatory();
    largestInbound = config.connection().maxInboundMessageSize();
    deliveryMode = config.deliveryMode() == DeliveryMode.PERSISTENT ? PERSISTENT : TRANSIENT;
    user = user(config.connection());
    messageId = config.property("message-id");
    correlationId = config.property("correlation-id");
    contentType = config.property("content-type");
    contentEncoding = config.property("content-encoding");
    type = config.property("type");
    appId = config.property("app-id");
    replyTo = config.property("reply-to");
    priority = config.property("priority");
    expiration = config.property("expiration");
    timestamp = config.property("timestamp");
    userId = config.property("user-id");
  }

  /** Returns the connection's user, null where only RabbitMQ knows it. */
  private static @Nullable String user(ConnectionConfig connection) {
    return connection.login().mechanism() == LoginConfig.Mechanism.PLAIN
        ? connection.username()
        : null;
  }

  /** Encodes a record; a null value gives an empty body, marked as a tombstone. */
  Message encode(SinkRecord record) {
    RecordReferences references = new RecordReferences(record, record.topic());
    String queue = topicQueueMap.get(record.topic());
    String toExchange = queue == null ? exchange.render(references) : "";
    String key = queue == null ? routingKey(record).render(references) : queue;
    ProtocolLimits.shortString("exchange", toExchange);
    ProtocolLimits.shortString("routing key", key);
    ValueFormat form = form(record);
    long id = ++lastId;
    BasicProperties properties = properties(record, references, form, id);
    return new Message(id, toExchange, key, properties, returnable(body(record, form)));
  }

  /**
   * A message that comes back has to be accepted. Else it ends the connection, and would be
   * published over and over.
   */
  private byte[] returnable(byte[] body) {
    if (mandatory && body.length > largestInbound) {
      throw new DataException(
          "the body has "
              + body.length
              + " bytes; were it returned, "
              + ConnectionConfig.MAX_INBOUND_CONFIG
              + " would allow "
              + largestInbound);
    }
    return body;
  }

  private Template routingKey(SinkRecord record) {
    if (routingKey == null) {
      throw new DataException(
          "topic "
              + record.topic()
              + " is not in "
              + RabbitMQSinkConfig.TOPIC_QUEUE_MAP_CONFIG
              + ", and "
              + RabbitMQSinkConfig.ROUTING_KEY_CONFIG
              + " is not set");
    }
    return routingKey;
  }

  private ValueFormat form(SinkRecord record) {
    if (valueFormat != ValueFormat.AUTO) {
      return valueFormat;
    }
    Object value = record.value();
    if (value == null || RecordText.isBytes(value)) {
      return ValueFormat.BYTES;
    }
    return value instanceof String ? ValueFormat.STRING : ValueFormat.JSON;
  }

  private static byte[] body(SinkRecord record, ValueFormat form) {
    Object value = record.value();
    if (value == null) {
      return EMPTY;
    }
    return switch (form) {
      case BYTES -> {
        byte[] bytes = RecordText.bytes(value);
        if (bytes == null) {
          throw new DataException(
              "the value is a "
                  + value.getClass().getSimpleName()
                  + ", not bytes; set value.converter to"
                  + " org.apache.kafka.connect.converters.ByteArrayConverter, or "
                  + RabbitMQSinkConfig.VALUE_FORMAT_CONFIG
                  + " to auto or json");
        }
        yield bytes;
      }
      case STRING -> RecordText.utf8Body(value);
      case JSON, AUTO -> RecordText.json(record.valueSchema(), value);
    };
  }

  private BasicProperties properties(
      SinkRecord record, RecordReferences references, ValueFormat form, long id) {
    BasicProperties.Builder builder = new BasicProperties.Builder().deliveryMode(deliveryMode);
    RecordReferences origin = new RecordReferences(record, record.originalTopic());
    builder.messageId(shortText("message-id", messageId, origin));
    builder.correlationId(correlationId(record, references));
    builder.contentType(
        contentType == null && form == ValueFormat.JSON && record.value() != null
            ? "application/json"
            : shortText("content-type", contentType, references));
    builder.contentEncoding(shortText("content-encoding", contentEncoding, references));
    builder.type(shortText("type", type, references));
    builder.appId(shortText("app-id", appId, references));
    builder.replyTo(shortText("reply-to", replyTo, references));
    builder.userId(ownUserId(shortText("user-id", userId, references)));
    builder.timestamp(timestamp(record, references));
    String prio = rendered(priority, references);
    if (prio != null) {
      builder.priority(ProtocolLimits.priority(prio));
    }
    String ttl = rendered(expiration, references);
    if (ttl != null) {
      builder.expiration(ProtocolLimits.expiration(ttl));
    }
    builder.headers(headers(record, id));
    return builder.build();
  }

  private static @Nullable String shortText(
      String what, @Nullable Template template, Template.Lookup references) {
    return ProtocolLimits.shortString(what, rendered(template, references));
  }

  /** An empty text is no property: so a reference with an empty default is an optional one. */
  private static @Nullable String rendered(
      @Nullable Template template, Template.Lookup references) {
    String text = template == null ? "" : template.render(references);
    return text.isEmpty() ? null : text;
  }

  private @Nullable String correlationId(SinkRecord record, RecordReferences references) {
    if (correlationId == null && forwardsKey) {
      return ProtocolLimits.shortString(
          "correlation-id", RecordText.text("the key", record.keySchema(), record.key()));
    }
    return shortText("correlation-id", correlationId, references);
  }

  /** The broker closes the channel over a user-id that is not the connection's user. */
  private @Nullable String ownUserId(@Nullable String wanted) {
    if (wanted == null || wanted.equals(user)) {
      return wanted;
    }
    if (!warnedOfUserId) {
      warnedOfUserId = true;
      LOG.warn(
          "leaving out user-id on messages where it is not known to be the connection's user: RabbitMQ would refuse them");
    }
    return null;
  }

  private @Nullable Date timestamp(SinkRecord record, RecordReferences references) {
    if (timestamp == null) {
      Long own = record.timestamp();
      return own == null || own < 0 ? null : new Date(own);
    }
    String given = rendered(timestamp, references);
    return given == null ? null : new Date(ProtocolLimits.timestamp(given));
  }

  private @Nullable Map<String, Object> headers(SinkRecord record, long id) {
    Map<String, Object> headers = new LinkedHashMap<>();
    headers.putAll(staticHeaders);
    if (forwardsHeaders) {
      AmqpHeaders.addTo(headers, record.headers());
    }
    AmqpHeaders.makeListsOfCopies(headers);
    if (record.value() == null) {
      headers.put(AmqpHeaders.TOMBSTONE, true);
    }
    if (forwardsMetadata) {
      headers.put("KAFKA_TOPIC", record.originalTopic());
      headers.put("KAFKA_PARTITION", record.originalKafkaPartition());
      headers.put("KAFKA_OFFSET", record.originalKafkaOffset());
    }
    ProtocolLimits.headerNames(headers);
    if (mandatory) {
      headers.put(ID_HEADER, id);
    }
    return headers.isEmpty() ? null : headers;
  }

  /** The record's values for a template's references. */
  private record RecordReferences(SinkRecord record, String topic) implements Template.Lookup {
    @Override
    public @Nullable String find(String name, String argument) {
      return switch (name) {
        case "topic" -> topic;
        case "partition" -> String.valueOf(record.originalKafkaPartition());
        case "offset" -> String.valueOf(record.originalKafkaOffset());
        case "timestamp" -> Objects.toString(record.timestamp(), null);
        case "key" -> RecordText.text("the key", record.keySchema(), record.key());
        case "header:" -> RecordText.header(record, argument);
        case "value:" -> RecordText.field(record.valueSchema(), record.value(), argument);
        default -> null;
      };
    }
  }
}
