// SPDX-License-Identifier: Apache-2.0
package dev.rabbitbridge.harness.bench.floor;

import java.util.Collections;
import java.util.List;
import java.util.Map;
import org.apache.kafka.common.config.ConfigDef;
import org.apache.kafka.connect.connector.Task;
import org.apache.kafka.connect.sink.SinkConnector;

/** Takes records and drops them. */
public final class NoOpSinkConnector extends SinkConnector {
  private Map<String, String> settings = Map.of();

  /** Creates a connector; for the framework. */
  public NoOpSinkConnector() {}

  @Override
  public String version() {
    return "bench";
  }

  @Override
  public ConfigDef config() {
    return new ConfigDef();
  }

  @Override
  public void start(Map<String, String> props) {
    settings = Map.copyOf(props);
  }

  @Override
  public Class<? extends Task> taskClass() {
    return NoOpSinkTask.class;
  }

  @Override
  public List<Map<String, String>> taskConfigs(int maxTasks) {
    return Collections.nCopies(maxTasks, settings);
  }

  @Override
  public void stop() {}
}
