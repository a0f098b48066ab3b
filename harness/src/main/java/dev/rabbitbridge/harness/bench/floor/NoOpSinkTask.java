// SPDX-License-Identifier: Apache-2.0
package dev.rabbitbridge.harness.bench.floor;

import java.util.Collection;
import java.util.Map;
import org.apache.kafka.connect.sink.SinkRecord;
import org.apache.kafka.connect.sink.SinkTask;

/** Drops what it is given. */
public final class NoOpSinkTask extends SinkTask {
  /** Creates a task; for the framework. */
  public NoOpSinkTask() {}

  @Override
  public String version() {
    return "bench";
  }

  @Override
  public void start(Map<String, String> props) {}

  @Override
  public void put(Collection<SinkRecord> records) {}

  @Override
  public void stop() {}
}
