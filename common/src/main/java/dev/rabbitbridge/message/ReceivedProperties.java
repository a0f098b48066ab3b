// SPDX-License-Identifier: Apache-2.0
package dev.rabbitbridge.message;

import com.rabbitmq.client.AMQP.BasicProperties;
import com.rabbitmq.client.Envelope;
import java.time.Duration;
import java.util.Date;
import java.util.Map;
import org.apache.kafka.connect.data.Schema;
import org.apache.kafka.connect.data.SchemaAndValue;
import org.apache.kafka.connect.data.Timestamp;
import org.apache.kafka.connect.header.Headers;
import org.jspecify.annotations.Nullable;

/**
 * Turns what came with a message's body into headers and a timestamp of a record.
 *
 * <p>Pure; safe for use by any thread.
 */
public final class ReceivedProperties {
  // Kafka's brokers refuse what is more than an hour ahead of them, and a refused record ends the
  // task.
  private static final long FURTHEST_AHEAD_MS = Duration.ofMinutes(55).toMillis();

  private ReceivedProperties() {}

  /**
   * Adds the message's own headers.
   *
   * @param headers the record's headers; added to
   * @param table the message's header table; may be null
   * @param prefix put before each name; may be empty
   */
  public static void addOwnHeaders(
      Headers headers, @Nullable Map<String, Object> table, String prefix) {
    if (table != null) {
      table.forEach((name, value) -> headers.add(prefix + name, ReceivedField.toConnect(value)));
    }
  }

  /**
   * Adds the basic properties and the envelope as headers {@code rabbitmq.*}; those that the
   * message does not have are left out.
   *
   * @param headers the record's headers; added to
   * @param properties the message's properties
   * @param envelope how it was delivered
   * @param consumerTag the consumer that it was delivered to; null for none
   * @param now the time of day, in milliseconds
   */
  public static void addAsHeaders(
      Headers headers,
      BasicProperties properties,
      Envelope envelope,
      @Nullable String consumerTag,
      long now) {
    text(headers, "rabbitmq.content.type", properties.getContentType());
    text(headers, "rabbitmq.content.encoding", properties.getContentEncoding());
    number(headers, "rabbitmq.delivery.mode", properties.getDeliveryMode());
    number(headers, "rabbitmq.priority", properties.getPriority());
    text(headers, "rabbitmq.correlation.id", properties.getCorrelationId());
    text(headers, "rabbitmq.reply.to", properties.getReplyTo());
    text(headers, "rabbitmq.expiration", properties.getExpiration());
    text(headers, "rabbitmq.message.id", properties.getMessageId());
    Date timestamp = properties.getTimestamp();
    if (timestamp != null) {
      headers.add(
          "rabbitmq.timestamp",
          timestamp(properties, now) == null
              ? new SchemaAndValue(Schema.INT64_SCHEMA, timestamp.toInstant().getEpochSecond())
              : new SchemaAndValue(Timestamp.SCHEMA, timestamp));
    }
    text(headers, "rabbitmq.type", properties.getType());
    text(headers, "rabbitmq.user.id", properties.getUserId());
    text(headers, "rabbitmq.app.id", properties.getAppId());
    text(headers, "rabbitmq.cluster.id", properties.getClusterId());
    text(headers, "rabbitmq.consumer.tag", consumerTag);
    headers.add("rabbitmq.delivery.tag", envelope.getDeliveryTag(), Schema.INT64_SCHEMA);
    headers.add("rabbitmq.redeliver", envelope.isRedeliver(), Schema.BOOLEAN_SCHEMA);
    text(headers, "rabbitmq.exchange", envelope.getExchange());
    text(headers, "rabbitmq.routing.key", envelope.getRoutingKey());
  }

  /**
   * Returns the time that a message says it was made at, if Kafka can take it.
   *
   * @param properties the message's properties
   * @param now the time of day, in milliseconds
   * @return milliseconds; null when the message has none, or one before 1970 or too far ahead for
   *     Kafka's brokers
   */
  public static @Nullable Long timestamp(BasicProperties properties, long now) {
    if (properties.getTimestamp() == null) {
      return null;
    }
    long millis = properties.getTimestamp().toInstant().toEpochMilli();
    return millis < 0 || millis > now + FURTHEST_AHEAD_MS ? null : millis;
  }

  private static void text(Headers headers, String name, @Nullable String value) {
    if (value != null) {
      headers.add(name, value, Schema.STRING_SCHEMA);
    }
  }

  private static void number(Headers headers, String name, @Nullable Integer value) {
    if (value != null) {
      headers.add(name, value, Schema.INT32_SCHEMA);
    }
  }
}
