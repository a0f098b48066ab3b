// SPDX-License-Identifier: Apache-2.0
package dev.rabbitbridge.source;

import static org.assertj.core.api.Assertions.assertThat;

import com.rabbitmq.client.AMQP.BasicProperties;
import com.rabbitmq.client.Envelope;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class RedeliveryCountsTest {
  private final Acknowledger acknowledger =
      new Acknowledger(
          "q", 100, Duration.ofMillis(50), new SourceMetrics("orders", "0"), System::nanoTime);
  private final RedeliveryCounts counts = new RedeliveryCounts(3);

  @Test
  void aMessageThatComesForTheFirstTimeIsNotCounted() {
    assertThat(counts.of(delivery(1, false, "m", "x"))).isZero();
    assertThat(counts.of(delivery(3, true, "m", "x"))).isEqualTo(1);
  }

  @Test
  void eachChannelThatAMessageComesBackOnIsCounted() {
    for (int times = 1; times <= 5; times++) {
      assertThat(counts.of(delivery(2 * times, true, "m", "x"))).isEqualTo(times);
    }
  }

  @Test
  void equalMessagesThatComeBackTogetherAreNotMistakenForOneThatCameBackOften() {
    for (int i = 0; i < 500; i++) {
      assertThat(counts.of(delivery(2, true, null, "equal"))).isEqualTo(1);
    }
    assertThat(counts.of(delivery(4, true, null, "equal"))).isEqualTo(2);
  }

  @Test
  void whatKafkaHasIsNotHeldAgainstTheNextMessageThatIsEqual() {
    counts.of(delivery(2, true, null, "equal"));
    counts.of(delivery(4, true, null, "equal"));

    counts.forget(delivery(4, true, null, "equal"));

    assertThat(counts.of(delivery(6, true, null, "equal"))).isEqualTo(1);
  }

  @Test
  void onlyTheMessagesThatCameBackLastAreKnown() {
    for (String id : new String[] {"a", "b", "c", "d"}) {
      counts.of(delivery(2, true, id, "x"));
    }

    assertThat(counts.of(delivery(4, true, "d", "x"))).isEqualTo(2);
    assertThat(counts.of(delivery(4, true, "a", "x"))).isEqualTo(1);
  }

  private Delivery delivery(int epoch, boolean again, @Nullable String id, String body) {
    return new Delivery(
        acknowledger,
        epoch,
        "tag",
        new Envelope(1, again, "", "q"),
        new BasicProperties.Builder().messageId(id).build(),
        body.getBytes(java.nio.charset.StandardCharsets.UTF_8));
  }
}
