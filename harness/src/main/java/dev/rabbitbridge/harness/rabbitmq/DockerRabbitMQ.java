// SPDX-License-Identifier: Apache-2.0
package dev.rabbitbridge.harness.rabbitmq;

import dev.rabbitbridge.harness.node.DockerEngine;
import dev.rabbitbridge.harness.node.DockerNetwork;
import dev.rabbitbridge.harness.node.DockerNode;
import dev.rabbitbridge.harness.node.Endpoint;
import dev.rabbitbridge.harness.node.FreePorts;
import java.net.URI;
import java.util.List;
import java.util.Map;
import org.testcontainers.images.builder.Transferable;

/** A broker in a container. */
public final class DockerRabbitMQ {
  private static final int AMQP = 5672;
  private static final int MANAGEMENT = 15672;

  private DockerRabbitMQ() {}

  /**
   * Prepares a broker for workers in the same network; nothing is started.
   *
   * @param network where it lives
   * @param name its name there
   * @param configuration more lines for its rabbitmq.conf
   * @return the broker, to be started and closed by the caller
   */
  public static RabbitMQ in(DockerNetwork network, String name, String configuration) {
    int amqp = FreePorts.next();
    return in(network, name, configuration, amqp, new Endpoint(name, AMQP));
  }

  /**
   * Prepares a broker for workers that are processes of this machine; nothing is started.
   *
   * @param network where it lives
   * @param name its name there
   * @param configuration more lines for its rabbitmq.conf
   * @return the broker, to be started and closed by the caller
   */
  public static RabbitMQ forLocalWorkers(DockerNetwork network, String name, String configuration) {
    int amqp = FreePorts.next();
    return in(network, name, configuration, amqp, new Endpoint(network.host(), amqp));
  }

  private static RabbitMQ in(
      DockerNetwork network, String name, String configuration, int amqp, Endpoint fromWorker) {
    int management = FreePorts.next();
    DockerNode node =
        new DockerNode(
            network,
            name,
            DockerEngine.rabbitMQ(),
            Map.of(amqp, AMQP, management, MANAGEMENT),
            container ->
                container
                    .withCopyToContainer(
                        Transferable.of(Settings.CONFIGURATION + configuration + "\n"),
                        "/etc/rabbitmq/conf.d/20-harness.conf")
                    .withCopyToContainer(
                        Transferable.of(Settings.PLUGINS), "/etc/rabbitmq/enabled_plugins")
                    .withCopyToContainer(
                        Transferable.of(Settings.ADVANCED), "/etc/rabbitmq/advanced.config"));
    return new RabbitMQ(
        node,
        List.of(),
        new Endpoint(network.host(), amqp),
        fromWorker,
        new Management(
            URI.create("http://" + network.host() + ":" + management), "/", "guest", "guest"),
        "rabbitmqctl");
  }
}
