// SPDX-License-Identifier: Apache-2.0
package dev.rabbitbridge.sink;

import dev.rabbitbridge.config.PluginVersion;
import dev.rabbitbridge.failure.Fault;
import java.util.Collection;
import java.util.Map;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.config.ConfigException;
import org.apache.kafka.connect.sink.SinkRecord;
import org.apache.kafka.connect.sink.SinkTask;
import org.jspecify.annotations.Nullable;

/**
 * What the framework holds of a sink task: its lifecycle. Everything else is in {@link
 * StartedSink}.
 */
public final class RabbitMQSinkTask extends SinkTask {
  private @Nullable StartedSink sink;

  /** Creates a task that has not been started; for the framework. */
  public RabbitMQSinkTask() {}

  @Override
  public String version() {
    return PluginVersion.get();
  }

  @Override
  public void start(Map<String, String> props) {
    try {
      sink = StartedSink.start(context, new RabbitMQSinkConfig(props), props);
    } catch (ConfigException e) {
      throw Fault.SETTING.exception(e.getMessage(), e);
    }
  }

  @Override
  public void open(Collection<TopicPartition> partitions) {
    started().open(partitions);
  }

  @Override
  public void put(Collection<SinkRecord> records) {
    started().put(records);
  }

  @Override
  public Map<TopicPartition, OffsetAndMetadata> preCommit(
      Map<TopicPartition, OffsetAndMetadata> currentOffsets) {
    return started().preCommit(currentOffsets);
  }

  @Override
  public void close(Collection<TopicPartition> partitions) {
    if (sink != null) {
      sink.close(partitions);
    }
  }

  @Override
  public void stop() {
    if (sink != null) {
      sink.stop();
    }
  }

  private StartedSink started() {
    if (sink == null) {
      throw new IllegalStateException("the task has not been started");
    }
    return sink;
  }
}
