// SPDX-License-Identifier: Apache-2.0
package dev.rabbitbridge.harness.chaos;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class BooksTest {
  private static final int SAME = 7;

  private final Books books = new Books();

  @Test
  void whatWasAcknowledgedAndNeverCameOutIsLost() {
    send(0, 3);
    books.deliver(0, 0, SAME);
    books.deliver(0, 2, SAME);

    assertThat(books.isComplete()).isFalse();
    assertThat(books.account().lost()).isEqualTo(1);
    assertThat(books.account().unaccounted()).isEqualTo(1);
    assertThat(books.account().isClean()).isFalse();
  }

  @Test
  void whatWasNeverAcknowledgedIsNotLostAndIsRecoveredWhenItComesOut() {
    books.attempt(0, 0, SAME);
    books.attempt(0, 1, SAME);
    books.deliver(0, 1, SAME);

    assertThat(books.account().lost()).isZero();
    assertThat(books.account().recovered()).isEqualTo(1);
  }

  @Test
  void whatIsStillInTheSourceIsLostButAccountedFor() {
    send(0, 1);
    books.remain(0, 0);

    assertThat(books.account().lost()).isEqualTo(1);
    assertThat(books.account().unaccounted()).isZero();
  }

  @Test
  void deadLetteredAndDestroyedAreNotLost() {
    send(0, 2);
    books.deadLetter(0, 0);
    books.destroy(0, 1);

    assertThat(books.isComplete()).isTrue();
    assertThat(books.account().lost()).isZero();
    assertThat(books.account().deadLettered()).isEqualTo(1);
    assertThat(books.account().destroyed()).isEqualTo(1);
  }

  @Test
  void aDestroyedMessageThatWasDeliveredAllTheSameIsNotDestroyed() {
    send(0, 1);
    books.destroy(0, 0);
    books.deliver(0, 0, SAME);

    assertThat(books.account().destroyed()).isZero();
  }

  @Test
  void theSecondDeliveryIsADuplicateAndDoesNotCountAsReordered() {
    send(0, 2);
    books.deliver(0, 0, SAME);
    books.deliver(0, 1, SAME);
    books.deliver(0, 0, SAME);

    assertThat(books.account().duplicated()).isEqualTo(1);
    assertThat(books.account().reordered()).isZero();
    assertThat(books.account().delivered()).isEqualTo(2);
  }

  @Test
  void aFirstDeliveryBehindALaterOneOfItsLaneIsReordered() {
    send(0, 2);
    send(1, 1);
    books.deliver(0, 1, SAME);
    books.deliver(1, 0, SAME);
    books.deliver(0, 0, SAME);

    assertThat(books.account().reordered()).isEqualTo(1);
  }

  @Test
  void whatNobodySentIsUnexpected() {
    send(0, 1);
    books.deliver(0, 1, SAME);
    books.deliver(5, 0, SAME);
    books.deliver(-1, 0, SAME);
    books.deliverForeign();
    books.deadLetter(0, 9);

    assertThat(books.account().unexpected()).isEqualTo(5);
  }

  @Test
  void anotherBodyOrHeaderIsCorrupted() {
    books.attempt(0, 0, Letter.of(0, 0).digest());
    books.acknowledge(0, 0);
    Letter sent = Letter.of(0, 0);
    books.deliver(0, 0, new Letter(0, 0, sent.body(), "another").digest());

    assertThat(books.account().corrupted()).isEqualTo(1);
  }

  @Test
  void aClaimBeforeTheDeliveryIsTooFar() {
    send(0, 3);
    books.deliver(0, 0, SAME);
    books.claim(0, 2, 1);
    books.deliver(0, 1, SAME);
    books.deliver(0, 2, SAME);

    assertThat(books.account().committedTooFar()).isEqualTo(1);
  }

  @Test
  void aClaimAfterTheDeliveryIsFine() {
    send(0, 2);
    books.deliver(0, 1, SAME);
    books.claim(0, 0, 1);
    books.deliver(0, 0, SAME);
    books.claim(0, 2, 2);

    assertThat(books.account().committedTooFar()).isZero();
  }

  @Test
  void aClaimIsAboutWhatItCoversAlsoWhenALaterOneIsLower() {
    send(0, 2);
    books.claim(0, 2, 0);
    books.claim(0, 0, 0);
    books.deliver(0, 0, SAME);
    books.deliver(0, 1, SAME);

    assertThat(books.account().committedTooFar()).isEqualTo(2);
  }

  @Test
  void aClaimAboutOneMessageIsAboutThatOneOnly() {
    send(0, 3);
    books.claimOne(0, 1, 0);
    books.deliver(0, 0, SAME);
    books.deliver(0, 1, SAME);
    books.claimOne(0, 0, 2);
    books.deliver(0, 2, SAME);

    assertThat(books.account().committedTooFar()).isEqualTo(1);
  }

  @Test
  void aClaimOverWhatIsDeadLetteredIsFine() {
    send(0, 1);
    books.deadLetter(0, 0);
    books.claim(0, 1, 0);

    assertThat(books.account().committedTooFar()).isZero();
  }

  @Test
  void aLetterIsReadBackAsItWasWritten() {
    Letter sent = Letter.of(3, 123_456);
    Letter read = Letter.read(sent.body(), sent.header()).orElseThrow();

    assertThat(read.lane()).isEqualTo(3);
    assertThat(read.number()).isEqualTo(123_456);
    assertThat(read.digest()).isEqualTo(sent.digest());
    assertThat(Letter.read("poison".getBytes(java.nio.charset.StandardCharsets.UTF_8), null))
        .isEmpty();
    assertThat(Letter.read(null, null)).isEmpty();
  }

  private void send(int lane, int messages) {
    for (int number = 0; number < messages; number++) {
      books.attempt(lane, number, SAME);
      books.acknowledge(lane, number, number);
    }
  }
}
