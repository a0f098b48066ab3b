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
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class SettledWindowTest {
  private static final int SLOTS = 11;
  private static final int SLOT = 10;

  private final Acknowledger acknowledger =
      new Acknowledger("q", 1, Duration.ZERO, new SourceMetrics("orders", "0"), System::nanoTime);
  private final int epoch = acknowledger.beginEpoch();
  private final Map<Map<String, String>, Map<String, ?>> stored = new HashMap<>();
  private SettledWindow window = window();
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
    window.placeOf(first);
    window.handedOut(first);
    Delivery second = delivery("1", "a", true);

    assertThat(window.admit(second)).isEqualTo(WAIT);
    assertThat(window.settled(first)).containsExactly(second);
    assertThat(window.settled(first)).isEmpty();
    assertThat(window.admit(delivery("1", "a", true))).isEqualTo(ACK);
  }

  @Test
  void whatCouldNotBecomeARecordIsNotTakenForSettled() {
    window.placeOf(delivery("1", "a", false));
    produce(delivery("2", "b", false));
    window = window();

    assertThat(window.admit(delivery("1", "a", true))).isEqualTo(PRODUCE);
    assertThat(window.admit(delivery("2", "b", true))).isEqualTo(ACK);
  }

  @Test
  void anOffsetKnowsItsOwnMessageAndThoseBeforeButNoneAfter() {
    produce(delivery("1", "a", false));
    produce(delivery("2", "b", false));
    Delivery aborted = delivery("3", "c", false);
    window.placeOf(aborted);
    window.handedOut(aborted);
    window = window();

    assertThat(window.admit(delivery("1", "a", true))).isEqualTo(ACK);
    assertThat(window.admit(delivery("2", "b", true))).isEqualTo(ACK);
    assertThat(window.admit(delivery("3", "c", true))).isEqualTo(PRODUCE);
  }

  @Test
  void itRemembersAsManyAsItsSizeAcrossRestarts() {
    for (int i = 0; i < 1000; i++) {
      produce(delivery("id" + i, "x", false));
      if (i % 137 == 0) {
        window = window();
      }
    }
    window = window();
    for (int i = 900; i < 1000; i++) {
      assertThat(window.admit(delivery("id" + i, "x", true))).isEqualTo(ACK);
    }
    for (int i = 0; i < 1000 - SLOTS * SLOT; i++) {
      assertThat(window.admit(delivery("id" + i, "x", true))).isEqualTo(PRODUCE);
    }
  }

  @Test
  void anOffsetIsTwoPlainValuesOfBoundedLength() {
    for (int i = 0; i < 1000; i++) {
      produce(delivery("id" + i, "x", false));
    }
    assertThat(stored).hasSize(SLOTS);
    assertThat(stored.values())
        .allSatisfy(
            offset -> {
              assertThat(offset).containsOnlyKeys(SourceOffsets.SEQUENCE, SourceOffsets.SETTLED);
              assertThat(Base64.getDecoder().decode((String) offset.get(SourceOffsets.SETTLED)))
                  .hasSizeLessThanOrEqualTo(SLOT * Identity.BYTES);
            });
    assertThat(stored.keySet())
        .contains(Map.of(SourceOffsets.QUEUE, "q", SourceOffsets.WINDOW, "0"));
  }

  @Test
  void aRedeliveryOfSomethingOldIsRememberedAfresh() {
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
    for (int i = 0; i < 100; i++) {
      produce(delivery("id" + i, "x", false));
    }
    for (int i = 0; i < 1000; i++) {
      assertThat(window.admit(delivery("id0", "x", true))).isEqualTo(ACK);
    }
    assertThat(window.admit(delivery("id1", "x", true))).isEqualTo(ACK);
    window = window();
    assertThat(window.admit(delivery("id1", "x", true))).isEqualTo(ACK);
  }

  @Test
  void twoEqualMessagesOnTheirWayAreTwo() {
    Delivery first = delivery("1", "a", false);
    Delivery second = delivery("1", "a", false);
    window.placeOf(first);
    window.handedOut(first);
    window.placeOf(second);
    window.handedOut(second);
    Delivery again = delivery("1", "a", true);
    Delivery andAgain = delivery("1", "a", true);
    assertThat(window.admit(again)).isEqualTo(WAIT);
    assertThat(window.settled(first)).isEmpty();
    assertThat(window.admit(andAgain)).isEqualTo(WAIT);
    assertThat(window.settled(second)).containsExactly(again, andAgain);
  }

  @Test
  void theKeysOfASourcePartitionHaveAnOrder() {
    // Connect compares the bytes of their JSON.
    assertThat(SourceOffsets.partition(SourceOffsets.partition("q", "berlin"), 3))
        .hasToString("{cluster=berlin, queue=q, window=3}");
  }

  private void produce(Delivery delivery) {
    SourceOffsets.Place place = window.placeOf(delivery);
    window.handedOut(delivery);
    assertThat(window.settled(delivery)).isEqualTo(List.of());
    stored.put(place.partition(), Map.copyOf(place.offset()));
  }

  private SettledWindow window() {
    return new SettledWindow(
        SLOTS, SLOT, SourceOffsets.partition("q", null), slots -> stored.values());
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
