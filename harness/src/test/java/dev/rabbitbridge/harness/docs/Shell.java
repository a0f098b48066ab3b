// SPDX-License-Identifier: Apache-2.0
package dev.rabbitbridge.harness.docs;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** A bash into which commands are typed one after the other, as a reader of a guide does. */
final class Shell implements AutoCloseable {
  private static final String END = "--- end of command, exit ";

  private final Path errors;
  private final Process bash;
  private final BufferedReader output;

  Shell(Path folder, Map<String, String> environment) throws IOException {
    errors = folder.resolve("stderr.txt");
    ProcessBuilder builder =
        new ProcessBuilder("bash", "--norc")
            .directory(folder.toFile())
            .redirectError(errors.toFile());
    builder.environment().putAll(environment);
    bash = builder.start();
    output = bash.inputReader(UTF_8);
  }

  /**
   * Runs a command and returns the lines it printed.
   *
   * @throws AssertionError if it fails
   */
  List<String> run(String command) throws IOException {
    bash.outputWriter(UTF_8).append(command).append("\necho \"" + END + "$?\"\n").flush();
    List<String> lines = new ArrayList<>();
    for (String line = output.readLine(); line != null; line = output.readLine()) {
      if (line.startsWith(END)) {
        if (!line.equals(END + "0")) {
          break;
        }
        return lines;
      }
      lines.add(line);
    }
    throw new AssertionError(
        "%s%nfailed, printed %s, and%n%s".formatted(command, lines, Files.readString(errors)));
  }

  /** Ends it and everything that was started in it. */
  @Override
  public void close() {
    List<ProcessHandle> all = new ArrayList<>(bash.descendants().toList());
    all.add(bash.toHandle());
    all.forEach(ProcessHandle::destroyForcibly);
    try {
      output.close();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
