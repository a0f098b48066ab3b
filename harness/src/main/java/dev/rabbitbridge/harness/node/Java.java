// SPDX-License-Identifier: Apache-2.0
package dev.rabbitbridge.harness.node;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/** Command lines of the Kafka and Connect JVMs: their own jars only, logging to the console. */
public final class Java {
  private static final String LOGGING = "log4j2.xml";

  // Servers of a test live for seconds: there compiling well costs more than it gives.
  private static final String OPTIONS = "harness.jvm.options";

  private Java() {}

  /**
   * Returns the command line that runs a class of a folder of jars with this JVM's java.
   *
   * @param libs the jars; our logging configuration is laid beside them
   * @param options of the JVM
   * @param arguments the class and its arguments
   * @return the command
   */
  public static List<String> command(Path libs, List<String> options, String... arguments) {
    if (!Files.isDirectory(libs)) {
      throw new IllegalStateException(
          libs + " is missing: build harness/kafka-dist for that Kafka version first");
    }
    Path logging = libs.resolve(LOGGING);
    try {
      Files.write(logging, loggingConfiguration());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    String java = Path.of(System.getProperty("java.home"), "bin", "java").toString();
    return command(java, libs + "/*", logging.toString(), options, arguments);
  }

  /**
   * Returns such a command line for another machine.
   *
   * @param java its java
   * @param classPath its jars
   * @param logging its logging configuration
   * @param options of the JVM
   * @param arguments the class and its arguments
   * @return the command
   */
  public static List<String> command(
      String java, String classPath, String logging, List<String> options, String... arguments) {
    List<String> command = new ArrayList<>(List.of(java));
    command.addAll(defaults());
    command.addAll(options);
    command.add("-Dlog4j2.configurationFile=" + logging);
    command.addAll(List.of("-cp", classPath));
    command.addAll(List.of(arguments));
    return command;
  }

  private static List<String> defaults() {
    return Stream.of(System.getProperty(OPTIONS, "").split(" ")).filter(s -> !s.isEmpty()).toList();
  }

  /**
   * Returns the logging configuration: INFO to the console, with Connect's connector context.
   *
   * @return a log4j2 XML file
   */
  public static byte[] loggingConfiguration() {
    try (InputStream file = Java.class.getResourceAsStream(LOGGING)) {
      if (file == null) {
        throw new IllegalStateException(LOGGING + " is missing");
      }
      return file.readAllBytes();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
