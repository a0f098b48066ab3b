// SPDX-License-Identifier: Apache-2.0
package dev.rabbitbridge.harness.connect;

import dev.rabbitbridge.harness.kafka.Kafka;
import dev.rabbitbridge.harness.node.DockerNetwork;
import dev.rabbitbridge.harness.node.DockerNode;
import dev.rabbitbridge.harness.node.Endpoint;
import dev.rabbitbridge.harness.node.FreePorts;
import dev.rabbitbridge.harness.node.Java;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.testcontainers.images.builder.Transferable;
import org.testcontainers.utility.MountableFile;

/** A worker in a container of Kafka's image, run by the same command as {@link LocalWorker}'s. */
public final class DockerWorker {
  private static final int REST = 8083;
  private static final String LIBS = "/opt/kafka/libs";
  private static final String PLUGINS = "/opt/harness/plugins";
  private static final String PROPERTIES = "/opt/harness/worker.properties";
  private static final String LOGGING = "/opt/harness/log4j2.xml";

  private DockerWorker() {}

  /**
   * Prepares a worker; nothing is started.
   *
   * @param network where it lives
   * @param name its name there
   * @param image Kafka's image
   * @param plugins the folder whose content becomes {@code plugin.path}
   * @param kafka the broker it works with
   * @param settings group, properties, JVM options
   * @return the worker, to be started and closed by the caller
   */
  public static Worker in(
      DockerNetwork network,
      String name,
      String image,
      Path plugins,
      Kafka kafka,
      WorkerSettings settings) {
    Endpoint rest = new Endpoint(network.host(), FreePorts.next());
    Endpoint jmx = new Endpoint(network.host(), FreePorts.next());
    String properties =
        WorkerSettings.lines(
            settings.worker(kafka.bootstrapFromWorker(), PLUGINS, "0.0.0.0:" + REST, name));
    List<String> options = new ArrayList<>(settings.jvmOptions());
    options.addAll(List.of(Jmx.options(jmx, "0.0.0.0")));
    List<String> command =
        Java.command(
            "java",
            LIBS + "/*",
            LOGGING,
            options,
            "org.apache.kafka.connect.cli.ConnectDistributed",
            PROPERTIES);
    DockerNode node =
        new DockerNode(
            network,
            name,
            image,
            Map.of(rest.port(), REST, jmx.port(), jmx.port()),
            container ->
                container
                    .withCopyFileToContainer(MountableFile.forHostPath(plugins), PLUGINS)
                    .withCopyToContainer(Transferable.of(properties), PROPERTIES)
                    .withCopyToContainer(Transferable.of(Java.loggingConfiguration()), LOGGING)
                    .withCommand(command.toArray(String[]::new)));
    return new Worker(node, rest, jmx);
  }
}
