// SPDX-License-Identifier: Apache-2.0
package dev.rabbitbridge.harness.docs;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rabbitbridge.harness.Checkout;
import dev.rabbitbridge.harness.Scenario;
import dev.rabbitbridge.harness.node.FreePorts;
import dev.rabbitbridge.harness.node.Java;
import dev.rabbitbridge.harness.rabbitmq.Management;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** Types docs/quickstart.md line by line, and compares what it says with what comes out. */
class QuickstartIT {
  private static final Pattern BLOCK =
      Pattern.compile("^```(sh|text)\n(.*?)^```$", Pattern.MULTILINE | Pattern.DOTALL);
  private static final Pattern HERE_DOCUMENT = Pattern.compile("<<(\\w+)");

  private static final Pattern TAGS = Pattern.compile("set_user_tags quickstart (\\w+)");
  private static final Pattern PERMISSIONS =
      Pattern.compile("set_permissions quickstart '(.*?)' '(.*?)' '(.*?)'");
  private static final String PASSWORD = "change-me";

  private static final Map<String, String> KAFKA_SCRIPTS =
      Map.of(
          "connect-distributed.sh", "org.apache.kafka.connect.cli.ConnectDistributed",
          "kafka-topics.sh", "org.apache.kafka.tools.TopicCommand",
          "kafka-console-producer.sh", "org.apache.kafka.tools.ConsoleProducer",
          "kafka-console-consumer.sh", "org.apache.kafka.tools.consumer.ConsoleConsumer",
          "kafka-consumer-groups.sh", "org.apache.kafka.tools.consumer.group.ConsumerGroupCommand");

  @RegisterExtension final Scenario scenario = new Scenario();

  @TempDir Path checkout;

  @Test
  @Timeout(value = 10, unit = TimeUnit.MINUTES, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
  void everyLineDoesWhatTheGuideSays() throws IOException {
    Files.createSymbolicLink(checkout.resolve("dist"), Checkout.root().resolve("dist"));
    String guide = Files.readString(Checkout.root().resolve("docs/quickstart.md"));
    String user = userOf(guide);
    Matcher blocks = BLOCK.matcher(guide);
    int compared = 0;
    List<String> printed = List.of();

    try (Shell shell = new Shell(checkout, environment(user))) {
      while (blocks.find()) {
        if (blocks.group(1).equals("sh")) {
          printed = new ArrayList<>();
          for (String command : commands(blocks.group(2))) {
            printed.addAll(shell.run(command));
          }
        } else {
          assertThat(words(printed)).isEqualTo(words(blocks.group(2).lines().toList()));
          compared++;
        }
      }
    }

    assertThat(compared).isEqualTo(4);
    assertThat(scenario.rabbitMQ().management().hasQueue("quickstart")).isFalse();
    assertThat(scenario.kafka().client().topics())
        .noneMatch(topic -> topic.startsWith("quickstart"));
    assertThat(checkout.resolve("target/quickstart")).doesNotExist();
  }

  /** Makes a user who may do what the guide says is needed, and no more. */
  private String userOf(String guide) {
    Matcher tags = TAGS.matcher(guide);
    Matcher permissions = PERMISSIONS.matcher(guide);
    assertThat(tags.find() && permissions.find()).isTrue();
    Management management = scenario.rabbitMQ().management();
    String user = scenario.user(PASSWORD);
    management.createUser(user, PASSWORD, tags.group(1));
    management.grant(user, permissions.group(1), permissions.group(2), permissions.group(3));
    return user;
  }

  private Map<String, String> environment(String user) throws IOException {
    Path bin = Files.createDirectory(checkout.resolve("bin"));
    Path logging = bin.resolve("log4j2.properties");
    Files.writeString(
        logging,
        """
        rootLogger.level=WARN
        rootLogger.appenderRef.stderr.ref=STDERR
        appender.console.type=Console
        appender.console.name=STDERR
        appender.console.target=SYSTEM_ERR
        appender.console.layout.type=PatternLayout
        appender.console.layout.pattern=[%d] %p %X{connector.context}%m (%c)%n
        """);
    for (Map.Entry<String, String> script : KAFKA_SCRIPTS.entrySet()) {
      List<String> java =
          Java.command(
              Path.of(System.getProperty("java.home"), "bin", "java").toString(),
              Checkout.libs(Checkout.kafkaVersion()) + "/*",
              logging.toString(),
              List.of("-Xmx512m"),
              script.getValue());
      script(
          bin.resolve(script.getKey()),
          java.stream()
              .map(word -> "'" + word + "'")
              .collect(Collectors.joining(" ", "exec ", " \"$@\"")));
    }
    // The build that runs this test has made the archive.
    script(bin.resolve("mvn"), "[ \"$*\" = '-B package -DskipTests' ]");
    Map<String, String> environment = new HashMap<>();
    environment.put("PATH", bin + ":" + System.getenv("PATH"));
    environment.put("KAFKA", scenario.kafka().bootstrap());
    environment.put("CONNECT", "http://127.0.0.1:" + FreePorts.next());
    environment.put("RABBITMQ_HOST", scenario.rabbitMQ().amqp().host());
    environment.put("RABBITMQ_PORT", Integer.toString(scenario.rabbitMQ().amqp().port()));
    environment.put("RABBITMQ_USER", user);
    environment.put("RABBITMQ_PASSWORD", PASSWORD);
    environment.put("RABBITMQ_API", scenario.rabbitMQ().management().address() + "/api");
    return environment;
  }

  private static void script(Path file, String line) throws IOException {
    Files.writeString(file, "#!/bin/sh\n" + line + "\n");
    assertThat(file.toFile().setExecutable(true)).isTrue();
  }

  /** Splits a block into its commands: a line each, but for here documents. */
  private static List<String> commands(String block) {
    List<String> commands = new ArrayList<>();
    StringBuilder command = new StringBuilder();
    String end = "";
    for (String line : block.lines().toList()) {
      command.append(line);
      Matcher document = HERE_DOCUMENT.matcher(line);
      if (end.isEmpty() && document.find()) {
        end = document.group(1);
      } else if (line.equals(end)) {
        end = "";
      }
      if (end.isEmpty()) {
        commands.add(command.toString());
        command.setLength(0);
      } else {
        command.append('\n');
      }
    }
    return commands;
  }

  private static List<String> words(List<String> lines) {
    return lines.stream().map(line -> line.strip().replaceAll(" +", " ")).toList();
  }
}
