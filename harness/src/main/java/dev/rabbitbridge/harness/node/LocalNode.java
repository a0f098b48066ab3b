// SPDX-License-Identifier: Apache-2.0
package dev.rabbitbridge.harness.node;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/**
 * A server as processes of this machine. What it prints is appended to {@code NAME.log} in its
 * folder.
 *
 * <p>Invariant: every process seen below the started one is remembered until it is gone, so that
 * the death of a parent in the middle does not hide its children.
 */
public final class LocalNode implements Node {
  private static final Duration STOP_TIMEOUT = Duration.ofMinutes(1);

  private final String name;
  private final Path folder;
  private final List<String> command;
  private final Map<String, String> environment;
  private final String main;
  private final Set<ProcessHandle> seen = new LinkedHashSet<>();
  private @Nullable Process process;
  private boolean closed;

  /**
   * Describes a server; nothing is started.
   *
   * @param name its name, also of its log file
   * @param folder where it runs
   * @param command the program and its arguments
   * @param environment variables set on top of this JVM's own
   * @param main end of the path of the program that a stop signal goes to; empty for the started
   *     process itself
   */
  public LocalNode(
      String name,
      Path folder,
      List<String> command,
      Map<String, String> environment,
      String main) {
    this.name = name;
    this.folder = folder;
    this.command = List.copyOf(command);
    this.environment = Map.copyOf(environment);
    this.main = main;
  }

  @Override
  public String name() {
    return name;
  }

  @Override
  public synchronized void start() {
    if (closed) {
      throw new IllegalStateException(name + " is closed");
    }
    if (isRunning()) {
      return;
    }
    try {
      process =
          builder(command)
              .redirectErrorStream(true)
              .redirectOutput(ProcessBuilder.Redirect.appendTo(logFile().toFile()))
              .start();
      process.getOutputStream().close();
    } catch (IOException e) {
      throw new UncheckedIOException("Cannot start " + name, e);
    }
    observe();
  }

  @Override
  public synchronized void stop() {
    observe();
    Optional<ProcessHandle> target =
        seen.stream().filter(p -> p.info().command().orElse("").endsWith(main)).findFirst();
    target.ifPresent(ProcessHandle::destroy);
    if (!awaitGone(STOP_TIMEOUT)) {
      kill();
    }
  }

  @Override
  public synchronized void kill() {
    observe();
    seen.forEach(ProcessHandle::destroyForcibly);
    if (!awaitGone(Duration.ofSeconds(20))) {
      throw new IllegalStateException(name + " does not die: " + seen);
    }
  }

  @Override
  public synchronized void pause() {
    signal("STOP");
  }

  @Override
  public synchronized void resume() {
    signal("CONT");
  }

  @Override
  public synchronized boolean isRunning() {
    observe();
    return process != null && process.isAlive();
  }

  @Override
  public String exec(String... arguments) {
    return run(builder(List.of(arguments)));
  }

  @Override
  public String log() {
    try {
      return Files.exists(logFile())
          ? new String(Files.readAllBytes(logFile()), StandardCharsets.UTF_8)
          : "";
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Override
  public synchronized void close() {
    closed = true;
    kill();
  }

  private Path logFile() {
    return folder.resolve(name + ".log");
  }

  private ProcessBuilder builder(List<String> arguments) {
    ProcessBuilder builder = new ProcessBuilder(arguments).directory(folder.toFile());
    builder.environment().putAll(environment);
    return builder;
  }

  private void observe() {
    seen.removeIf(handle -> !handle.isAlive());
    if (process != null && process.isAlive()) {
      seen.add(process.toHandle());
    }
    for (ProcessHandle handle : List.copyOf(seen)) {
      handle.descendants().forEach(seen::add);
    }
  }

  private boolean awaitGone(Duration timeout) {
    long deadline = System.nanoTime() + timeout.toNanos();
    for (observe(); !seen.isEmpty(); observe()) {
      long left = deadline - System.nanoTime();
      try {
        seen.iterator().next().onExit().get(left, TimeUnit.NANOSECONDS);
      } catch (TimeoutException e) {
        return false;
      } catch (ExecutionException e) {
        throw new IllegalStateException(e);
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        seen.forEach(ProcessHandle::destroyForcibly);
        throw new IllegalStateException("Interrupted while " + name + " ends", e);
      }
    }
    return true;
  }

  private void signal(String signal) {
    observe();
    List<String> kill = new ArrayList<>(List.of("kill", "-" + signal));
    seen.forEach(handle -> kill.add(Long.toString(handle.pid())));
    exec(kill.toArray(String[]::new));
  }

  private static String run(ProcessBuilder builder) {
    try {
      Process running = builder.redirectErrorStream(true).start();
      running.getOutputStream().close();
      String output =
          new String(running.getInputStream().readAllBytes(), StandardCharsets.UTF_8).strip();
      if (running.waitFor() != 0) {
        throw new IllegalStateException(String.join(" ", builder.command()) + " failed: " + output);
      }
      return output;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("Interrupted in " + Arrays.asList(builder.command()), e);
    }
  }
}
