// SPDX-License-Identifier: Apache-2.0
package dev.rabbitbridge.source;

import com.rabbitmq.client.AMQP.BasicProperties;
import com.rabbitmq.client.Envelope;
import dev.rabbitbridge.message.AmqpHeaders;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;

/**
 * One message as RabbitMQ delivered it, with the channel epoch that its delivery tag belongs to.
 *
 * <p>What was delivered never changes; how far it has come is guarded by its {@link Acknowledger}.
 */
final class Delivery {
  private final Acknowledger acknowledger;
  private final int epoch;
  private final String consumerTag;
  private final Envelope envelope;
  private final BasicProperties properties;
  private final byte[] body;
  private final int retries;

  // Guarded by the acknowledger.
  long deliveredAt;
  boolean settled;
  boolean rejected;
  boolean answered;
  long handedOutBy;

  private @Nullable Identity identity;

  Delivery(
      Acknowledger acknowledger,
      int epoch,
      String consumerTag,
      Envelope envelope,
      BasicProperties properties,
      byte[] body) {
    this.acknowledger = acknowledger;
    this.epoch = epoch;
    this.consumerTag = consumerTag;
    String queue = acknowledger.queue();
    this.retries = RetryHeader.count(queue, properties);
    this.envelope = RetryHeader.unwrap(queue, envelope, properties);
    this.properties = RetryHeader.unwrap(queue, properties);
    this.body = body;
  }

  Acknowledger acknowledger() {
    return acknowledger;
  }

  int epoch() {
    return epoch;
  }

  String queue() {
    return acknowledger.queue();
  }

  String consumerTag() {
    return consumerTag;
  }

  Envelope envelope() {
    return envelope;
  }

  long tag() {
    return envelope.getDeliveryTag();
  }

  boolean redelivered() {
    return envelope.isRedeliver();
  }

  String exchange() {
    return envelope.getExchange();
  }

  String routingKey() {
    return envelope.getRoutingKey();
  }

  BasicProperties properties() {
    return properties;
  }

  /**
   * Returns what the publisher calls the message.
   *
   * @return null when it has no name, or an empty one, which all others may have too
   */
  @Nullable String messageId() {
    String id = properties.getMessageId();
    return id == null || id.isEmpty() ? null : id;
  }

  /** Tells whether the sink made it from a record without a value. */
  boolean isTombstone() {
    return body.length == 0 && Boolean.TRUE.equals(headers().get(AmqpHeaders.TOMBSTONE));
  }

  Map<String, Object> headers() {
    return properties.getHeaders() == null ? Map.of() : properties.getHeaders();
  }

  /** Returns how often the message went through a delay queue. */
  int retries() {
    return retries;
  }

  /**
   * Returns how often a quorum queue has delivered the message in vain.
   *
   * @return null when the queue does not count
   */
  @Nullable Long deliveryCount() {
    return headers().get("x-delivery-count") instanceof Number count ? count.longValue() : null;
  }

  /**
   * Returns the place of the message in its stream.
   *
   * @return null when it did not come from a stream
   */
  StreamCursor.@Nullable Position streamPosition() {
    return headers().get("x-stream-offset") instanceof Long offset
        ? new StreamCursor.Position(offset, fingerprint())
        : null;
  }

  /** Returns what tells the message from most others, whatever else the broker adds to it. */
  String fingerprint() {
    CRC32C crc = new CRC32C();
    crc.update(body);
    if (properties.getMessageId() != null) {
      crc.update(properties.getMessageId().getBytes(StandardCharsets.UTF_8));
    }
    return Long.toHexString(crc.getValue()) + "-" + body.length;
  }

  /** Works out the identity, if the message has one. */
  void identify() {
    identity = Identity.of(messageId(), routingKey(), body);
  }

  /**
   * Returns the identity.
   *
   * @return null when the message has none, or nobody called {@link #identify}
   */
  @Nullable Identity identity() {
    return identity;
  }

  byte[] body() {
    return body;
  }

  /** Names the delivery in logs and errors, without anything of its content. */
  @Override
  public String toString() {
    return "delivery "
        + tag()
        + " of queue '"
        + queue()
        + "'"
        + (properties.getMessageId() == null
            ? ""
            : " (message-id " + properties.getMessageId() + ")");
  }
}
