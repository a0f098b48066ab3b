// SPDX-License-Identifier: Apache-2.0
package dev.rabbitbridge.source;

import com.rabbitmq.client.AMQP.BasicProperties;
import com.rabbitmq.client.Envelope;
import java.util.Map;

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

  // Guarded by the acknowledger.
  boolean rejected;
  boolean answered;
  long handedOutBy;

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
    this.envelope = envelope;
    this.properties = properties;
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

  Map<String, Object> headers() {
    return properties.getHeaders() == null ? Map.of() : properties.getHeaders();
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
