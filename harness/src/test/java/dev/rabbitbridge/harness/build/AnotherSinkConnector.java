// SPDX-License-Identifier: Apache-2.0
package dev.rabbitbridge.harness.build;

import com.rabbitmq.client.impl.AMQConnection;
import java.util.List;
import java.util.Map;
import org.apache.kafka.common.config.ConfigDef;
import org.apache.kafka.connect.connector.Task;
import org.apache.kafka.connect.sink.SinkConnector;

/** Somebody else's connector: its version is that of the RabbitMQ client that it sees. */
public final class AnotherSinkConnector extends SinkConnector {
  static final String URI_CONFIG = "another.uri";

  private Map<String, String> config = Map.of();

  @Override
  public String version() {
    return AMQConnection.defaultClientProperties().get("version").toString();
  }

  @Override
  public void start(Map<String, String> properties) {
    config = Map.copyOf(properties);
  }

  @Override
  public Class<? extends Task> taskClass() {
    return AnotherSinkTask.class;
  }

  @Override
  public List<Map<String, String>> taskConfigs(int maxTasks) {
    return List.of(config);
  }

  @Override
  public void stop() {}

  @Override
  public ConfigDef config() {
    return new ConfigDef()
        .define(URI_CONFIG, ConfigDef.Type.STRING, ConfigDef.Importance.HIGH, "Where to connect");
  }
}
