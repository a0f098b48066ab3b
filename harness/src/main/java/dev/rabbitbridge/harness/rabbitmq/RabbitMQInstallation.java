// SPDX-License-Identifier: Apache-2.0
package dev.rabbitbridge.harness.rabbitmq;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/** Finds RabbitMQ on this machine; on Debian and Ubuntu installs the package when it is absent. */
public final class RabbitMQInstallation {
  /** Debian's wrappers on the PATH change the user; these do not. */
  private static final List<String> PREFERRED =
      List.of(
          "/usr/lib/rabbitmq/bin",
          "/opt/homebrew/opt/rabbitmq/sbin",
          "/usr/local/opt/rabbitmq/sbin");

  private RabbitMQInstallation() {}

  /**
   * Returns the folder of rabbitmq-server and rabbitmqctl, after installing them where needed.
   *
   * @return the folder
   * @throws IllegalStateException with what to do, if they are absent and cannot be installed
   */
  public static synchronized Path scripts() {
    return find().orElseGet(RabbitMQInstallation::install);
  }

  static String epmd() {
    return Stream.concat(path(), Stream.of(Path.of("/opt/homebrew/bin"), Path.of("/usr/local/bin")))
        .map(folder -> folder.resolve("epmd"))
        .filter(Files::isExecutable)
        .findFirst()
        .orElseThrow(
            () -> new IllegalStateException("RabbitMQ is there, Erlang's epmd is not on the PATH"))
        .toString();
  }

  private static Optional<Path> find() {
    return Stream.concat(PREFERRED.stream().map(Path::of), path())
        .filter(folder -> Files.isExecutable(folder.resolve("rabbitmq-server")))
        .findFirst();
  }

  private static Path install() {
    boolean root = "root".equals(System.getProperty("user.name"));
    boolean sudo = path().anyMatch(folder -> Files.isExecutable(folder.resolve("sudo")));
    if (!Files.isExecutable(Path.of("/usr/bin/apt-get")) || !(root || sudo)) {
      throw new IllegalStateException(
          "No RabbitMQ to test with. Do one of these: set RABBITMQ_URI to the address of a broker;"
              + " start a Docker engine; install rabbitmq-server (Debian, Ubuntu: apt-get install"
              + " rabbitmq-server; macOS: brew install rabbitmq).");
    }
    System.err.println(
        "harness: no RabbitMQ here, installing the package rabbitmq-server "
            + (root ? "as root" : "with sudo")
            + " (its system service is not started)");
    List<String> command = new ArrayList<>(root ? List.of() : List.of("sudo"));
    command.addAll(List.of("sh", "-c", script()));
    try {
      Process process = new ProcessBuilder(command).inheritIO().start();
      if (process.waitFor() != 0) {
        throw new IllegalStateException(
            "The package rabbitmq-server could not be installed; its messages are above");
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("Interrupted while rabbitmq-server was installed", e);
    }
    return find()
        .orElseThrow(() -> new IllegalStateException("rabbitmq-server is installed, but where?"));
  }

  private static String script() {
    try (InputStream script =
        RabbitMQInstallation.class.getResourceAsStream("install-on-debian.sh")) {
      if (script == null) {
        throw new IllegalStateException("install-on-debian.sh is missing");
      }
      return new String(script.readAllBytes(), StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static Stream<Path> path() {
    return Stream.of(System.getenv().getOrDefault("PATH", "").split(":"))
        .filter(entry -> !entry.isEmpty())
        .map(Path::of);
  }
}
