// SPDX-License-Identifier: Apache-2.0
package dev.rabbitbridge.sink;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Future;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.connect.sink.ErrantRecordReporter;
import org.apache.kafka.connect.sink.SinkRecord;
import org.apache.kafka.connect.sink.SinkTaskContext;
import org.jspecify.annotations.Nullable;

/** The framework's side of a sink task, recording what the task asks of it. */
final class FakeContext implements SinkTaskContext {
  final Set<TopicPartition> assignment = new HashSet<>(Set.of(Records.ORDERS));
  final Set<TopicPartition> paused = new HashSet<>();
  final @Nullable FakeReporter reporter;
  long timeout = -1;
  int commitRequests;

  FakeContext(boolean withReporter) {
    reporter = withReporter ? new FakeReporter() : null;
  }

  @Override
  public Map<String, String> configs() {
    return Map.of();
  }

  @Override
  public void offset(Map<TopicPartition, Long> offsets) {
    throw new AssertionError("a sink that seeks");
  }

  @Override
  public void offset(TopicPartition tp, long offset) {
    throw new AssertionError("a sink that seeks");
  }

  @Override
  public void timeout(long timeoutMs) {
    timeout = timeoutMs;
  }

  @Override
  public Set<TopicPartition> assignment() {
    return assignment;
  }

  @Override
  public void pause(TopicPartition... partitions) {
    paused.addAll(List.of(partitions));
  }

  @Override
  public void resume(TopicPartition... partitions) {
    List.of(partitions).forEach(paused::remove);
  }

  @Override
  public void requestCommit() {
    commitRequests++;
  }

  @Override
  public @Nullable ErrantRecordReporter errantRecordReporter() {
    return reporter;
  }

  static final class FakeReporter implements ErrantRecordReporter {
    final List<SinkRecord> reported = new ArrayList<>();
    final List<Throwable> errors = new ArrayList<>();
    final List<Thread> threads = new ArrayList<>();
    boolean completesAtOnce = true;
    final List<CompletableFuture<Void>> futures = new ArrayList<>();

    @Override
    public Future<Void> report(SinkRecord record, Throwable error) {
      reported.add(record);
      errors.add(error);
      threads.add(Thread.currentThread());
      CompletableFuture<Void> future = new CompletableFuture<>();
      if (completesAtOnce) {
        future.complete(null);
      }
      futures.add(future);
      return future;
    }
  }
}
