// SPDX-License-Identifier: Apache-2.0
package dev.rabbitbridge.source;

import static org.assertj.core.api.Assertions.assertThat;

import com.rabbitmq.client.AMQP.BasicProperties;
import com.rabbitmq.client.Envelope;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class RetryHeaderTest {
  private final Acknowledger acknowledger =
      new Acknowledger("q", 1, Duration.ZERO, new SourceMetrics("orders", "0"), System::nanoTime);

  @Test
  void aMessageComesBackFromItsDetourAsItWas() { // F70
    BasicProperties original =
        new BasicProperties.Builder()
            .messageId("m")
            .userId("alice")
            .expiration("1000")
            .headers(
                Map.of(
                    "own", 1,
                    "CC", List.of("other"),
                    "x-death", List.of(Map.of("queue", "before"))))
            .build();
    Delivery first = deliver(new Envelope(1, false, "ex", "key"), original);

    BasicProperties sent = RetryHeader.wrap(first);

    assertThat(sent.getUserId()).isNull();
    assertThat(sent.getExpiration()).isNull();
    assertThat(sent.getHeaders()).containsOnlyKeys("own", "rabbitbridge-retry");

    Delivery second = deliver(new Envelope(2, false, "", "q"), afterTheDelayQueue(sent));
    assertThat(second.retries()).isEqualTo(1);
    assertThat(second.exchange()).isEqualTo("ex");
    assertThat(second.routingKey()).isEqualTo("key");
    assertThat(second.properties()).isEqualTo(original);
    assertThat(second.headers()).isEqualTo(original.getHeaders());

    Delivery third =
        deliver(new Envelope(3, false, "", "q"), afterTheDelayQueue(RetryHeader.wrap(second)));
    assertThat(third.retries()).isEqualTo(2);
    assertThat(third.exchange()).isEqualTo("ex");
    assertThat(third.headers()).isEqualTo(original.getHeaders());
  }

  @Test
  void aMessageThatTookNoDetourIsLeftAlone() {
    BasicProperties properties = new BasicProperties();
    Envelope envelope = new Envelope(1, true, "ex", "key");

    Delivery delivery = deliver(envelope, properties);

    assertThat(delivery.retries()).isZero();
    assertThat(delivery.envelope()).isSameAs(envelope);
    assertThat(delivery.properties()).isSameAs(properties);
  }

  private static BasicProperties afterTheDelayQueue(BasicProperties sent) {
    Map<String, Object> headers = new HashMap<>(sent.getHeaders());
    headers.put("x-death", List.of(Map.of("queue", "q.retry.5000")));
    headers.put("x-first-death-queue", "q.retry.5000");
    headers.put("x-last-death-reason", "expired");
    return sent.builder().headers(headers).build();
  }

  private Delivery deliver(Envelope envelope, BasicProperties properties) {
    return new Delivery(acknowledger, 0, "consumer", envelope, properties, new byte[0]);
  }
}
