// SPDX-License-Identifier: Apache-2.0
package dev.rabbitbridge.harness.bench;

import com.rabbitmq.client.Connection;
import com.rabbitmq.client.ConnectionFactory;
import dev.rabbitbridge.harness.node.Endpoint;
import dev.rabbitbridge.harness.rabbitmq.RabbitMQ;
import java.io.IOException;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/** Plain connections of RabbitMQ's Java client. */
final class Client {
  private Client() {}

  /** Connects, through a proxy if one is given. */
  static Connection connect(RabbitMQ broker, @Nullable Endpoint through, String name)
      throws IOException, TimeoutException {
    Endpoint endpoint = through == null ? broker.amqp() : through;
    ConnectionFactory factory = new ConnectionFactory();
    factory.setHost(endpoint.host());
    factory.setPort(endpoint.port());
    factory.setUsername(broker.username());
    factory.setPassword(broker.password());
    factory.setVirtualHost(broker.management().vhost());
    factory.setAutomaticRecoveryEnabled(false);
    return factory.newConnection(name);
  }
}
