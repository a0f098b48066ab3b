// SPDX-License-Identifier: Apache-2.0
package dev.rabbitbridge.source;

import static org.assertj.core.api.Assertions.assertThat;

import com.rabbitmq.client.AMQP.BasicProperties;
import com.rabbitmq.client.Envelope;
import com.rabbitmq.client.impl.LongStringHelper;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.kafka.connect.data.Struct;
import org.apache.kafka.connect.source.SourceRecord;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class RecordMapperTest {
  private static final BasicProperties EMPTY =
      new BasicProperties.Builder()
          .messageId("")
          .correlationId("")
          .headers(Map.of("h", LongStringHelper.asLongString("")))
          .build();
  private static final BasicProperties TOMBSTONE =
      new BasicProperties.Builder().headers(Map.of("kafka.tombstone", true)).build();

  @ParameterizedTest
  @ValueSource(strings = {"message-id", "correlation-id", "routing-key", "header:h"})
  void anEmptyKeyIsNone(String key) { // F07
    assertThat(record(Map.of("rabbitmq.record.key", key), EMPTY, "x").key()).isNull();
  }

  @Test
  void messagesWithAnEmptyIdAreNotOneMessage() {
    RedeliveryCounts counts = new RedeliveryCounts(10);
    for (String body : List.of("a", "b", "c")) {
      assertThat(counts.of(delivery(EMPTY, body, true))).isEqualTo(1);
    }
    Delivery delivery = delivery(EMPTY, "a", true);
    delivery.identify();
    assertThat(delivery.identity()).isNull();
  }

  @ParameterizedTest
  @ValueSource(strings = {"bytes", "string", "json", "auto"})
  void aTombstoneOfTheSinkIsOneAgain(String format) { // F63
    Map<String, String> config = Map.of("rabbitmq.value.format", format);

    assertThat(record(config, TOMBSTONE, "").value()).isNull();
    assertThat(record(config, TOMBSTONE, "1").value()).isNotNull();
  }

  @Test
  void anEmptyBodyIsNoTombstone() { // F63
    assertThat(record(Map.of(), new BasicProperties(), "").value()).isEqualTo(new byte[0]);
  }

  @Test
  void anEnvelopeKeepsTheTombstonesHeader() {
    Object value = record(Map.of("rabbitmq.value.format", "envelope"), TOMBSTONE, "").value();

    assertThat(((Struct) value).getMap("headers")).isEqualTo(Map.of("kafka.tombstone", "true"));
  }

  private static SourceRecord record(
      Map<String, String> more, BasicProperties properties, String body) {
    Map<String, String> props = new HashMap<>(more);
    props.put("rabbitmq.queue", "q");
    props.put("kafka.topic", "t");
    return new RecordMapper(new RabbitMQSourceConfig(props), System::currentTimeMillis)
        .map(
            delivery(properties, body, false),
            new SourceOffsets.Place(Map.of("queue", "q"), SourceOffsets.sequence(1)));
  }

  private static int epochs;

  private static Delivery delivery(BasicProperties properties, String body, boolean redelivered) {
    Acknowledger acknowledger =
        new Acknowledger("q", 1, Duration.ZERO, new SourceMetrics("orders", "0"), System::nanoTime);
    return new Delivery(
        acknowledger,
        ++epochs,
        "consumer",
        new Envelope(1, redelivered, "", ""),
        properties,
        body.getBytes(StandardCharsets.UTF_8));
  }
}
