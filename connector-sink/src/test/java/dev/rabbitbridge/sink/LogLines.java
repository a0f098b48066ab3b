// SPDX-License-Identifier: Apache-2.0
package dev.rabbitbridge.sink;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;

/** What is logged under a name while this is open. */
final class LogLines extends Handler implements AutoCloseable {
  private final Logger logger;
  private final List<String> lines = new CopyOnWriteArrayList<>();

  LogLines(Class<?> owner) {
    this(owner.getName());
  }

  LogLines(String name) {
    logger = Logger.getLogger(name);
    logger.addHandler(this);
  }

  /** Returns level and text of each line. */
  List<String> lines() {
    return lines;
  }

  @Override
  public void publish(LogRecord line) {
    lines.add(line.getLevel() + " " + line.getMessage());
  }

  @Override
  public void flush() {}

  @Override
  public void close() {
    logger.removeHandler(this);
  }
}
