// SPDX-License-Identifier: Apache-2.0
package dev.rabbitbridge.source;

import static dev.rabbitbridge.source.StreamCursor.Verdict.IGNORE;
import static dev.rabbitbridge.source.StreamCursor.Verdict.KNOWN;
import static dev.rabbitbridge.source.StreamCursor.Verdict.NEW;
import static dev.rabbitbridge.source.StreamCursor.Verdict.NEW_AFTER_GAP;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.rabbitbridge.source.StreamCursor.Position;
import java.util.Map;
import org.apache.kafka.connect.errors.ConnectException;
import org.junit.jupiter.api.Test;

class StreamCursorTest {
  @Test
  void withoutAPositionItBeginsWhereConfigured() {
    StreamCursor cursor = cursor(PositionLost.FAIL, null);

    assertThat(cursor.subscribe(1)).isEqualTo("first");
    assertThat(cursor.awaited()).isNull();
    assertThat(cursor.arrived(1, at(17))).isEqualTo(NEW);
  }

  @Test
  void itSubscribesAtTheStoredMessageAndSkipsOnlyThat() {
    StreamCursor cursor = cursor(PositionLost.FAIL, at(5));

    assertThat(cursor.subscribe(1)).isEqualTo(5L);
    assertThat(cursor.awaited()).isEqualTo(5);
    assertThat(cursor.arrived(1, at(5))).isEqualTo(KNOWN);
    assertThat(cursor.awaited()).isNull();
    assertThat(cursor.arrived(1, at(6))).isEqualTo(NEW);
  }

  @Test
  void itWaitsForTheStoredMessageOrTheFirstOneUntilItCame() {
    StreamCursor stored = cursor(PositionLost.FAIL, at(5));
    stored.subscribe(1);
    assertThat(stored.isWaiting()).isTrue();
    stored.arrived(1, at(5));
    assertThat(stored.isWaiting()).isFalse();

    StreamCursor first = cursor(PositionLost.FAIL, null);
    first.subscribe(1);
    assertThat(first.isWaiting()).isTrue();
    first.moved(1, at(0));
    assertThat(first.isWaiting()).isFalse();

    StreamCursor next = new StreamCursor("s", PositionLost.FAIL, "next", null);
    next.subscribe(1);
    assertThat(next.isWaiting()).as("a stream's next message may come next year").isFalse();
  }

  @Test
  void aPositionIsAnOffsetFromZeroOnAndWhateverElseIsStoredBesideIt() {
    assertThat(StreamCursor.Position.of(Map.of("stream.offset", 0)))
        .isEqualTo(new StreamCursor.Position(0, null));
    assertThat(StreamCursor.Position.of(Map.of("stream.offset", 7, "fingerprint", 8)))
        .isEqualTo(new StreamCursor.Position(7, null));
    assertThat(StreamCursor.Position.of(Map.of("stream.offset", -1))).isNull();
    assertThat(StreamCursor.Position.of(Map.of("stream.offset", "7"))).isNull();
  }

  @Test
  void aReconnectGoesOnAfterTheLastMessageHandedOut() {
    StreamCursor cursor = cursor(PositionLost.FAIL, null);
    cursor.subscribe(1);
    cursor.moved(1, at(7));

    assertThat(cursor.subscribe(2)).isEqualTo(7L);
    assertThat(cursor.arrived(2, at(7))).isEqualTo(KNOWN);
  }

  @Test
  void whatCameOnTheOldChannelNeitherCountsNorMoves() {
    StreamCursor cursor = cursor(PositionLost.FAIL, at(5));
    cursor.subscribe(1);
    cursor.subscribe(2);

    assertThat(cursor.arrived(1, at(9))).isEqualTo(IGNORE);
    cursor.moved(1, at(9));
    assertThat(cursor.arrived(2, at(5))).isEqualTo(KNOWN);
  }

  @Test
  void anotherMessageAtTheStoredOffsetIsALostPosition() {
    StreamCursor cursor = cursor(PositionLost.FAIL, at(5));
    cursor.subscribe(1);

    assertThatThrownBy(() -> cursor.arrived(1, new Position(5, "other")))
        .isInstanceOf(ConnectException.class)
        .hasMessageContaining("offset 5")
        .hasMessageContaining("rabbitmq.stream.position.lost");
  }

  @Test
  void aLaterFirstMessageIsALostPosition() {
    StreamCursor cursor = cursor(PositionLost.EARLIEST, at(5));
    cursor.subscribe(1);

    assertThat(cursor.arrived(1, at(6))).isEqualTo(IGNORE);
    assertThat(cursor.mustRestart()).isTrue();
    assertThat(cursor.arrived(1, at(7))).isEqualTo(IGNORE);
    assertThat(cursor.subscribe(2)).isEqualTo("first");
    assertThat(cursor.mustRestart()).isFalse();
    assertThat(cursor.arrived(2, at(6))).isEqualTo(NEW);
  }

  @Test
  void latestGoesOnWithWhatIsPublishedNext() {
    StreamCursor cursor = cursor(PositionLost.LATEST, at(5));
    cursor.subscribe(1);
    cursor.lost("the stream is empty");

    assertThat(cursor.subscribe(2)).isEqualTo("next");
  }

  @Test
  void aStartAtTheEndIsPinnedSoThatAReconnectLeavesNothingOut() {
    StreamCursor next = new StreamCursor("s", PositionLost.FAIL, "next", null);
    assertThat(next.mustPin()).isTrue();
    next.pin(new StreamEnd.Tail(40, 49));
    assertThat(next.subscribe(1)).isEqualTo(50L);
    assertThat(next.mustPin()).isFalse();
    next.pin(new StreamEnd.Tail(50, 59));
    assertThat(next.subscribe(2)).isEqualTo(50L);

    StreamCursor last = new StreamCursor("s", PositionLost.FAIL, "last", null);
    last.pin(new StreamEnd.Tail(40, 49));
    assertThat(last.subscribe(1)).isEqualTo(40L);

    StreamCursor empty = new StreamCursor("s", PositionLost.FAIL, "next", null);
    empty.pin(StreamEnd.Tail.EMPTY);
    assertThat(empty.subscribe(1)).isEqualTo(0L);
  }

  @Test
  void whatDoesNotMoveIsNotPinned() {
    assertThat(cursor(PositionLost.FAIL, null).mustPin()).as("first").isFalse();
    assertThat(cursor(PositionLost.LATEST, at(5)).mustPin()).as("a position").isFalse();
    assertThat(new StreamCursor("s", PositionLost.FAIL, 7L, null).mustPin()).isFalse();
  }

  @Test
  void theEndAfterALostPositionIsPinnedToo() {
    StreamCursor cursor = cursor(PositionLost.LATEST, at(5));
    cursor.subscribe(1);
    cursor.lost("it is gone");

    assertThat(cursor.mustPin()).isTrue();
    cursor.pin(new StreamEnd.Tail(0, 2));
    assertThat(cursor.subscribe(2)).isEqualTo(3L);
  }

  @Test
  void anOffsetThatAPersonSetHasNothingToCompare() {
    StreamCursor cursor =
        cursor(PositionLost.FAIL, Position.of(Map.of("stream.offset", (Object) 5)));
    cursor.subscribe(1);

    assertThat(cursor.arrived(1, at(5))).isEqualTo(KNOWN);
  }

  @Test
  void aJumpIsNoticed() {
    StreamCursor cursor = cursor(PositionLost.FAIL, null);
    cursor.subscribe(1);
    cursor.moved(1, at(7));

    assertThat(cursor.arrived(1, at(8))).isEqualTo(NEW);
    assertThat(cursor.arrived(1, at(9))).isEqualTo(NEW_AFTER_GAP);
    assertThat(cursor.arrived(1, at(7))).isEqualTo(KNOWN);
  }

  @Test
  void aPositionSurvivesConnectsStorage() {
    assertThat(Position.of(at(5).toOffset())).isEqualTo(at(5));
    assertThat(Position.of(null)).isNull();
    assertThat(Position.of(Map.of("sequence", 1L))).isNull();
  }

  private static Position at(long offset) {
    return new Position(offset, "print-" + offset);
  }

  private static StreamCursor cursor(PositionLost policy, Position stored) {
    return new StreamCursor("s", policy, "first", stored);
  }
}
