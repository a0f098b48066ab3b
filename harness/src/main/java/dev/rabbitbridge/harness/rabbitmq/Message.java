// SPDX-License-Identifier: Apache-2.0
package dev.rabbitbridge.harness.rabbitmq;

import com.rabbitmq.client.AMQP;
import com.rabbitmq.client.Envelope;
import java.nio.charset.StandardCharsets;

/** A message as an independent client received it. */
public final class Message {
  private final Envelope envelope;
  private final AMQP.BasicProperties properties;
  private final byte[] body;

  Message(Envelope envelope, AMQP.BasicProperties properties, byte[] body) {
    this.envelope = envelope;
    this.properties = properties;
    this.body = body;
  }

  /**
   * Returns how it came.
   *
   * @return delivery tag, redelivered flag, exchange and routing key
   */
  public Envelope envelope() {
    return envelope;
  }

  /**
   * Returns its properties and headers.
   *
   * @return what the broker sent
   */
  public AMQP.BasicProperties properties() {
    return properties;
  }

  /**
   * Returns its bytes.
   *
   * @return the body, not copied
   */
  public byte[] body() {
    return body;
  }

  /**
   * Returns the body as text.
   *
   * @return the body, read as UTF-8
   */
  public String text() {
    return new String(body, StandardCharsets.UTF_8);
  }
}
