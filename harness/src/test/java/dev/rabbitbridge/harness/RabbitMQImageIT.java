// SPDX-License-Identifier: Apache-2.0
package dev.rabbitbridge.harness;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.rabbitbridge.harness.node.DockerEngine;
import dev.rabbitbridge.harness.node.Endpoint;
import dev.rabbitbridge.harness.rabbitmq.Amqp;
import dev.rabbitbridge.harness.rabbitmq.Message;
import dev.rabbitbridge.harness.rabbitmq.QueueKind;
import dev.rabbitbridge.harness.rabbitmq.RabbitMQ;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** A broker in a container beside local workers, as {@code bin/matrix} has it. */
class RabbitMQImageIT {
  @Test
  void brokerOfAnImageOutlivesAKillUnderTheSameAddress() throws Exception {
    assumeTrue(Mode.chosen() == Mode.DOCKER, "runs with -Dharness=docker");
    assumeTrue(
        DockerEngine.canRun(DockerEngine.RABBITMQ),
        "no Docker engine that has or can fetch the image of RabbitMQ");
    System.setProperty("rabbitmq.image", DockerEngine.RABBITMQ);
    try (Harness harness = Harness.open(Mode.LOCAL)) {
      RabbitMQ broker = harness.rabbitMQ();
      Endpoint fromWorker = broker.amqpFromWorker();
      broker.management().declareQueue("orders", QueueKind.QUORUM, Map.of());
      try (Amqp amqp = broker.connect()) {
        amqp.publish("orders", List.of("one"));
      }

      broker.kill();
      broker.start();

      assertThat(fromWorker.answers()).isTrue();
      assertThat(DockerEngine.containersOf(harness.folder().getFileName().toString())).hasSize(1);
      try (Amqp amqp = broker.connect()) {
        assertThat(amqp.drain("orders")).extracting(Message::text).containsExactly("one");
      }
    } finally {
      System.clearProperty("rabbitmq.image");
    }
  }
}
