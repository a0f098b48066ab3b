// SPDX-License-Identifier: Apache-2.0
package dev.rabbitbridge.source;

import dev.rabbitbridge.config.PluginVersion;
import dev.rabbitbridge.failure.Fault;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.config.ConfigException;
import org.apache.kafka.connect.source.SourceRecord;
import org.apache.kafka.connect.source.SourceTask;
import org.jspecify.annotations.Nullable;

/**
 * One task of the source connector: what the framework calls. All state is in the session that
 * {@link #start} builds.
 */
public final class RabbitMQSourceTask extends SourceTask {
  private volatile @Nullable SourceSession session;

  /** Creates a task that is not started yet; for the framework. */
  public RabbitMQSourceTask() {}

  @Override
  public String version() {
    return PluginVersion.get();
  }

  @Override
  public void start(Map<String, String> props) {
    try {
      SourceSession started = new SourceSession(new RabbitMQSourceConfig(props), this::stored);
      session = started;
      started.publishMetrics(context);
    } catch (ConfigException e) {
      throw Fault.SETTING.exception(e.getMessage(), e);
    }
  }

  private Collection<Map<String, Object>> stored(List<Map<String, String>> partitions) {
    return context.offsetStorageReader().offsets(partitions).values().stream()
        .filter(Objects::nonNull)
        .toList();
  }

  @Override
  public @Nullable List<SourceRecord> poll() throws InterruptedException {
    SourceSession started = session;
    return started == null ? null : started.poll();
  }

  @Override
  public void commitRecord(SourceRecord record, @Nullable RecordMetadata metadata) {
    SourceSession started = session;
    if (started != null) {
      started.recordCommitted(record, metadata != null);
    }
  }

  @Override
  public void commit() {
    SourceSession started = session;
    if (started != null) {
      started.committed();
    }
  }

  @Override
  public void stop() {
    SourceSession started = session;
    if (started != null) {
      started.close();
    }
  }
}
