// SPDX-License-Identifier: Apache-2.0
package dev.rabbitbridge.source;

import static org.assertj.core.api.Assertions.assertThat;

import com.rabbitmq.client.AMQP.BasicProperties;
import com.rabbitmq.client.Envelope;
import java.time.Duration;
import java.util.Date;
import java.util.Map;
import java.util.stream.Stream;
import org.apache.kafka.connect.data.Field;
import org.apache.kafka.connect.data.Struct;
import org.junit.jupiter.api.Test;

class MessageEnvelopeTest {
  @Test
  void aMessageOfOnlyABodyHasNoPropertyThatLooksReal() { // F04
    Struct message = envelope(new BasicProperties());

    message.validate();
    Struct properties = message.getStruct("properties");
    assertThat(properties.schema().fields())
        .hasSize(13)
        .allSatisfy(field -> assertThat(properties.get(field)).as(field.name()).isNull());
    assertThat(message.getMap("headers")).isEmpty();
    assertThat(message.getBytes("body")).containsExactly(1, 2);
  }

  @Test
  void aMessageWithEveryPropertyKeepsEachOfThem() { // F04
    BasicProperties all =
        new BasicProperties(
            "text/plain",
            "utf-8",
            Map.of("n", 1),
            2,
            0,
            "c",
            "r",
            "1000",
            "m",
            new Date(1000),
            "t",
            "u",
            "a",
            "cluster");

    Struct message = envelope(all);

    message.validate();
    Struct properties = message.getStruct("properties");
    assertThat(properties.schema().fields())
        .allSatisfy(field -> assertThat(properties.get(field)).as(field.name()).isNotNull());
    assertThat(properties.getInt32("priority")).isZero();
    assertThat(message.getMap("headers")).isEqualTo(Map.of("n", "1"));
  }

  @Test
  void everyNameInTheSchemaIsOneThatAvroAndProtobufAllow() {
    assertThat(
            Stream.of(MessageEnvelope.MESSAGE, MessageEnvelope.PROPERTIES, MessageEnvelope.ENVELOPE)
                .flatMap(schema -> schema.fields().stream())
                .map(Field::name))
        .hasSize(23)
        .allMatch(name -> name.matches("[A-Za-z_][A-Za-z0-9_]*"));
  }

  private static Struct envelope(BasicProperties properties) {
    Acknowledger acknowledger =
        new Acknowledger("q", 1, Duration.ZERO, new SourceMetrics("orders", "0"), System::nanoTime);
    Delivery delivery =
        new Delivery(
            acknowledger,
            0,
            "consumer",
            new Envelope(1, false, "", "q"),
            properties,
            new byte[] {1, 2});
    return (Struct) MessageEnvelope.of(delivery).value();
  }
}
