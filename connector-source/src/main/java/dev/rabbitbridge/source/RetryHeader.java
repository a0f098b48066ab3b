// SPDX-License-Identifier: Apache-2.0
package dev.rabbitbridge.source;

import com.rabbitmq.client.AMQP.BasicProperties;
import com.rabbitmq.client.Envelope;
import dev.rabbitbridge.message.AmqpHeaders;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * How a message travels through a delay queue and comes back as it was: one header holds how often
 * it did, and what the detour would otherwise change. Pure.
 */
final class RetryHeader {
  static final String NAME = "rabbitbridge-retry";
  private static final String QUEUE = "queue";
  private static final String COUNT = "count";
  private static final String EXCHANGE = "exchange";
  private static final String ROUTING_KEY = "routing-key";
  private static final String USER_ID = "user-id";
  private static final String EXPIRATION = "expiration";
  private static final String HEADERS = "headers";

  private RetryHeader() {}

  /** Returns the properties of the message that goes to the delay queue. */
  static BasicProperties wrap(Delivery delivery) {
    Map<String, Object> headers = new HashMap<>();
    Map<String, Object> kept = new HashMap<>();
    delivery
        .headers()
        .forEach((name, value) -> (isChanged(name) ? kept : headers).put(name, value));
    // They count deliveries of the message that is acked now.
    kept.keySet().removeAll(Set.of("x-delivery-count", "x-acquired-count"));
    Map<String, Object> detour = new HashMap<>();
    detour.put(QUEUE, delivery.queue());
    detour.put(COUNT, (long) delivery.retries() + 1);
    detour.put(EXCHANGE, delivery.exchange());
    detour.put(ROUTING_KEY, delivery.routingKey());
    detour.put(HEADERS, kept);
    // The broker refuses a user-id that is not the connector's, and would let the message expire.
    detour.put(USER_ID, delivery.properties().getUserId());
    detour.put(EXPIRATION, delivery.properties().getExpiration());
    headers.put(NAME, detour);
    return delivery.properties().builder().headers(headers).userId(null).expiration(null).build();
  }

  /** CC and BCC would send copies elsewhere; the broker owns and changes the others. */
  private static boolean isChanged(String name) {
    return name.equals("CC") || name.equals("BCC") || AmqpHeaders.isOwnedByBroker(name);
  }

  /** Returns how often a message of a queue was retried; 0 for one that never was. */
  static int count(String queue, BasicProperties properties) {
    Map<?, ?> detour = detour(queue, properties);
    return detour != null && detour.get(COUNT) instanceof Number count ? count.intValue() : 0;
  }

  /** Returns where a message was published to at first. */
  static Envelope unwrap(String queue, Envelope envelope, BasicProperties properties) {
    Map<?, ?> detour = detour(queue, properties);
    return detour == null
        ? envelope
        : new Envelope(
            envelope.getDeliveryTag(),
            envelope.isRedeliver(),
            String.valueOf(detour.get(EXCHANGE)),
            String.valueOf(detour.get(ROUTING_KEY)));
  }

  /** Returns the properties that a message had at first. */
  static BasicProperties unwrap(String queue, BasicProperties properties) {
    Map<?, ?> detour = detour(queue, properties);
    if (detour == null) {
      return properties;
    }
    Map<String, Object> headers = new HashMap<>();
    properties
        .getHeaders()
        .forEach(
            (name, value) -> {
              boolean ofDetour =
                  name.equals(NAME)
                      || name.equals("x-death")
                      || name.startsWith("x-first-death-")
                      || name.startsWith("x-last-death-");
              if (!ofDetour) {
                headers.put(name, value);
              }
            });
    if (detour.get(HEADERS) instanceof Map<?, ?> kept) {
      kept.forEach((name, value) -> headers.putIfAbsent(name.toString(), value));
    }
    return properties
        .builder()
        .headers(headers)
        .userId(text(detour.get(USER_ID)))
        .expiration(text(detour.get(EXPIRATION)))
        .build();
  }

  /** A message that was dead-lettered to another queue later has a history of its own. */
  private static @Nullable Map<?, ?> detour(String queue, BasicProperties properties) {
    return properties.getHeaders() != null
            && properties.getHeaders().get(NAME) instanceof Map<?, ?> detour
            && queue.equals(text(detour.get(QUEUE)))
        ? detour
        : null;
  }

  private static @Nullable String text(@Nullable Object value) {
    return value == null ? null : value.toString();
  }
}
