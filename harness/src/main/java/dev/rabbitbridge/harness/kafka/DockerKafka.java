// SPDX-License-Identifier: Apache-2.0
package dev.rabbitbridge.harness.kafka;

import dev.rabbitbridge.harness.node.DockerNetwork;
import dev.rabbitbridge.harness.node.DockerNode;
import dev.rabbitbridge.harness.node.FreePorts;
import dev.rabbitbridge.harness.node.Java;
import java.util.List;
import java.util.Map;
import org.testcontainers.images.builder.Transferable;

/** A broker in a container of Kafka's image, run by the same command as {@link LocalKafka}'s. */
public final class DockerKafka {
  private static final int OUTSIDE = 9092;
  private static final int INSIDE = 19092;
  private static final String LIBS = "/opt/kafka/libs";
  private static final String PROPERTIES = "/opt/harness/server.properties";
  private static final String LOGGING = "/opt/harness/log4j2.xml";

  private DockerKafka() {}

  /**
   * Prepares a broker; nothing is started.
   *
   * @param network where it lives
   * @param name its name there
   * @param image Kafka's image
   * @return the broker, to be started and closed by the caller
   */
  public static Kafka in(DockerNetwork network, String name, String image) {
    int port = FreePorts.next();
    String bootstrap = network.host() + ":" + port;
    String fromWorker = name + ":" + INSIDE;
    String properties =
        Settings.serverProperties(
            "/tmp/kafka-data",
            "localhost:9093",
            List.of(
                new Settings.Listener("INSIDE", "0.0.0.0:" + INSIDE, fromWorker),
                new Settings.Listener("OUTSIDE", "0.0.0.0:" + OUTSIDE, bootstrap)));
    String format =
        java(
            "-Xmx256m",
            "kafka.tools.StorageTool",
            "format",
            "--ignore-formatted",
            "-t",
            Settings.CLUSTER_ID,
            "-c",
            PROPERTIES);
    String serve = java("-Xmx768m", "kafka.Kafka", PROPERTIES);
    DockerNode node =
        new DockerNode(
            network,
            name,
            image,
            Map.of(port, OUTSIDE),
            container ->
                container
                    .withCopyToContainer(Transferable.of(properties), PROPERTIES)
                    .withCopyToContainer(Transferable.of(Java.loggingConfiguration()), LOGGING)
                    .withCommand("sh", "-c", format + " && exec " + serve));
    return new Kafka(node, bootstrap, fromWorker);
  }

  private static String java(String heap, String... arguments) {
    return String.join(
        " ", Java.command("java", "'" + LIBS + "/*'", LOGGING, List.of(heap), arguments));
  }
}
