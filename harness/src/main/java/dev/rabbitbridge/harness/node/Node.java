// SPDX-License-Identifier: Apache-2.0
package dev.rabbitbridge.harness.node;

/**
 * One server, local process or container. Its address and its data survive {@link #stop}, {@link
 * #kill} and {@link #start}; {@link #close} ends it for good. Not to be used from two threads at
 * once, except {@link #close}.
 */
public interface Node extends AutoCloseable {
  /**
   * Returns the name for messages and log files.
   *
   * @return the name
   */
  String name();

  /**
   * Starts it, with the data it had. Returns when it runs, not when it serves. Nothing happens when
   * it runs already.
   */
  void start();

  /** Asks it to end and waits; after a minute it is killed. */
  void stop();

  /** Ends it with SIGKILL, and every process it started. */
  void kill();

  /** Freezes it with SIGSTOP: its sockets stay open and nothing answers. */
  void pause();

  /** Lets it go on after {@link #pause}. */
  void resume();

  /**
   * Returns whether its process exists.
   *
   * @return true also while paused
   */
  boolean isRunning();

  /**
   * Runs a command beside it, with its environment.
   *
   * @param command the program and its arguments
   * @return what it printed
   * @throws IllegalStateException if the command fails
   */
  String exec(String... command);

  /**
   * Returns everything it printed since its first start.
   *
   * @return the log, empty before the first start
   */
  String log();

  /** Ends it hard; its data is given up. Does nothing the second time. */
  @Override
  void close();
}
