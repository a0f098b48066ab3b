// SPDX-License-Identifier: Apache-2.0
package dev.rabbitbridge.source;

import com.rabbitmq.client.AMQP.BasicProperties;
import dev.rabbitbridge.message.ReceivedField;
import dev.rabbitbridge.message.ReceivedProperties;
import java.util.HashMap;
import java.util.Map;
import java.util.function.LongSupplier;
import org.apache.kafka.connect.data.Schema;
import org.apache.kafka.connect.data.SchemaAndValue;
import org.apache.kafka.connect.errors.DataException;
import org.apache.kafka.connect.header.ConnectHeaders;
import org.jspecify.annotations.Nullable;

/** Makes a record of a delivery, as configured. Pure but for the clock; safe for any thread. */
final class RecordMapper {
  private final TopicTemplate topic;
  private final Map<String, TopicTemplate> topicOfQueue = new HashMap<>();
  private final String key;
  private final ValueFormat format;
  private final String headerPrefix;
  private final boolean forwardProperties;
  private final LongSupplier timeOfDay;

  RecordMapper(RabbitMQSourceConfig config, LongSupplier timeOfDay) {
    this.topic = new TopicTemplate(RabbitMQSourceConfig.TOPIC_CONFIG, config.topic());
    config
        .topicMap()
        .forEach(
            (queue, to) ->
                topicOfQueue.put(
                    queue, new TopicTemplate(RabbitMQSourceConfig.TOPIC_MAP_CONFIG, to)));
    this.key = config.key();
    this.format = config.valueFormat();
    this.headerPrefix = config.headerPrefix();
    this.forwardProperties = config.forwardProperties();
    this.timeOfDay = timeOfDay;
  }

  /**
   * Makes the record in the configured format.
   *
   * @throws DataException if the message cannot become a record
   */
  DeliveredRecord map(Delivery delivery, SourceOffsets.Place place) {
    return map(delivery, place, format);
  }

  /**
   * Makes the record with the body as it is.
   *
   * @throws DataException if there is no topic for the message
   */
  DeliveredRecord mapRaw(Delivery delivery, SourceOffsets.Place place) {
    return map(delivery, place, ValueFormat.BYTES);
  }

  private DeliveredRecord map(Delivery delivery, SourceOffsets.Place place, ValueFormat as) {
    BasicProperties properties = delivery.properties();
    long now = timeOfDay.getAsLong();
    ConnectHeaders headers = new ConnectHeaders();
    ReceivedProperties.addOwnHeaders(headers, properties.getHeaders(), headerPrefix);
    if (forwardProperties) {
      ReceivedProperties.addAsHeaders(
          headers, properties, delivery.envelope(), delivery.consumerTag(), now);
    }
    return new DeliveredRecord(
        delivery,
        place.partition(),
        place.offset(),
        topicOfQueue.getOrDefault(delivery.queue(), topic).render(delivery),
        key(delivery),
        value(delivery, as),
        ReceivedProperties.timestamp(properties, now),
        headers);
  }

  private SchemaAndValue value(Delivery delivery, ValueFormat as) {
    if (as != ValueFormat.ENVELOPE && delivery.isTombstone()) {
      return SchemaAndValue.NULL;
    }
    String contentType = delivery.properties().getContentType();
    return switch (as) {
      case BYTES -> RecordValue.bytes(delivery.body());
      case STRING ->
          RecordValue.string(
              delivery.body(), contentType, delivery.properties().getContentEncoding());
      case JSON -> RecordValue.json(delivery.body());
      case ENVELOPE -> MessageEnvelope.of(delivery);
      case AUTO -> value(delivery, RecordValue.formatOf(contentType));
    };
  }

  private SchemaAndValue key(Delivery delivery) {
    BasicProperties properties = delivery.properties();
    return switch (key) {
      case "none" -> SchemaAndValue.NULL;
      case "message-id" -> text(delivery.messageId());
      case "correlation-id" -> text(properties.getCorrelationId());
      case "routing-key" -> text(delivery.routingKey());
      default -> header(delivery.headers().get(key.substring(Rules.Key.HEADER.length())));
    };
  }

  private static SchemaAndValue header(@Nullable Object field) {
    SchemaAndValue header = ReceivedField.toConnect(field);
    return "".equals(header.value()) ? SchemaAndValue.NULL : header;
  }

  /** An empty key is none: all records with it would go to one partition. */
  private static SchemaAndValue text(@Nullable String text) {
    return text == null || text.isEmpty()
        ? SchemaAndValue.NULL
        : new SchemaAndValue(Schema.OPTIONAL_STRING_SCHEMA, text);
  }
}
