// SPDX-License-Identifier: Apache-2.0
package dev.rabbitbridge.source;

import static dev.rabbitbridge.source.SettledWindow.Verdict.ACK;
import static dev.rabbitbridge.source.SettledWindow.Verdict.PRODUCE;
import static dev.rabbitbridge.source.SettledWindow.Verdict.WAIT;
import static org.assertj.core.api.Assertions.assertThat;

import com.rabbitmq.client.AMQP.BasicProperties;
import com.rabbitmq.client.Envelope;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class SettledWindowTest {
  private final Acknowledger acknowledger =
      new Acknowledger("q", 1, Duration.ZERO, new SourceMetrics("orders", "0"), System::nanoTime);
  private final int epoch = acknowledger.beginEpoch();
  private SettledWindow window = new SettledWindow(100, null);
  private long tag;

  @Test
  void aRedeliveryOfWhatKafkaHasIsAcked() {
    produce(delivery("1", "a", false));
    assertThat(window.admit(delivery("1", "a", true))).isEqualTo(ACK);
  }

  @Test
  void aMessageDeliveredForTheFirstTimeIsNeverLookedUp() {
    produce(delivery("1", "a", false));
    assertThat(window.admit(delivery("1", "a", false))).isEqualTo(PRODUCE);
  }

  @Test
  void anotherMessageWithTheSameIdIsProduced() {
    produce(delivery("1", "a", false));
    assertThat(window.admit(delivery("1", "b", true))).isEqualTo(PRODUCE);
  }

  @Test
  void aMessageWithoutAnIdIsNeverSuppressed() {
    produce(delivery(null, "a", false));
    assertThat(window.admit(delivery(null, "a", true))).isEqualTo(PRODUCE);
  }

  @Test
  void aRedeliveryOfWhatIsOnItsWayIsSettledWithIt() {
    Delivery first = delivery("1", "a", false);
    window.offsetWith(first);
    window.handedOut(first);
    Delivery second = delivery("1", "a", true);

    assertThat(window.admit(second)).isEqualTo(WAIT);
    assertThat(window.settled(first)).containsExactly(second);
    assertThat(window.settled(first)).isEmpty();
    assertThat(window.admit(delivery("1", "a", true))).isEqualTo(ACK);
  }

  @Test
  void whatCouldNotBecomeARecordIsNotTakenForSettled() {
    Delivery bad = delivery("1", "a", false);
    window.offsetWith(bad);
    Map<String, Object> offset = produce(delivery("2", "b", false));
    window = new SettledWindow(100, offset);

    assertThat(window.admit(delivery("1", "a", true))).isEqualTo(PRODUCE);
    assertThat(window.admit(delivery("2", "b", true))).isEqualTo(ACK);
  }

  @Test
  void anOffsetKnowsItsOwnMessageAndThoseBeforeButNoneAfter() {
    produce(delivery("1", "a", false));
    Map<String, Object> offset = produce(delivery("2", "b", false));
    produce(delivery("3", "c", false));
    window = new SettledWindow(100, offset);

    assertThat(window.admit(delivery("1", "a", true))).isEqualTo(ACK);
    assertThat(window.admit(delivery("2", "b", true))).isEqualTo(ACK);
    assertThat(window.admit(delivery("3", "c", true))).isEqualTo(PRODUCE);
  }

  @Test
  void itRemembersAsManyAsItsSizeAcrossRestarts() {
    for (int i = 0; i < 1000; i++) {
      Map<String, Object> offset = produce(delivery("id" + i, "x", false));
      if (i % 137 == 0) {
        window = new SettledWindow(100, offset);
      }
    }
    for (int i = 0; i < 900; i++) {
      assertThat(window.admit(delivery("id" + i, "x", true))).isEqualTo(PRODUCE);
    }
    for (int i = 900; i < 1000; i++) {
      assertThat(window.admit(delivery("id" + i, "x", true))).isEqualTo(ACK);
    }
  }

  @Test
  void itsOffsetIsTwoPlainValuesOfBoundedLength() {
    Map<String, Object> offset = Map.of();
    for (int i = 0; i < 1000; i++) {
      offset = produce(delivery("id" + i, "x", false));
    }
    assertThat(offset).containsOnlyKeys(SourceOffsets.SEQUENCE, SourceOffsets.SETTLED);
    assertThat(offset.get(SourceOffsets.SEQUENCE)).isEqualTo(1000L);
    assertThat(Base64.getDecoder().decode((String) offset.get(SourceOffsets.SETTLED)))
        .hasSize(100 * Identity.BYTES);
  }

  @Test
  void aRedeliveryIsRememberedAfresh() {
    produce(delivery("old", "x", false));
    for (int i = 0; i < 99; i++) {
      produce(delivery("id" + i, "x", false));
    }
    assertThat(window.admit(delivery("old", "x", true))).isEqualTo(ACK);
    for (int i = 0; i < 99; i++) {
      produce(delivery("more" + i, "x", false));
    }
    assertThat(window.admit(delivery("old", "x", true))).isEqualTo(ACK);
  }

  @Test
  void redeliveriesOfOneMessagePushNoOtherOut() {
    Map<String, Object> offset = Map.of();
    for (int i = 0; i < 100; i++) {
      offset = produce(delivery("id" + i, "x", false));
    }
    for (int i = 0; i < 1000; i++) {
      assertThat(window.admit(delivery("id0", "x", true))).isEqualTo(ACK);
    }
    assertThat(window.admit(delivery("id1", "x", true))).isEqualTo(ACK);
    window = new SettledWindow(100, offset);
    assertThat(window.admit(delivery("id1", "x", true))).isEqualTo(ACK);
  }

  @Test
  void twoEqualMessagesOnTheirWayAreTwo() {
    Delivery first = delivery("1", "a", false);
    Delivery second = delivery("1", "a", false);
    window.offsetWith(first);
    window.handedOut(first);
    window.offsetWith(second);
    window.handedOut(second);
    assertThat(window.settled(first)).isEmpty();
    Delivery again = delivery("1", "a", true);
    assertThat(window.admit(again)).isEqualTo(WAIT);
    assertThat(window.settled(second)).containsExactly(again);
  }

  private Map<String, Object> produce(Delivery delivery) {
    Map<String, Object> offset = window.offsetWith(delivery);
    window.handedOut(delivery);
    assertThat(window.settled(delivery)).isEqualTo(List.of());
    return offset;
  }

  private Delivery delivery(@Nullable String id, String body, boolean redelivered) {
    Delivery delivery =
        acknowledger.delivered(
            epoch,
            "consumer",
            new Envelope(++tag, redelivered, "", "q"),
            new BasicProperties.Builder().messageId(id).build(),
            body.getBytes(StandardCharsets.UTF_8));
    delivery.identify();
    return delivery;
  }
}
