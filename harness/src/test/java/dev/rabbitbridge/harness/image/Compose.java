// SPDX-License-Identifier: Apache-2.0
package dev.rabbitbridge.harness.image;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.rabbitbridge.harness.Checkout;
import dev.rabbitbridge.harness.node.FreePorts;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;

/** {@code docker/compose.yaml} as a project of its own, on free ports. */
final class Compose implements AutoCloseable {
  private static final Path FOLDER = Checkout.root().resolve("docker");
  private static final List<String> PORTS =
      List.of(
          "KAFKA_PORT",
          "RABBITMQ_PORT",
          "RABBITMQ_MANAGEMENT_PORT",
          "CONNECT_PORT",
          "METRICS_PORT");

  private final List<String> command;
  private final String project = "compose-it-" + UUID.randomUUID().toString().substring(0, 8);
  private final Map<String, String> ports = new HashMap<>();

  Compose(List<String> command) {
    this.command = command;
    PORTS.forEach(port -> ports.put(port, Integer.toString(FreePorts.next())));
  }

  /** Returns the plugin of docker, else the program of its own, if either is there. */
  static Optional<List<String>> installed() {
    return List.of(List.of("docker", "compose"), List.of("docker-compose")).stream()
        .filter(Compose::answers)
        .findFirst();
  }

  int port(String variable) {
    return Integer.parseInt(ports.get(variable));
  }

  void up() {
    compose("up", "-d", "--build");
  }

  String docker(String verb, String service, String... arguments) {
    List<String> all = new ArrayList<>(List.of("docker", verb, id(service)));
    all.addAll(List.of(arguments));
    return run(all);
  }

  /** Returns one thing that the engine knows about a service, by its template language. */
  String inspect(String service, String template) {
    return run(List.of("docker", "inspect", "-f", template, id(service)));
  }

  /** Returns containers, networks and volumes of the project. */
  List<String> left() {
    List<String> left = new ArrayList<>();
    for (List<String> list :
        List.of(
            List.of("docker", "ps", "-a", "-q"),
            List.of("docker", "network", "ls", "-q"),
            List.of("docker", "volume", "ls", "-q"))) {
      List<String> ours = new ArrayList<>(list);
      ours.addAll(List.of("--filter", "label=com.docker.compose.project=" + project));
      run(ours).lines().forEach(left::add);
    }
    return left;
  }

  @Override
  public void close() {
    compose("down", "-v", "--remove-orphans");
  }

  private String id(String service) {
    return compose("ps", "-a", "-q", service);
  }

  private String compose(String... arguments) {
    List<String> all = new ArrayList<>(command);
    all.addAll(List.of("-p", project));
    all.addAll(List.of(arguments));
    return run(all);
  }

  private String run(List<String> arguments) {
    try {
      Process process = start(arguments, ports);
      String output = new String(process.getInputStream().readAllBytes(), UTF_8).strip();
      if (process.waitFor() != 0) {
        throw new IllegalStateException(String.join(" ", arguments) + " failed: " + output);
      }
      return output;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException(e);
    }
  }

  private static boolean answers(List<String> command) {
    List<String> version = new ArrayList<>(command);
    version.add("version");
    try {
      Process process = start(version, Map.of());
      process.getInputStream().readAllBytes();
      return process.waitFor() == 0;
    } catch (IOException e) {
      return false;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return false;
    }
  }

  private static Process start(List<String> arguments, Map<String, String> environment)
      throws IOException {
    ProcessBuilder builder =
        new ProcessBuilder(arguments)
            .directory(FOLDER.toFile())
            .redirectError(ProcessBuilder.Redirect.INHERIT);
    builder.environment().putAll(environment);
    Process process = builder.start();
    process.getOutputStream().close();
    return process;
  }
}
