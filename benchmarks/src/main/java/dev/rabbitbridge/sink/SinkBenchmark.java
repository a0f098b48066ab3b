// SPDX-License-Identifier: Apache-2.0
package dev.rabbitbridge.sink;

import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.common.record.TimestampType;
import org.apache.kafka.connect.data.Schema;
import org.apache.kafka.connect.data.SchemaBuilder;
import org.apache.kafka.connect.data.Struct;
import org.apache.kafka.connect.header.ConnectHeaders;
import org.apache.kafka.connect.sink.SinkRecord;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;

/** The ledger and the encoder, once for every record. */
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 5, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(2)
@State(Scope.Thread)
public class SinkBenchmark {
  private static final int WINDOW = 4096;
  private static final int PARTITIONS = 16;
  private static final byte[] BODY = new byte[1000];
  private static final Schema ORDER =
      SchemaBuilder.struct()
          .field("id", Schema.INT64_SCHEMA)
          .field("region", Schema.STRING_SCHEMA)
          .field("price", Schema.FLOAT64_SCHEMA)
          .build();

  private final RecordEncoder encoder = new RecordEncoder(config(Map.of()));
  private final SinkRecord bytes = record(0, 123_456, BODY);
  private final SinkRecord withHeaders = withHeaders();
  private final SinkRecord struct =
      new SinkRecord(
          "orders",
          3,
          null,
          null,
          ORDER,
          new Struct(ORDER).put("id", 17L).put("region", "eu").put("price", 9.99),
          123_456,
          1_700_000_000_000L,
          TimestampType.CREATE_TIME);
  private final OffsetLedger ledger = new OffsetLedger();
  private final InFlight[] inFlight = new InFlight[WINDOW];
  private final SinkRecord[] records = new SinkRecord[WINDOW];
  private long offset;

  private static RabbitMQSinkConfig config(Map<String, String> more) {
    Map<String, String> props = new HashMap<>();
    props.put("topics", "orders");
    props.put(RabbitMQSinkConfig.EXCHANGE_CONFIG, "");
    props.put(RabbitMQSinkConfig.ROUTING_KEY_CONFIG, "orders");
    props.putAll(more);
    return new RabbitMQSinkConfig(props);
  }

  private static SinkRecord record(int partition, long offset, Object value) {
    return new SinkRecord(
        "orders",
        partition,
        null,
        null,
        null,
        value,
        offset,
        1_700_000_000_000L,
        TimestampType.CREATE_TIME);
  }

  private SinkRecord withHeaders() {
    ConnectHeaders headers = new ConnectHeaders();
    headers.addString("region", "eu");
    headers.addString("trace", "0af7651916cd43dd8448eb211c80319c");
    headers.addLong("version", 17);
    headers.addInt("attempt", 1);
    headers.addBoolean("priority", true);
    return new SinkRecord(
        "orders",
        3,
        null,
        null,
        null,
        BODY,
        123_456,
        1_700_000_000_000L,
        TimestampType.CREATE_TIME,
        headers);
  }

  /** Bytes, all settings at their defaults. */
  @Benchmark
  public Object encodeBytes() {
    return encoder.encode(bytes);
  }

  /** The same with five headers. */
  @Benchmark
  public Object encodeBytesAndHeaders() {
    return encoder.encode(withHeaders);
  }

  /** A struct of three fields, as JSON. */
  @Benchmark
  public Object encodeStruct() {
    return encoder.encode(struct);
  }

  /** Tracks and settles records of 16 partitions, a window at a time. */
  @Benchmark
  @OperationsPerInvocation(WINDOW)
  public long ledger() {
    for (int i = 0; i < WINDOW; i++) {
      records[i] = record(i % PARTITIONS, offset + i / PARTITIONS, BODY);
      inFlight[i] = ledger.track(records[i]);
    }
    offset += WINDOW / PARTITIONS;
    for (InFlight item : inFlight) {
      ledger.settle(item);
    }
    return ledger.pending();
  }
}
