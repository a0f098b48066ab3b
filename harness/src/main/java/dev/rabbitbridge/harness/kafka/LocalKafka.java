// SPDX-License-Identifier: Apache-2.0
package dev.rabbitbridge.harness.kafka;

import dev.rabbitbridge.harness.node.FreePorts;
import dev.rabbitbridge.harness.node.Java;
import dev.rabbitbridge.harness.node.LocalNode;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/** A broker as a JVM of this machine, from the jars that the build lays out. */
public final class LocalKafka {
  private LocalKafka() {}

  /**
   * Prepares a broker; nothing but the formatting of its storage is run.
   *
   * @param folder an absent or empty folder for all it writes
   * @param libs the folder with the jars of one Kafka version
   * @return the broker, to be started and closed by the caller
   */
  public static Kafka in(Path folder, Path libs) {
    String address = "127.0.0.1:" + FreePorts.next();
    try {
      Files.createDirectories(folder);
      Path properties = folder.resolve("server.properties");
      Files.writeString(
          properties,
          Settings.serverProperties(
              folder.resolve("data").toString(),
              "127.0.0.1:" + FreePorts.next(),
              List.of(new Settings.Listener("PLAINTEXT", address, address))));
      List<String> format =
          Java.command(
              libs,
              List.of("-XX:TieredStopAtLevel=1"),
              "kafka.tools.StorageTool",
              "format",
              "-t",
              Settings.CLUSTER_ID,
              "-c",
              properties.toString());
      new LocalNode("format", folder, format, Map.of(), "").exec(format.toArray(String[]::new));
      List<String> serve =
          Java.command(libs, List.of("-Xmx768m"), "kafka.Kafka", properties.toString());
      return new Kafka(new LocalNode("kafka", folder, serve, Map.of(), ""), address, address);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
