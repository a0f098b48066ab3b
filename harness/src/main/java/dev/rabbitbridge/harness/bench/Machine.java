// SPDX-License-Identifier: Apache-2.0
package dev.rabbitbridge.harness.bench;

import com.rabbitmq.client.impl.ClientVersion;
import dev.rabbitbridge.harness.Checkout;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;

/** What the numbers were taken on. */
final class Machine {
  private static final Path CPU = Path.of("/proc/cpuinfo");
  private static final double GIB = 1L << 30;
  private static final double QUIET = 0.1;
  private static final long QUIET_NANOS = TimeUnit.MILLISECONDS.toNanos(500);
  private static final long LONGEST_NANOS = TimeUnit.SECONDS.toNanos(15);

  private Machine() {}

  static String inWords(Lab lab) {
    var system =
        (com.sun.management.OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();
    return String.format(
        Locale.ROOT,
        """
        - %s, %s with %d cores, %.0f GiB; load average at the start %.1f
        - %s %s, Java %s
        - RabbitMQ %s, Kafka and Kafka Connect %s, amqp-client %s, rabbitbridge %s
        - broker, Kafka, worker and benchmark on this one machine""",
        LocalDate.now(ZoneOffset.UTC),
        processor(),
        Runtime.getRuntime().availableProcessors(),
        system.getTotalMemorySize() / GIB,
        system.getSystemLoadAverage(),
        System.getProperty("os.name"),
        System.getProperty("os.version"),
        Runtime.version(),
        lab.broker().management().get("overview").path("rabbitmq_version").asText(),
        Checkout.kafkaVersion(),
        ClientVersion.VERSION,
        Checkout.version());
  }

  /**
   * Returns how much of all cores was in use since the last call, by whatever process, 0 to 1; NaN
   * when nobody knows.
   */
  static double load() {
    var system =
        (com.sun.management.OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();
    double load = system.getCpuLoad();
    return load < 0 ? Double.NaN : load;
  }

  /**
   * Waits until the servers have done what the run before left to them, deleted queues among it:
   * else a run is the slower the more the one before it moved. Not for ever.
   */
  static void awaitQuiet() {
    long deadline = System.nanoTime() + LONGEST_NANOS;
    load();
    do {
      LockSupport.parkNanos(QUIET_NANOS);
    } while (load() > QUIET && System.nanoTime() < deadline);
  }

  private static String processor() {
    try (Stream<String> lines = Files.lines(CPU)) {
      return lines
          .filter(line -> line.startsWith("model name"))
          .map(line -> line.substring(line.indexOf(':') + 1).strip())
          .findFirst()
          .orElse(System.getProperty("os.arch"));
    } catch (IOException e) {
      return System.getProperty("os.arch");
    }
  }
}
