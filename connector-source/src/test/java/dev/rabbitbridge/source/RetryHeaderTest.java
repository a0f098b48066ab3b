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
                    "own",
                    1,
                    "CC",
                    List.of("other"),
                    "x-delivery-count",
                    3L,
                    "x-death",
                    List.of(Map.of("queue", "before"))))
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
    Map<String, Object> headers = new HashMap<>(original.getHeaders());
    // It counted deliveries of the message that was acked for this one.
    headers.remove("x-delivery-count");
    assertThat(second.properties()).isEqualTo(original.builder().headers(headers).build());
    assertThat(second.headers()).isEqualTo(headers);

    Delivery third =
        deliver(new Envelope(3, false, "", "q"), afterTheDelayQueue(RetryHeader.wrap(second)));
    assertThat(third.retries()).isEqualTo(2);
    assertThat(third.exchange()).isEqualTo("ex");
    assertThat(third.headers()).isEqualTo(headers);
  }

  @Test
  void aMessageDeadLetteredToAnotherQueueAfterItsRetriesShowsThatHistoryThere() { // F70
    Delivery first =
        deliver(new Envelope(1, false, "ex", "key"), new BasicProperties.Builder().build());
    BasicProperties dead = afterTheDelayQueue(RetryHeader.wrap(first));
    Acknowledger ofDeadLetters =
        new Acknowledger(
            "dead", 1, Duration.ZERO, new SourceMetrics("orders", "0"), System::nanoTime);
    Envelope envelope = new Envelope(1, false, "dlx", "q");

    Delivery there = new Delivery(ofDeadLetters, 0, "consumer", envelope, dead, new byte[0]);

    assertThat(there.retries()).isZero();
    assertThat(there.envelope()).isSameAs(envelope);
    assertThat(there.headers()).containsKeys("x-death", "x-first-death-queue");
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
