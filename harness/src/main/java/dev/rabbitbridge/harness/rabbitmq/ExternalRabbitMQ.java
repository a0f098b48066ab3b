// SPDX-License-Identifier: Apache-2.0
package dev.rabbitbridge.harness.rabbitmq;

import com.rabbitmq.client.ConnectionFactory;
import dev.rabbitbridge.harness.node.Endpoint;
import dev.rabbitbridge.harness.node.ExternalNode;
import java.net.URI;
import java.security.GeneralSecurityException;
import java.util.List;
import java.util.Set;

/**
 * A broker that somebody else runs. Its management API is looked for on port 15672 of the same
 * host, or at the variable {@code RABBITMQ_MANAGEMENT_URI}.
 */
public final class ExternalRabbitMQ {
  private static final Set<String> LOOPBACK = Set.of("localhost", "127.0.0.1", "::1");

  private ExternalRabbitMQ() {}

  /**
   * Describes a broker; nothing is connected yet.
   *
   * @param uri its amqp URI; the user must be an administrator
   * @param hostFromWorker how a worker reaches this machine, for a broker on it
   * @return the broker
   */
  public static RabbitMQ at(URI uri, String hostFromWorker) {
    ConnectionFactory parsed = new ConnectionFactory();
    try {
      parsed.setUri(uri);
    } catch (GeneralSecurityException e) {
      throw new IllegalArgumentException("RABBITMQ_URI is not an amqp URI", e);
    }
    Endpoint amqp = new Endpoint(parsed.getHost(), parsed.getPort());
    String host = LOOPBACK.contains(amqp.host()) ? hostFromWorker : amqp.host();
    String management =
        System.getenv().getOrDefault("RABBITMQ_MANAGEMENT_URI", "http://" + amqp.host() + ":15672");
    return new RabbitMQ(
        new ExternalNode("the broker at RABBITMQ_URI"),
        List.of(),
        amqp,
        new Endpoint(host, amqp.port()),
        new Management(
            URI.create(management),
            parsed.getVirtualHost(),
            parsed.getUsername(),
            parsed.getPassword()),
        "rabbitmqctl");
  }
}
