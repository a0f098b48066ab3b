// SPDX-License-Identifier: Apache-2.0
package dev.rabbitbridge.harness;

import dev.rabbitbridge.harness.connect.DockerWorker;
import dev.rabbitbridge.harness.connect.PluginFolder;
import dev.rabbitbridge.harness.connect.Worker;
import dev.rabbitbridge.harness.connect.WorkerSettings;
import dev.rabbitbridge.harness.kafka.DockerKafka;
import dev.rabbitbridge.harness.kafka.Kafka;
import dev.rabbitbridge.harness.node.DockerEngine;
import dev.rabbitbridge.harness.node.DockerNetwork;
import dev.rabbitbridge.harness.rabbitmq.DockerRabbitMQ;
import dev.rabbitbridge.harness.rabbitmq.RabbitMQ;
import java.nio.file.Path;

/** Containers in a network of their own. */
final class DockerStack implements Stack {
  private final Path folder;
  private final DockerNetwork network;
  private final String kafkaImage = DockerEngine.kafka(Checkout.kafkaVersion());

  DockerStack(Path folder) {
    this.folder = folder;
    this.network = new DockerNetwork(folder);
  }

  @Override
  public RabbitMQ rabbitMQ(String name, String configuration) {
    return DockerRabbitMQ.in(network, name, configuration);
  }

  @Override
  public Kafka kafka(String name) {
    return DockerKafka.in(network, name, kafkaImage);
  }

  @Override
  public Worker worker(String name, Kafka kafka, WorkerSettings settings) {
    Path plugins =
        PluginFolder.fill(
            Checkout.archive(), settings.plugins(), folder.resolve(name).resolve("plugins"));
    return DockerWorker.in(network, name, kafkaImage, plugins, kafka, settings);
  }

  @Override
  public String hostFromWorker() {
    return DockerNetwork.HOST;
  }

  @Override
  public String bindAddress() {
    return "0.0.0.0";
  }

  @Override
  public void close() {
    network.close();
  }
}
