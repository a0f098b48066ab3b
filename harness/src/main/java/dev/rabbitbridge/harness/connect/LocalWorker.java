// SPDX-License-Identifier: Apache-2.0
package dev.rabbitbridge.harness.connect;

import dev.rabbitbridge.harness.kafka.Kafka;
import dev.rabbitbridge.harness.node.Endpoint;
import dev.rabbitbridge.harness.node.FreePorts;
import dev.rabbitbridge.harness.node.Java;
import dev.rabbitbridge.harness.node.LocalNode;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** A worker as a JVM of this machine, from the jars that the build lays out. */
public final class LocalWorker {
  private static final String LOOPBACK = "127.0.0.1";

  private LocalWorker() {}

  /**
   * Prepares a worker; nothing is started.
   *
   * @param name its name, also of its log file
   * @param folder for all it writes
   * @param libs the folder with the jars of one Kafka version
   * @param plugins the folder for {@code plugin.path}
   * @param kafka the broker it works with
   * @param settings group, properties, JVM options
   * @return the worker, to be started and closed by the caller
   */
  public static Worker in(
      String name, Path folder, Path libs, Path plugins, Kafka kafka, WorkerSettings settings) {
    Endpoint rest = new Endpoint(LOOPBACK, FreePorts.next());
    Endpoint jmx = new Endpoint(LOOPBACK, FreePorts.next());
    try {
      Files.createDirectories(folder);
      Path properties = folder.resolve("worker.properties");
      Files.writeString(
          properties,
          WorkerSettings.lines(
              settings.worker(
                  kafka.bootstrapFromWorker(), plugins.toString(), rest.toString(), LOOPBACK)));
      List<String> options = new ArrayList<>(settings.jvmOptions());
      options.addAll(List.of(Jmx.options(jmx, LOOPBACK)));
      List<String> command =
          Java.command(
              libs,
              options,
              "org.apache.kafka.connect.cli.ConnectDistributed",
              properties.toString());
      return new Worker(new LocalNode(name, folder, command, Map.of(), ""), rest, jmx);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
