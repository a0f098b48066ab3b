// SPDX-License-Identifier: Apache-2.0
package dev.rabbitbridge.source;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.rabbitmq.client.AMQP.BasicProperties;
import dev.rabbitbridge.message.ReceivedField;
import java.util.Date;
import java.util.LinkedHashMap;
import java.util.Map;
import org.apache.kafka.connect.data.Schema;
import org.apache.kafka.connect.data.SchemaAndValue;
import org.apache.kafka.connect.data.SchemaBuilder;
import org.apache.kafka.connect.data.Struct;
import org.apache.kafka.connect.data.Timestamp;
import org.apache.kafka.connect.errors.DataException;
import org.jspecify.annotations.Nullable;

/**
 * The whole message as one Struct, whose schema never changes. Its names are such as Avro and
 * Protobuf allow. Headers are text: what is not text in the message is its JSON there.
 */
final class MessageEnvelope {
  static final Schema PROPERTIES =
      SchemaBuilder.struct()
          .name("dev.rabbitbridge.Properties")
          .field("content_type", Schema.OPTIONAL_STRING_SCHEMA)
          .field("content_encoding", Schema.OPTIONAL_STRING_SCHEMA)
          .field("delivery_mode", Schema.OPTIONAL_INT32_SCHEMA)
          .field("priority", Schema.OPTIONAL_INT32_SCHEMA)
          .field("correlation_id", Schema.OPTIONAL_STRING_SCHEMA)
          .field("reply_to", Schema.OPTIONAL_STRING_SCHEMA)
          .field("expiration", Schema.OPTIONAL_STRING_SCHEMA)
          .field("message_id", Schema.OPTIONAL_STRING_SCHEMA)
          .field("timestamp", Timestamp.builder().optional().build())
          .field("type", Schema.OPTIONAL_STRING_SCHEMA)
          .field("user_id", Schema.OPTIONAL_STRING_SCHEMA)
          .field("app_id", Schema.OPTIONAL_STRING_SCHEMA)
          .field("cluster_id", Schema.OPTIONAL_STRING_SCHEMA)
          .build();

  static final Schema ENVELOPE =
      SchemaBuilder.struct()
          .name("dev.rabbitbridge.Envelope")
          .field("queue", Schema.STRING_SCHEMA)
          .field("exchange", Schema.STRING_SCHEMA)
          .field("routing_key", Schema.STRING_SCHEMA)
          .field("consumer_tag", Schema.STRING_SCHEMA)
          .field("delivery_tag", Schema.INT64_SCHEMA)
          .field("redeliver", Schema.BOOLEAN_SCHEMA)
          .build();

  static final Schema MESSAGE =
      SchemaBuilder.struct()
          .name("dev.rabbitbridge.Message")
          .field("body", Schema.BYTES_SCHEMA)
          .field("properties", PROPERTIES)
          .field(
              "headers",
              SchemaBuilder.map(Schema.STRING_SCHEMA, Schema.OPTIONAL_STRING_SCHEMA).build())
          .field("envelope", ENVELOPE)
          .build();

  private static final ObjectMapper JSON = new ObjectMapper();

  private MessageEnvelope() {}

  static SchemaAndValue of(Delivery delivery) {
    Struct message =
        new Struct(MESSAGE)
            .put("body", delivery.body())
            .put("properties", properties(delivery.properties()))
            .put("headers", headers(delivery.headers()))
            .put("envelope", envelope(delivery));
    return new SchemaAndValue(MESSAGE, message);
  }

  private static Struct properties(BasicProperties from) {
    return new Struct(PROPERTIES)
        .put("content_type", from.getContentType())
        .put("content_encoding", from.getContentEncoding())
        .put("delivery_mode", from.getDeliveryMode())
        .put("priority", from.getPriority())
        .put("correlation_id", from.getCorrelationId())
        .put("reply_to", from.getReplyTo())
        .put("expiration", from.getExpiration())
        .put("message_id", from.getMessageId())
        .put("timestamp", from.getTimestamp())
        .put("type", from.getType())
        .put("user_id", from.getUserId())
        .put("app_id", from.getAppId())
        .put("cluster_id", from.getClusterId());
  }

  private static Struct envelope(Delivery delivery) {
    return new Struct(ENVELOPE)
        .put("queue", delivery.queue())
        .put("exchange", delivery.exchange())
        .put("routing_key", delivery.routingKey())
        .put("consumer_tag", delivery.consumerTag())
        .put("delivery_tag", delivery.tag())
        .put("redeliver", delivery.redelivered());
  }

  private static Map<String, @Nullable String> headers(Map<String, Object> table) {
    Map<String, @Nullable String> headers = new LinkedHashMap<>();
    table.forEach((name, value) -> headers.put(name, text(value)));
    return headers;
  }

  private static @Nullable String text(@Nullable Object field) {
    Object value = ReceivedField.toConnect(field).value();
    if (value instanceof String text) {
      return text;
    }
    if (value instanceof Date date) {
      return date.toInstant().toString();
    }
    try {
      return value == null ? null : JSON.writeValueAsString(value);
    } catch (JsonProcessingException e) {
      throw new DataException("a header cannot be written as JSON", e);
    }
  }
}
