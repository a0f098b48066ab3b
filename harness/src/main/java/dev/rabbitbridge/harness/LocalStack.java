// SPDX-License-Identifier: Apache-2.0
package dev.rabbitbridge.harness;

import dev.rabbitbridge.harness.connect.LocalWorker;
import dev.rabbitbridge.harness.connect.PluginFolder;
import dev.rabbitbridge.harness.connect.Worker;
import dev.rabbitbridge.harness.connect.WorkerSettings;
import dev.rabbitbridge.harness.kafka.Kafka;
import dev.rabbitbridge.harness.kafka.LocalKafka;
import dev.rabbitbridge.harness.node.DockerNetwork;
import dev.rabbitbridge.harness.rabbitmq.DockerRabbitMQ;
import dev.rabbitbridge.harness.rabbitmq.LocalRabbitMQ;
import dev.rabbitbridge.harness.rabbitmq.RabbitMQ;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * Processes of this machine, each with its own folder. With the system property {@code
 * rabbitmq.image} RabbitMQ alone is a container of that image.
 */
final class LocalStack implements Stack {
  private static final String LOOPBACK = "127.0.0.1";

  private final Path folder;
  private final Path libs = Checkout.libs(Checkout.kafkaVersion());
  private final @Nullable DockerNetwork network;

  LocalStack(Path folder) {
    this.folder = folder;
    this.network = System.getProperty("rabbitmq.image") == null ? null : new DockerNetwork(folder);
  }

  @Override
  public RabbitMQ rabbitMQ(String name, String configuration) {
    DockerNetwork containers = network;
    return containers == null
        ? LocalRabbitMQ.in(folder.resolve(name), configuration)
        : DockerRabbitMQ.forLocalWorkers(containers, name, configuration);
  }

  @Override
  public Kafka kafka(String name) {
    return LocalKafka.in(folder.resolve(name), libs);
  }

  @Override
  public Worker worker(String name, Kafka kafka, WorkerSettings settings) {
    Path own = folder.resolve(name);
    Path plugins =
        PluginFolder.fill(Checkout.archive(), settings.plugins(), own.resolve("plugins"));
    return LocalWorker.in(name, own, libs, plugins, kafka, settings);
  }

  @Override
  public String hostFromWorker() {
    return LOOPBACK;
  }

  @Override
  public String bindAddress() {
    return LOOPBACK;
  }

  @Override
  public void close() {
    if (network != null) {
      network.close();
    }
  }
}
