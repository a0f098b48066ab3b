// SPDX-License-Identifier: Apache-2.0
package dev.rabbitbridge.harness.bench.floor;

import java.util.Collections;
import java.util.List;
import java.util.Map;
import org.apache.kafka.common.config.ConfigDef;
import org.apache.kafka.common.config.ConfigDef.Importance;
import org.apache.kafka.common.config.ConfigDef.Type;
import org.apache.kafka.connect.connector.Task;
import org.apache.kafka.connect.source.SourceConnector;

/** Makes records out of nothing, as fast as they are taken. */
public final class MemorySourceConnector extends SourceConnector {
  static final String TOPIC = "topic";
  static final String RECORDS = "records";
  static final String SIZE = "size";
  static final String BATCH = "batch";

  static final ConfigDef CONFIG =
      new ConfigDef()
          .define(TOPIC, Type.STRING, Importance.HIGH, "Where to.")
          .define(RECORDS, Type.LONG, Importance.HIGH, "How many.")
          .define(SIZE, Type.INT, Importance.HIGH, "Bytes of a value.")
          .define(BATCH, Type.INT, 1024, Importance.LOW, "Records of a poll.");

  private Map<String, String> settings = Map.of();

  /** Creates a connector; for the framework. */
  public MemorySourceConnector() {}

  @Override
  public String version() {
    return "bench";
  }

  @Override
  public ConfigDef config() {
    return CONFIG;
  }

  @Override
  public void start(Map<String, String> props) {
    settings = Map.copyOf(props);
  }

  @Override
  public Class<? extends Task> taskClass() {
    return MemorySourceTask.class;
  }

  @Override
  public List<Map<String, String>> taskConfigs(int maxTasks) {
    return Collections.nCopies(1, settings);
  }

  @Override
  public void stop() {}
}
