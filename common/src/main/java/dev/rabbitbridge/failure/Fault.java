// SPDX-License-Identifier: Apache-2.0
package dev.rabbitbridge.failure;

import org.apache.kafka.connect.errors.ConnectException;
import org.jspecify.annotations.Nullable;

/**
 * All that a task can fail with. Each has an id that stands in front of its sentence, and by which
 * docs/troubleshooting.md explains it; an id is never given to something else.
 */
public enum Fault {
  /** A setting cannot be used; only found out while starting or connecting. */
  SETTING("RB-C01"),
  /** RabbitMQ refused user name and password. */
  PASSWORD("RB-C02"),
  /** RabbitMQ refused to log in whom the client certificate names. */
  CERTIFICATE_LOGIN("RB-C03"),
  /** RabbitMQ refused the OAuth 2 token. */
  TOKEN("RB-C04"),
  /** The OAuth 2 endpoint gave no token. */
  TOKEN_ENDPOINT("RB-C05"),
  /** The virtual host does not exist, or the user may not use it. */
  VIRTUAL_HOST("RB-C06"),
  /** RabbitMQ closed a channel over what the connector asked for. */
  CHANNEL("RB-C07"),
  /** A certificate of RabbitMQ is out of date. */
  TLS_EXPIRED("RB-C08"),
  /** RabbitMQ's certificate is signed by nobody who is trusted. */
  TLS_AUTHORITY("RB-C09"),
  /** RabbitMQ's certificate is for another host. */
  TLS_HOST("RB-C10"),
  /** TLS was refused: by RabbitMQ, or for want of a common protocol version. */
  TLS_HANDSHAKE("RB-C11"),
  /** What answers does not speak AMQP 0-9-1, or not with TLS as configured. */
  PROTOCOL("RB-C12"),
  /** RabbitMQ was away for longer than configured. */
  UNAVAILABLE("RB-C13"),
  /** An exchange or a queue that has to be there is not. */
  TOPOLOGY_EXPECTED("RB-C14"),
  /** An exchange, a queue or a binding cannot be declared. */
  TOPOLOGY_REFUSED("RB-C15"),
  /** A bug, or an error that the connector has no name for. */
  UNEXPECTED("RB-C16"),

  /** A record cannot be delivered to RabbitMQ. */
  UNDELIVERABLE("RB-S01"),
  /** A record could not be written to the dead letter topic. */
  DEAD_LETTER("RB-S02"),
  /** The exchange that is published to does not exist. */
  EXCHANGE_MISSING("RB-S03"),
  /** RabbitMQ refuses what is published to the exchange. */
  EXCHANGE_REFUSED("RB-S04"),
  /** The worker interrupted the task while it waited. */
  INTERRUPTED("RB-S05"),

  /** A queue cannot be consumed. */
  QUEUE("RB-R01"),
  /** A queue is a stream and configured as none, or the other way around. */
  QUEUE_TYPE("RB-R02"),
  /** A message cannot become a record. */
  UNCONVERTIBLE("RB-R03"),
  /** A message cannot become a record, and there is no topic to pass its bytes on to. */
  NO_TOPIC("RB-R04"),
  /** A message breaks every connection that it comes on. */
  UNREADABLE("RB-R05"),
  /** Messages cannot be sent to their delay queue. */
  DELAY_QUEUE("RB-R06"),
  /** A stream no longer holds the message that was read last. */
  POSITION_LOST("RB-R07"),
  /** Offsets that were to be set for a queue that is no stream. */
  OFFSET_OF_QUEUE("RB-R08"),
  /** Offsets that were to be set and are none of a stream. */
  OFFSET_OF_STREAM("RB-R09"),
  /** RabbitMQ closes the channel over acks that come too late, or that it does not know. */
  ACKS("RB-R10");

  private final String id;

  Fault(String id) {
    this.id = id;
  }

  /**
   * Returns the id that people search for.
   *
   * @return "RB-", a letter for the area and two digits
   */
  public String id() {
    return id;
  }

  /**
   * Makes the exception that fails the task.
   *
   * @param sentence what, where and what to do
   * @param cause what led to it, null for nothing
   * @return an exception whose message is the id and the sentence
   */
  public ConnectException exception(String sentence, @Nullable Throwable cause) {
    return new ConnectException(id + ": " + sentence, cause);
  }

  /** Returns the id in brackets, as it ends a line in the log. */
  @Override
  public String toString() {
    return "[" + id + "]";
  }
}
