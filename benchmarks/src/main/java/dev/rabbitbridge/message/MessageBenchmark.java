// SPDX-License-Identifier: Apache-2.0
package dev.rabbitbridge.message;

import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.connect.header.ConnectHeaders;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;

/** Templates and headers, once for every message. */
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 5, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(2)
@State(Scope.Thread)
public class MessageBenchmark {
  private final Template messageId =
      Template.parse(
          "key", "${topic}-${partition}-${offset}", Set.of("topic", "partition", "offset"));
  private final Template literal = Template.parse("key", "orders", Set.of());
  private final ConnectHeaders headers = headers();
  private final Map<String, Object> received = received();
  private long offset;

  private static ConnectHeaders headers() {
    ConnectHeaders headers = new ConnectHeaders();
    headers.addString("region", "eu");
    headers.addString("trace", "0af7651916cd43dd8448eb211c80319c");
    headers.addLong("version", 17);
    headers.addInt("attempt", 1);
    headers.addBoolean("priority", true);
    return headers;
  }

  private static Map<String, Object> received() {
    Map<String, Object> received = new HashMap<>();
    AmqpHeaders.addTo(received, headers());
    return received;
  }

  private String find(String name, String argument) {
    return switch (name) {
      case "topic" -> "orders";
      case "partition" -> "3";
      default -> Long.toString(1_000_000 + offset++ % 1_000_000);
    };
  }

  /** The default message-id. */
  @Benchmark
  public String templateOfThree() {
    return messageId.render(this::find);
  }

  /** A fixed exchange or routing key. */
  @Benchmark
  public String templateWithoutReference() {
    return literal.render(this::find);
  }

  /** Five headers on the way to RabbitMQ. */
  @Benchmark
  public Map<String, Object> headersToAmqp() {
    Map<String, Object> table = new LinkedHashMap<>();
    AmqpHeaders.addTo(table, headers);
    return table;
  }

  /** Five headers on the way to Kafka. */
  @Benchmark
  public ConnectHeaders headersToConnect() {
    ConnectHeaders mapped = new ConnectHeaders();
    ReceivedProperties.addOwnHeaders(mapped, received, "");
    return mapped;
  }
}
