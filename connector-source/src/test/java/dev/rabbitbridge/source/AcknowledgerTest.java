// SPDX-License-Identifier: Apache-2.0
package dev.rabbitbridge.source;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.rabbitmq.client.AMQP.BasicProperties;
import com.rabbitmq.client.Envelope;
import dev.rabbitbridge.source.Acknowledger.Word;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class AcknowledgerTest {
  private static final Duration DELAY = Duration.ofMillis(50);

  private final AtomicLong clock = new AtomicLong(1);
  private final SourceMetrics metrics = new SourceMetrics("orders", "0");
  private final Acknowledger acknowledger = new Acknowledger("q", 100, DELAY, metrics, clock::get);

  @Test
  void onlyWhatKafkaHasIsAcked() { // F10
    int epoch = acknowledger.beginEpoch();
    List<Delivery> polled = deliver(epoch, 100);
    polled.forEach(delivery -> acknowledger.handOut(delivery, 1));

    polled.subList(0, 30).forEach(acknowledger::ack);

    assertThat(acknowledger.take(epoch)).containsExactly(new Word(30, true, 30));
    assertThat(acknowledger.pending()).isEqualTo(70);
    assertThat(acknowledger.handedOut()).isEqualTo(70);
    assertThat(acknowledger.take(epoch)).isEmpty();
  }

  @Test
  void aCommittedDeliveryWaitsForThoseBeforeIt() {
    int epoch = acknowledger.beginEpoch();
    List<Delivery> deliveries = deliver(epoch, 3);

    acknowledger.ack(deliveries.get(2));
    acknowledger.ack(deliveries.get(1));
    assertThat(acknowledger.take(epoch)).isEmpty();
    assertThat(acknowledger.untilDue()).isEqualTo(Long.MAX_VALUE);

    acknowledger.ack(deliveries.get(0));
    assertThat(acknowledger.take(epoch)).containsExactly(new Word(3, true, 3));
  }

  @Test
  void aRejectStandsBetweenTheAcksAndIsNeverTheTagOfAMultipleAck() {
    int epoch = acknowledger.beginEpoch();
    List<Delivery> deliveries = deliver(epoch, 5);

    acknowledger.reject(deliveries.get(4));
    acknowledger.reject(deliveries.get(2));
    acknowledger.ack(deliveries.get(3));
    acknowledger.ack(deliveries.get(1));
    acknowledger.ack(deliveries.get(0));

    assertThat(acknowledger.take(epoch))
        .containsExactly(
            new Word(2, true, 2),
            new Word(3, false, 1),
            new Word(4, true, 1),
            new Word(5, false, 1));
    assertThat(acknowledger.pending()).isZero();
  }

  @Test
  void equalMessagesGetTheirOwnAcks() {
    int epoch = acknowledger.beginEpoch();
    List<Delivery> equal = deliver(epoch, 3);

    acknowledger.ack(equal.get(0));
    acknowledger.ack(equal.get(0));
    acknowledger.ack(equal.get(0));

    assertThat(acknowledger.take(epoch)).containsExactly(new Word(1, true, 1));
    assertThat(acknowledger.pending()).isEqualTo(2);
  }

  @Test
  void aWordForTheOldChannelAcksNothingOnTheNew() { // F16 F17
    int first = acknowledger.beginEpoch();
    List<Delivery> old = deliver(first, 3);
    old.forEach(delivery -> acknowledger.handOut(delivery, 1));
    acknowledger.ack(old.get(0));

    int second = acknowledger.beginEpoch();
    List<Delivery> fresh = deliver(second, 3);
    old.forEach(acknowledger::ack);

    assertThat(acknowledger.take(first)).isEmpty();
    assertThat(acknowledger.take(second)).isEmpty();
    assertThat(acknowledger.pending()).isEqualTo(3);
    assertThat(acknowledger.handedOut()).isZero();
    fresh.forEach(acknowledger::ack);
    assertThat(acknowledger.take(second)).containsExactly(new Word(3, true, 3));
  }

  @Test
  void everyWordThatCannotBeSentIsAStaleTagOnce() {
    int first = acknowledger.beginEpoch();
    List<Delivery> old = deliver(first, 5);
    acknowledger.ack(old.get(0));
    acknowledger.take(first);
    acknowledger.ack(old.get(2));
    assertThat(metrics.staleTags.total()).isZero();
    assertThat(acknowledger.unacked()).isEqualTo(4);

    acknowledger.beginEpoch();
    assertThat(metrics.staleTags.total()).isEqualTo(1);
    assertThat(acknowledger.unacked()).isZero();
    old.subList(2, 4).forEach(acknowledger::ack);
    old.subList(2, 4).forEach(acknowledger::ack);
    assertThat(metrics.staleTags.total()).isEqualTo(2);
    assertThat(metrics.delivered.total()).isEqualTo(5);
  }

  @Test
  void whatWentBackToRabbitMqIsNotHandedOut() {
    Delivery old = deliver(acknowledger.beginEpoch(), 1).get(0);
    acknowledger.beginEpoch();

    assertThat(acknowledger.isCurrent(old)).isFalse();
    assertThat(acknowledger.handOut(old, 1)).isFalse();
    assertThat(acknowledger.handedOut()).isZero();
  }

  @Test
  void aMessageOfAnOldChannelIsNotTakenIn() {
    int old = acknowledger.beginEpoch();
    acknowledger.beginEpoch();

    assertThat(deliver(old, 1)).containsExactly((Delivery) null);
    assertThat(acknowledger.pending()).isZero();
  }

  @Test
  void aTagThatIsNotTheNextOneIsAnError() {
    int epoch = acknowledger.beginEpoch();

    assertThatThrownBy(() -> deliverTag(epoch, 2)).isInstanceOf(IllegalStateException.class);
  }

  @Test
  void acksAreDueByTimeBySizeAndWhenNothingElseIsPending() {
    int epoch = acknowledger.beginEpoch();
    List<Delivery> deliveries = deliver(epoch, 300);

    assertThat(acknowledger.ack(deliveries.get(0))).as("look when it is due").isTrue();
    assertThat(acknowledger.untilDue()).isEqualTo(DELAY.toNanos());
    clock.addAndGet(DELAY.toNanos() - 1);
    assertThat(acknowledger.untilDue()).isEqualTo(1);
    clock.addAndGet(1);
    assertThat(acknowledger.untilDue()).isZero();
    acknowledger.take(epoch);

    deliveries.subList(1, 100).forEach(acknowledger::ack);
    assertThat(acknowledger.untilDue()).isEqualTo(DELAY.toNanos());
    assertThat(acknowledger.ack(deliveries.get(100))).as("look now").isTrue();
    assertThat(acknowledger.untilDue()).isZero();
    acknowledger.take(epoch);

    deliver(epoch, 301, 1);
    deliveries.subList(101, 300).forEach(acknowledger::ack);
    acknowledger.take(epoch);
    assertThat(acknowledger.pending()).isEqualTo(1);
    assertThat(acknowledger.untilDue()).isEqualTo(Long.MAX_VALUE);
  }

  @Test
  void atTheEndOfAChannelEachMessageThatKafkaHasGetsItsWord() {
    int epoch = acknowledger.beginEpoch();
    List<Delivery> deliveries = deliver(epoch, 9);
    for (int i : List.of(0, 1, 3, 4, 7)) {
      acknowledger.ack(deliveries.get(i));
    }
    acknowledger.reject(deliveries.get(5));

    List<Word> last = acknowledger.takeLast(epoch);

    assertThat(last)
        .containsExactly(
            new Word(2, true, 2),
            new Word(4, true, 1),
            new Word(5, true, 1),
            new Word(6, false, 1),
            new Word(8, true, 1));
    assertThat(last.stream().filter(Word::multiple).map(Word::tag)).containsExactly(2L);
    assertThat(acknowledger.pending()).as("to give back").isEqualTo(3);
    assertThat(acknowledger.unacked()).isEqualTo(3);
    acknowledger.ack(deliveries.get(2));
    acknowledger.beginEpoch();
    assertThat(metrics.staleTags.total()).as("came after the last word").isEqualTo(1);
    assertThat(acknowledger.unacked()).isZero();
  }

  @Test
  void theLastWordsOnAChannelAreNotSaidOnAnother() {
    int old = acknowledger.beginEpoch();
    deliver(old, 2).forEach(acknowledger::ack);
    int epoch = acknowledger.beginEpoch();
    List<Delivery> fresh = deliver(epoch, 2);
    acknowledger.ack(fresh.get(1));

    assertThat(acknowledger.takeLast(old)).isEmpty();
    assertThat(acknowledger.takeLast(epoch)).containsExactly(new Word(2, true, 1));
  }

  @Test
  void aSingleMessageIsAckedWithoutDelay() {
    int epoch = acknowledger.beginEpoch();
    Delivery only = deliver(epoch, 1).get(0);

    assertThat(acknowledger.ack(only)).isTrue();
    assertThat(acknowledger.untilDue()).isZero();
  }

  @Test
  void anAnswerIsCountedOnceAndSettlesNothing() {
    int epoch = acknowledger.beginEpoch();
    Delivery delivery = deliver(epoch, 1).get(0);
    acknowledger.handOut(delivery, 1);

    assertThat(acknowledger.answer(delivery)).isTrue();
    assertThat(acknowledger.answer(delivery)).isFalse();

    assertThat(acknowledger.handedOut()).isZero();
    assertThat(acknowledger.answers()).isEqualTo(1);
    assertThat(acknowledger.pending()).isEqualTo(1);
    assertThat(acknowledger.take(epoch)).isEmpty();
  }

  @Test
  void onlyWhatAnEarlierPollHandedOutCanBeProvenByACommit() {
    int epoch = acknowledger.beginEpoch();
    List<Delivery> deliveries = deliver(epoch, 4);
    acknowledger.handOut(deliveries.get(0), 1);
    acknowledger.handOut(deliveries.get(1), 1);
    acknowledger.handOut(deliveries.get(2), 2);
    acknowledger.ack(deliveries.get(0));

    assertThat(acknowledger.unansweredBefore(2, stray -> {})).containsExactly(deliveries.get(1));
  }

  @Test
  void aCommitAlsoAnswersWhatWentAwayWithALostChannel() { // F11 F18
    List<Delivery> lost = deliver(acknowledger.beginEpoch(), 3);
    acknowledger.handOut(lost.get(0), 1);
    acknowledger.handOut(lost.get(1), 2);
    acknowledger.beginEpoch();
    assertThat(acknowledger.handedOut()).isEqualTo(2);

    assertThat(acknowledger.unansweredBefore(2, stray -> {})).isEmpty();
    assertThat(acknowledger.handedOut()).isEqualTo(1);
    assertThat(acknowledger.answers()).isEqualTo(1);
    acknowledger.unansweredBefore(3, stray -> {});
    assertThat(acknowledger.handedOut()).isZero();
    assertThat(acknowledger.answer(lost.get(1))).isFalse();
  }

  @Test
  void settledInAnyOrderEverythingIsAckedOnceAndInOrder() {
    int epoch = acknowledger.beginEpoch();
    List<Delivery> shuffled = new ArrayList<>(deliver(epoch, 1000));
    Collections.shuffle(shuffled, new java.util.Random(42));
    List<Word> words = new ArrayList<>();
    for (Delivery delivery : shuffled) {
      acknowledger.ack(delivery);
      words.addAll(acknowledger.take(epoch));
    }

    assertThat(words.stream().mapToInt(Word::messages).sum()).isEqualTo(1000);
    assertThat(words).isSortedAccordingTo((a, b) -> Long.compare(a.tag(), b.tag()));
    assertThat(acknowledger.pending()).isZero();
  }

  private List<Delivery> deliver(int epoch, int count) {
    return deliver(epoch, 1, count);
  }

  private List<Delivery> deliver(int epoch, long firstTag, int count) {
    List<Delivery> deliveries = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      deliveries.add(deliverTag(epoch, firstTag + i));
    }
    return deliveries;
  }

  private Delivery deliverTag(int epoch, long tag) {
    return acknowledger.delivered(
        epoch,
        "consumer",
        new Envelope(tag, false, "", "q"),
        new BasicProperties(),
        new byte[] {1});
  }
}
