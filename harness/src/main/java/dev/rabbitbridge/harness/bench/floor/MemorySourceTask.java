// SPDX-License-Identifier: Apache-2.0
package dev.rabbitbridge.harness.bench.floor;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.common.config.AbstractConfig;
import org.apache.kafka.connect.data.Schema;
import org.apache.kafka.connect.source.SourceRecord;
import org.apache.kafka.connect.source.SourceTask;
import org.jspecify.annotations.Nullable;

/** Makes so many records and no more. */
public final class MemorySourceTask extends SourceTask {
  private static final Map<String, String> PARTITION = Map.of("memory", "0");
  private static final long IDLE_MILLIS = 100;

  private final CountDownLatch stopped = new CountDownLatch(1);
  private String topic = "";
  private byte[] value = {};
  private long records;
  private int batch;
  private long made;

  /** Creates a task; for the framework. */
  public MemorySourceTask() {}

  @Override
  public String version() {
    return "bench";
  }

  @Override
  public void start(Map<String, String> props) {
    AbstractConfig config = new AbstractConfig(MemorySourceConnector.CONFIG, props, false);
    topic = config.getString(MemorySourceConnector.TOPIC);
    records = config.getLong(MemorySourceConnector.RECORDS);
    value = new byte[config.getInt(MemorySourceConnector.SIZE)];
    batch = config.getInt(MemorySourceConnector.BATCH);
  }

  @Override
  public @Nullable List<SourceRecord> poll() throws InterruptedException {
    int count = (int) Math.min(batch, records - made);
    if (count == 0) {
      boolean unused = stopped.await(IDLE_MILLIS, TimeUnit.MILLISECONDS);
      return null;
    }
    List<SourceRecord> next = new ArrayList<>(count);
    for (int i = 0; i < count; i++) {
      next.add(
          new SourceRecord(
              PARTITION, Map.of("made", ++made), topic, Schema.OPTIONAL_BYTES_SCHEMA, value));
    }
    return next;
  }

  @Override
  public void stop() {
    stopped.countDown();
  }
}
