// SPDX-License-Identifier: Apache-2.0
package dev.rabbitbridge.harness;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.rabbitmq.client.LongString;
import dev.rabbitbridge.harness.rabbitmq.Message;
import dev.rabbitbridge.harness.rabbitmq.QueueKind;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** What tracing puts into headers, from Kafka through RabbitMQ and back. */
class TraceHeadersIT {
  private static final Map<String, String> TRACE_CONTEXT =
      Map.of(
          "traceparent", "00-00000000000000000000000000000001-0000000000000001-01",
          "tracestate", "rojo=00f067aa0ba902b7,congo={t61}:\"1\"",
          "baggage", "userId=alice,server=DF%2028");

  @RegisterExtension final Scenario scenario = new Scenario();

  @Test
  void traceContextIsTextBothWaysWithTheDefaultConverter() {
    assertSurvive(TRACE_CONTEXT, Map.of());
  }

  @Test
  void headersThatLookLikeNumbersAreTextBothWaysWithTheStringConverter() {
    Map<String, String> headers = new LinkedHashMap<>(TRACE_CONTEXT);
    headers.put("x-b3-sampled", "1");
    headers.put("x-b3-traceid", "00000000000000001234567890123456");

    assertSurvive(
        headers, Map.of("header.converter", "org.apache.kafka.connect.storage.StringConverter"));
  }

  private void assertSurvive(Map<String, String> headers, Map<String, String> sinkSettings) {
    String from = scenario.topic(1);
    String to = scenario.topic(1);
    String exchange = scenario.exchange("fanout");
    String seen = scenario.queue(QueueKind.QUORUM);
    String passed = scenario.queue(QueueKind.QUORUM);
    scenario.rabbitMQ().management().bind(exchange, seen, "");
    scenario.rabbitMQ().management().bind(exchange, passed, "");
    Map<String, String> sink = scenario.sink(from, "");
    sink.put("rabbitmq.exchange", exchange);
    sink.putAll(sinkSettings);
    scenario.running(sink);
    scenario.running(scenario.source(passed, to));
    ProducerRecord<byte[], byte[]> record =
        new ProducerRecord<>(from, null, "order".getBytes(UTF_8));
    headers.forEach((name, value) -> record.headers().add(name, value.getBytes(UTF_8)));

    scenario.kafka().client().produce(List.of(record));

    await()
        .atMost(Duration.ofMinutes(2))
        .untilAsserted(() -> assertThat(scenario.kafka().client().read(to)).hasSize(1));
    Message message = scenario.amqp().get(seen).orElseThrow();
    ConsumerRecord<byte[], byte[]> back = scenario.kafka().client().read(to).get(0);
    headers.forEach(
        (name, value) -> {
          assertThat(message.properties().getHeaders().get(name))
              .as(name)
              .isInstanceOf(LongString.class)
              .hasToString(value);
          assertThat(back.headers().headers(name))
              .extracting(header -> new String(header.value(), UTF_8))
              .as(name)
              .containsExactly(value);
        });
  }
}
