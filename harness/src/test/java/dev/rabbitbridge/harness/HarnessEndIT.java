// SPDX-License-Identifier: Apache-2.0
package dev.rabbitbridge.harness;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.rabbitbridge.harness.demo.Demo;
import dev.rabbitbridge.harness.node.DockerEngine;
import dev.rabbitbridge.harness.node.Endpoint;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Nothing is left running, and nothing but logs on the disk. */
class HarnessEndIT {
  private static final Mode MODE = Mode.chosen();

  private Process demo;

  @AfterEach
  void end() {
    if (demo != null) {
      demo.destroyForcibly();
    }
  }

  @Test
  void closeEndsAllThatWasStarted() throws IOException {
    Set<ProcessHandle> before = descendants(ProcessHandle.current());
    Harness harness = Harness.open(MODE);
    harness.start();
    URI management = harness.rabbitMQ().management().address();
    List<Endpoint> endpoints =
        List.of(
            harness.rabbitMQ().amqp(),
            new Endpoint(management.getHost(), management.getPort()),
            Endpoint.parse(harness.kafka().bootstrap()),
            harness.worker().restEndpoint(),
            harness.newProxy().endpoint());
    assertThat(endpoints).allMatch(Endpoint::answers);

    harness.close();

    assertThat(endpoints).noneMatch(Endpoint::answers);
    // A RabbitMQ that was there before starts short processes of its own, to look at its disk.
    Awaitility.await()
        .untilAsserted(() -> assertThat(descendants(ProcessHandle.current())).isSubsetOf(before));
    assertThat(containers(harness.folder())).isEmpty();
    assertThat(files(harness.folder())).isNotEmpty().allMatch(file -> file.endsWith(".log"));
  }

  @Test
  @Timeout(value = 5, unit = TimeUnit.MINUTES)
  void ctrlCEndsAllThatTheDemoStarted() throws Exception {
    demo =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Dharness=" + MODE.name(),
                "-cp",
                System.getProperty("java.class.path"),
                Demo.class.getName())
            .redirectErrorStream(true)
            .start();
    BufferedReader output = new BufferedReader(new InputStreamReader(demo.getInputStream(), UTF_8));
    Path folder = Checkout.runFolder().resolve(demo.pid() + "-1");
    awaitLine(output, "Sending");
    Set<ProcessHandle> started = descendants(demo.toHandle());

    new ProcessBuilder("kill", "-INT", Long.toString(demo.pid())).start().waitFor();

    assertThat(demo.waitFor(60, TimeUnit.SECONDS)).isTrue();
    Awaitility.await()
        .atMost(Duration.ofSeconds(10))
        .untilAsserted(() -> assertThat(started).noneMatch(ProcessHandle::isAlive));
    assertThat(containers(folder)).isEmpty();
    assertThat(files(folder)).isNotEmpty().allMatch(file -> file.endsWith(".log"));
  }

  private static void awaitLine(BufferedReader output, String start) throws IOException {
    StringBuilder seen = new StringBuilder();
    for (String line = output.readLine(); line != null; line = output.readLine()) {
      if (line.startsWith(start)) {
        return;
      }
      seen.append(line).append('\n');
    }
    throw new AssertionError("The demo ended early:\n" + seen);
  }

  private static Set<ProcessHandle> descendants(ProcessHandle process) {
    return process.descendants().filter(ProcessHandle::isAlive).collect(Collectors.toSet());
  }

  private static List<String> containers(Path folder) {
    return MODE == Mode.DOCKER
        ? DockerEngine.containersOf(folder.getFileName().toString())
        : List.of();
  }

  private static List<String> files(Path folder) throws IOException {
    try (Stream<Path> files = Files.walk(folder)) {
      return files.filter(Files::isRegularFile).map(Path::toString).toList();
    }
  }
}
