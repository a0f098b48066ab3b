// SPDX-License-Identifier: Apache-2.0
package dev.rabbitbridge.source;

import dev.rabbitbridge.config.PluginVersion;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.kafka.common.config.Config;
import org.apache.kafka.common.config.ConfigDef;
import org.apache.kafka.common.config.ConfigException;
import org.apache.kafka.connect.connector.Task;
import org.apache.kafka.connect.source.ExactlyOnceSupport;
import org.apache.kafka.connect.source.SourceConnector;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Copies messages from RabbitMQ to Kafka. A delivery is acked only after Kafka has committed the
 * record made from it: nothing is lost, and duplicates come only after a fault.
 *
 * <p>Called by the framework; connects to nothing itself.
 */
public final class RabbitMQSourceConnector extends SourceConnector {
  private static final Logger LOG = LoggerFactory.getLogger(RabbitMQSourceConnector.class);

  private Map<String, String> props = Map.of();

  /** Creates a connector that is not started yet; for the framework. */
  public RabbitMQSourceConnector() {}

  @Override
  public String version() {
    return PluginVersion.get();
  }

  @Override
  public ConfigDef config() {
    return RabbitMQSourceConfig.KEYS.definition();
  }

  @Override
  public Config validate(Map<String, String> given) {
    return new Config(
        RabbitMQSourceConfig.KEYS.validate(given, values -> Rules.check(given, values)));
  }

  @Override
  public void start(Map<String, String> given) {
    props = new HashMap<>(given);
    RabbitMQSourceConfig.KEYS.warnings(props).forEach(LOG::warn);
  }

  @Override
  public Class<? extends Task> taskClass() {
    return RabbitMQSourceTask.class;
  }

  @Override
  public List<Map<String, String>> taskConfigs(int maxTasks) {
    RabbitMQSourceConfig config = new RabbitMQSourceConfig(props);
    List<String> queues = config.queues();
    boolean shared = config.consumerMode() == ConsumerMode.SHARED;
    String problem =
        QueueAssignment.problem(queues.size(), maxTasks, config.maxQueuesPerTask(), shared);
    if (problem != null) {
      throw new ConfigException(RabbitMQSourceConfig.MAX_QUEUES_CONFIG, null, problem);
    }
    List<Map<String, String>> tasks = new ArrayList<>();
    for (List<String> some : QueueAssignment.assign(queues, maxTasks, config.consumerMode())) {
      Map<String, String> task = new HashMap<>(props);
      task.put(RabbitMQSourceConfig.QUEUE_CONFIG, String.join(",", some));
      task.put(RabbitMQSourceConfig.TASK_ID, Integer.toString(tasks.size()));
      tasks.add(task);
    }
    return tasks;
  }

  @Override
  public ExactlyOnceSupport exactlyOnceSupport(Map<String, String> given) {
    return Rules.isExactlyOnce(given)
        ? ExactlyOnceSupport.SUPPORTED
        : ExactlyOnceSupport.UNSUPPORTED;
  }

  /**
   * Takes offsets that a person sets or resets: any for streams, only a reset for other queues,
   * whose position lives in RabbitMQ.
   */
  @Override
  public boolean alterOffsets(
      Map<String, String> given, Map<Map<String, ?>, Map<String, ?>> offsets) {
    RabbitMQSourceConfig config = new RabbitMQSourceConfig(given);
    SourceOffsets.check(config.queueType() == QueueType.STREAM, config.clusterId(), offsets);
    return true;
  }

  @Override
  public void stop() {
    props = Map.of();
  }
}
