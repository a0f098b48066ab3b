// SPDX-License-Identifier: Apache-2.0
package dev.rabbitbridge.harness.bench;

import dev.rabbitbridge.harness.Checkout;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** RabbitMQ's own benchmark, in a JVM of its own. */
final class PerfTest implements Run {
  private static final String EXCHANGE = "amq.direct";

  private final Lab lab;
  private final Place place;
  private final boolean consumes;
  private final Path log;
  private final Process process;

  private PerfTest(Lab lab, Place place, boolean consumes, List<String> arguments)
      throws IOException {
    this.lab = lab;
    this.place = place;
    this.consumes = consumes;
    this.log = lab.harness().folder().resolve("perf-test.log");
    Path libs = Checkout.root().resolve("harness/perf-test/target/libs");
    if (!Files.isDirectory(libs)) {
      throw new IllegalStateException(libs + " is missing: build harness/perf-test first");
    }
    List<String> command =
        new ArrayList<>(
            List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-cp",
                libs + "/*",
                "com.rabbitmq.perf.PerfTest",
                "--uri",
                lab.broker().uri().toString(),
                "--predeclared",
                "--exchange",
                EXCHANGE,
                "--type",
                "direct",
                "--queue",
                place.queue(),
                "--routing-key",
                place.queue()));
    command.addAll(arguments);
    process =
        new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(log.toFile()).start();
  }

  static Contender publisher(Lab lab) {
    return new Contender() {
      @Override
      public String name() {
        return "PerfTest";
      }

      @Override
      public Run begin(Place place) throws IOException {
        lab.broker().management().bind(EXCHANGE, place.queue(), place.queue());
        Load load = place.load();
        return new PerfTest(
            lab,
            place,
            false,
            List.of(
                "--producers",
                "1",
                "--consumers",
                "0",
                "--confirm",
                Integer.toString(load.window()),
                "--flag",
                "persistent",
                "--size",
                Integer.toString(load.size()),
                "--pmessages",
                Integer.toString(load.messages())));
      }
    };
  }

  static Contender consumer(Lab lab) {
    return new Contender() {
      @Override
      public String name() {
        return "PerfTest";
      }

      @Override
      public Run begin(Place place) throws IOException {
        return new PerfTest(
            lab,
            place,
            true,
            List.of(
                "--producers", "0",
                "--consumers", "1",
                "--qos", Integer.toString(place.load().window()),
                "--multi-ack-every", Integer.toString(BareConsumer.ACK_EVERY),
                "--cmessages", Integer.toString(place.load().messages())));
      }
    };
  }

  @Override
  public long arrived() {
    long ready = lab.ready(place.queue());
    return consumes ? place.load().messages() - ready : ready;
  }

  @Override
  public Usage usage() {
    return process
        .info()
        .totalCpuDuration()
        .map(cpu -> new Usage(cpu.toNanos(), Double.NaN))
        .orElse(Usage.UNKNOWN);
  }

  @Override
  public void check() {
    if (!process.isAlive() && process.exitValue() != 0) {
      try {
        throw new IllegalStateException("PerfTest failed: " + Files.readString(log));
      } catch (IOException e) {
        throw new IllegalStateException("PerfTest failed", e);
      }
    }
  }

  @Override
  public void close() {
    process.destroyForcibly();
  }
}
