// SPDX-License-Identifier: Apache-2.0
package dev.rabbitbridge.metrics;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;

/** What is logged under a name while this is open. */
public final class LogLines extends Handler implements AutoCloseable {
  private final Logger logger;
  private final List<String> lines = new CopyOnWriteArrayList<>();

  public LogLines(Class<?> owner) {
    this(owner.getName());
  }

  public LogLines(String name) {
    logger = Logger.getLogger(name);
    logger.addHandler(this);
  }

  /** Returns level and text of each line. */
  public List<String> lines() {
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
