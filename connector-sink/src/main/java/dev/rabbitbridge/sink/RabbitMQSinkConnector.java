// SPDX-License-Identifier: Apache-2.0
package dev.rabbitbridge.sink;

import dev.rabbitbridge.config.PluginVersion;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.apache.kafka.common.config.Config;
import org.apache.kafka.common.config.ConfigDef;
import org.apache.kafka.connect.connector.Task;
import org.apache.kafka.connect.sink.SinkConnector;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Writes Kafka records to RabbitMQ and commits their offsets only after RabbitMQ has confirmed
 * them.
 *
 * <p>Kafka Connect creates it and calls it; see {@code docs/sink.md} for what it promises.
 */
public final class RabbitMQSinkConnector extends SinkConnector {
  private static final Logger LOG = LoggerFactory.getLogger(RabbitMQSinkConnector.class);

  private Map<String, String> props = Map.of();

  /** Creates a connector that has not been started; for the framework. */
  public RabbitMQSinkConnector() {}

  @Override
  public String version() {
    return PluginVersion.get();
  }

  @Override
  public ConfigDef config() {
    return RabbitMQSinkConfig.KEYS.definition();
  }

  @Override
  public Config validate(Map<String, String> connectorConfigs) {
    return new Config(
        RabbitMQSinkConfig.KEYS.validate(
            connectorConfigs, values -> RabbitMQSinkConfig.checkRules(values, connectorConfigs)));
  }

  @Override
  public void start(Map<String, String> connectorConfigs) {
    props = connectorConfigs;
    RabbitMQSinkConfig.KEYS.warnings(connectorConfigs).forEach(LOG::warn);
  }

  @Override
  public Class<? extends Task> taskClass() {
    return RabbitMQSinkTask.class;
  }

  @Override
  public List<Map<String, String>> taskConfigs(int maxTasks) {
    return IntStream.range(0, maxTasks)
        .mapToObj(
            task -> {
              Map<String, String> taskProps = new HashMap<>(props);
              taskProps.put(RabbitMQSinkConfig.TASK_ID, String.valueOf(task));
              return taskProps;
            })
        .toList();
  }

  @Override
  public void stop() {
    // Holds nothing.
  }
}
