// SPDX-License-Identifier: Apache-2.0
package dev.rabbitbridge.harness.rabbitmq;

import dev.rabbitbridge.harness.node.Endpoint;
import dev.rabbitbridge.harness.node.FreePorts;
import dev.rabbitbridge.harness.node.LocalNode;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;

/**
 * A private node of an installed RabbitMQ: own ports, own folder, own epmd, own home. Runs as the
 * user of this JVM and touches nothing of the system's own node.
 */
public final class LocalRabbitMQ {
  private static final String LOOPBACK = "127.0.0.1";

  private LocalRabbitMQ() {}

  /**
   * Prepares a broker; nothing is started.
   *
   * @param folder an absent or empty folder for all it writes
   * @param configuration more lines for its rabbitmq.conf
   * @return the broker, to be started and closed by the caller
   * @throws IllegalStateException if RabbitMQ is not installed and cannot be
   */
  public static RabbitMQ in(Path folder, String configuration) {
    return in(
        "rabbitmq", folder, configuration, UUID.randomUUID().toString(), FreePorts.next(), true);
  }

  /**
   * Prepares nodes with one cookie, which can join each other; nothing is started. The first one
   * starts what they find each other with, so it must be started first and closed last.
   *
   * @param folder where each of them gets a folder
   * @param name of the nodes, which get numbers
   * @param nodes how many
   * @return the nodes, to be started and closed by the caller
   */
  public static List<RabbitMQ> nodesIn(Path folder, String name, int nodes) {
    String cookie = UUID.randomUUID().toString();
    int epmdPort = FreePorts.next();
    List<RabbitMQ> all = new ArrayList<>();
    for (int i = 1; i <= nodes; i++) {
      String own = name + "-" + i;
      all.add(in(own, folder.resolve(own), "", cookie, epmdPort, i == 1));
    }
    return all;
  }

  private static RabbitMQ in(
      String name,
      Path folder,
      String configuration,
      String cookie,
      int epmdPort,
      boolean startsEpmd) {
    Path scripts = RabbitMQInstallation.scripts();
    int port = FreePorts.next();
    int managementPort = FreePorts.next();
    try {
      Map<String, String> environment = prepare(folder, cookie, epmdPort);
      Files.writeString(
          folder.resolve("rabbitmq.conf"),
          """
          listeners.tcp.local = %s:%d
          management.tcp.ip = %s
          management.tcp.port = %d
          %s
          %s
          """
              .formatted(
                  LOOPBACK, port, LOOPBACK, managementPort, Settings.CONFIGURATION, configuration));
      return new RabbitMQ(
          new LocalNode(
              name,
              folder,
              List.of(scripts.resolve("rabbitmq-server").toString()),
              environment,
              "beam.smp"),
          startsEpmd ? List.of(epmd(folder, environment)) : List.of(),
          new Endpoint(LOOPBACK, port),
          new Endpoint(LOOPBACK, port),
          new Management(
              URI.create("http://" + LOOPBACK + ":" + managementPort), "/", "guest", "guest"),
          scripts.resolve("rabbitmqctl").toString());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Ours runs in the foreground: the one a node would start stays behind when the node is gone. */
  private static LocalNode epmd(Path folder, Map<String, String> environment) {
    return new LocalNode(
        "epmd",
        folder,
        List.of(RabbitMQInstallation.epmd(), "-port", environment.get("ERL_EPMD_PORT")),
        environment,
        "");
  }

  private static Map<String, String> prepare(Path folder, String cookieText, int epmdPort)
      throws IOException {
    Path home = Files.createDirectories(folder.resolve("home"));
    Path cookie = home.resolve(".erlang.cookie");
    Files.writeString(cookie, cookieText);
    Files.setPosixFilePermissions(cookie, PosixFilePermissions.fromString("r--------"));
    Files.writeString(folder.resolve("enabled_plugins"), Settings.PLUGINS);
    Files.writeString(folder.resolve("advanced.config"), Settings.ADVANCED);

    int distribution = FreePorts.next();
    Map<String, String> environment = new HashMap<>();
    environment.put("HOME", home.toString());
    environment.put("TERM", "dumb");
    environment.put("ERL_EPMD_PORT", Integer.toString(epmdPort));
    environment.put("ERL_EPMD_ADDRESS", LOOPBACK);
    environment.put("ERL_CRASH_DUMP_SECONDS", "0");
    environment.put("RABBITMQ_NODENAME", "rabbit" + distribution + "@localhost");
    environment.put("RABBITMQ_DIST_PORT", Integer.toString(distribution));
    environment.put(
        "RABBITMQ_SERVER_ADDITIONAL_ERL_ARGS", "-kernel inet_dist_use_interface {127,0,0,1}");
    environment.put("RABBITMQ_CONF_ENV_FILE", folder.resolve("rabbitmq-env.conf").toString());
    environment.put("RABBITMQ_CONFIG_FILE", folder.resolve("rabbitmq").toString());
    environment.put("RABBITMQ_ADVANCED_CONFIG_FILE", folder.resolve("advanced.config").toString());
    environment.put("RABBITMQ_ENABLED_PLUGINS_FILE", folder.resolve("enabled_plugins").toString());
    environment.put("RABBITMQ_GENERATED_CONFIG_DIR", folder.resolve("generated").toString());
    environment.put("RABBITMQ_MNESIA_BASE", folder.resolve("data").toString());
    environment.put("RABBITMQ_LOG_BASE", folder.resolve("log").toString());
    environment.put("RABBITMQ_PID_FILE", folder.resolve("pid").toString());
    return environment;
  }
}
