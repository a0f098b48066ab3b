// SPDX-License-Identifier: Apache-2.0
package dev.rabbitbridge.harness.demo;

import dev.rabbitbridge.harness.Harness;
import java.io.IOException;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** The command behind {@code bin/demo}. */
@Command(
    name = "bin/demo",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    description = {
      "Sends orders through Kafka, RabbitMQ and back into Kafka, with both connectors on a real"
          + " Connect worker. RabbitMQ is killed in the middle and started again.",
      "Exit code 0 only if nothing was lost."
    })
public final class Demo implements Callable<Integer> {
  private static final int INTERRUPTED = 130;

  @Option(
      names = "--records",
      paramLabel = "N",
      defaultValue = "100000",
      description = "how many orders (default: ${DEFAULT-VALUE})")
  private int records;

  @Option(names = "--keep", description = "leave all running, print the addresses, wait for Enter")
  private boolean keep;

  private Demo() {}

  /**
   * Runs the demo and ends the JVM with its exit code.
   *
   * @param arguments of the command line
   */
  public static void main(String[] arguments) {
    CommandLine command = new CommandLine(new Demo());
    command.setExecutionExceptionHandler(
        (failure, line, parsed) -> {
          System.err.println("demo: " + failure.getMessage());
          return 1;
        });
    System.exit(command.execute(arguments));
  }

  @Override
  public Integer call() throws IOException, InterruptedException {
    if (records < 1) {
      throw new IllegalArgumentException("--records must be at least 1");
    }
    try (Harness harness = Harness.open()) {
      try {
        return run(harness);
      } catch (RuntimeException e) {
        if (harness.isClosed()) {
          return INTERRUPTED;
        }
        throw e;
      }
    }
  }

  private int run(Harness harness) throws IOException, InterruptedException {
    Journey journey = new Journey(harness, records);
    Tally tally = journey.run();
    System.out.println();
    System.out.print(tally.table());
    System.out.println("lost " + tally.lost());
    if (keep) {
      waitWithAddresses(harness);
    }
    journey.cleanUp();
    return tally.isComplete() ? 0 : 1;
  }

  private static void waitWithAddresses(Harness harness) throws IOException, InterruptedException {
    System.out.printf(
        """

        Still running:
          AMQP             %s
          management page  %s  (%s / %s)
          Kafka            %s
          Connect REST     http://%s
        Enter or Ctrl-C ends it.
        """,
        harness.rabbitMQ().amqp(),
        harness.rabbitMQ().management().address(),
        harness.rabbitMQ().username(),
        harness.rabbitMQ().password(),
        harness.kafka().bootstrap(),
        harness.worker().restEndpoint());
    if (System.in.read() < 0) {
      // Nobody can press Enter: until Ctrl-C.
      new CountDownLatch(1).await();
    }
  }
}
