// SPDX-License-Identifier: Apache-2.0
package dev.rabbitbridge.source;

import com.rabbitmq.client.AMQP.BasicProperties;
import com.rabbitmq.client.Envelope;
import com.rabbitmq.client.MessageProperties;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.connect.header.Header;
import org.apache.kafka.connect.source.SourceRecord;
import org.apache.kafka.connect.storage.SimpleHeaderConverter;
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

/** The mapper and the acknowledger, once for every message. */
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 5, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(2)
@State(Scope.Thread)
public class SourceBenchmark {
  private static final int WINDOW = 1000;
  private static final int ACK_BATCH = 100;
  private static final byte[] BODY = new byte[1000];
  private static final BasicProperties PLAIN = MessageProperties.MINIMAL_PERSISTENT_BASIC;

  private final SourceMetrics metrics = new SourceMetrics("orders", "0");
  private final Acknowledger acknowledger =
      new Acknowledger("orders", ACK_BATCH, Duration.ofSeconds(1), metrics, System::nanoTime);
  private final int epoch = acknowledger.beginEpoch();
  private final Delivery[] deliveries = new Delivery[WINDOW];
  private final RecordMapper mapper =
      new RecordMapper(new RabbitMQSourceConfig(config()), System::currentTimeMillis);
  private final SimpleHeaderConverter converter = new SimpleHeaderConverter();
  private final Map<String, String> partition = SourceOffsets.partition("orders", null);
  private final Delivery one =
      new Delivery(acknowledger, epoch, "amq.ctag-Kx0T", envelope(123_456), PLAIN, BODY);
  private long tag;
  private long sequence;

  private static Map<String, String> config() {
    Map<String, String> props = new HashMap<>();
    props.put(RabbitMQSourceConfig.QUEUE_CONFIG, "orders");
    props.put(RabbitMQSourceConfig.TOPIC_CONFIG, "orders");
    return props;
  }

  private static Envelope envelope(long tag) {
    return new Envelope(tag, false, "", "orders");
  }

  /** A record of a message without headers, all settings at their defaults. */
  @Benchmark
  public SourceRecord map() {
    return mapper.map(one, place());
  }

  /** The same, with what the framework then does with the headers. */
  @Benchmark
  public int mapAndConvertHeaders() {
    SourceRecord record = mapper.map(one, place());
    int length = 0;
    for (Header header : record.headers()) {
      length +=
          converter.fromConnectHeader("orders", header.key(), header.schema(), header.value())
              .length;
    }
    return length;
  }

  private SourceOffsets.Place place() {
    return new SourceOffsets.Place(partition, SourceOffsets.sequence(++sequence));
  }

  /** Takes in a window of messages, hands them out, and acks them a hundred at a time. */
  @Benchmark
  @OperationsPerInvocation(WINDOW)
  public int acknowledge() {
    for (int i = 0; i < WINDOW; i++) {
      deliveries[i] = acknowledger.delivered(epoch, "amq.ctag-Kx0T", envelope(++tag), PLAIN, BODY);
    }
    int words = 0;
    for (Delivery delivery : deliveries) {
      acknowledger.handOut(delivery, 1);
    }
    for (Delivery delivery : deliveries) {
      if (acknowledger.ack(delivery) && acknowledger.untilDue() == 0) {
        words += acknowledger.take(epoch).size();
      }
    }
    return words;
  }
}
