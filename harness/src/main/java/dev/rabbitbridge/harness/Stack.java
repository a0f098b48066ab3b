// SPDX-License-Identifier: Apache-2.0
package dev.rabbitbridge.harness;

import dev.rabbitbridge.harness.connect.Worker;
import dev.rabbitbridge.harness.connect.WorkerSettings;
import dev.rabbitbridge.harness.kafka.Kafka;
import dev.rabbitbridge.harness.rabbitmq.RabbitMQ;
import java.util.List;

/** One way to make the servers. What it returns is not started, and closed by who asked for it. */
interface Stack extends AutoCloseable {
  RabbitMQ rabbitMQ(String name, String configuration);

  /** Makes nodes that {@link RabbitMQ#join} each other once they run. */
  List<RabbitMQ> rabbitMQNodes(String name, int nodes);

  Kafka kafka(String name);

  Worker worker(String name, Kafka kafka, WorkerSettings settings);

  /** Returns the name under which a worker reaches this JVM. */
  String hostFromWorker();

  /** Returns the address to listen on, so that a worker can connect. */
  String bindAddress();

  @Override
  void close();
}
