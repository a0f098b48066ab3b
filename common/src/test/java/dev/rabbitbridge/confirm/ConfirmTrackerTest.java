// SPDX-License-Identifier: Apache-2.0
package dev.rabbitbridge.confirm;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class ConfirmTrackerTest {
  private final ConfirmTracker<String> tracker = new ConfirmTracker<>();
  private final List<String> seen = new ArrayList<>();

  @Test
  void numbersStartAtOneAndAreDense() {
    assertThat(tracker.next()).isEqualTo(1);
    assertThat(tracker.track("a", 0)).isEqualTo(1);
    assertThat(tracker.track("b", 0)).isEqualTo(2);
    assertThat(tracker.next()).isEqualTo(3);
    assertThat(tracker.pending()).isEqualTo(2);
  }

  @Test
  void multipleConfirmSettlesEverythingUpToTheTag() { // F42
    trackAll("r1", "r2", "r3", "r4", "r5", "r6");

    assertThat(tracker.settle(0, 3)).isEqualTo("r3");
    assertThat(tracker.prefix()).isZero();

    tracker.settleThrough(0, 2, seen::add);
    assertThat(seen).containsExactly("r1", "r2");
    assertThat(tracker.prefix()).isEqualTo(3);

    tracker.settleThrough(0, 5, seen::add);
    assertThat(seen).containsExactly("r1", "r2", "r4", "r5");
    assertThat(tracker.prefix()).isEqualTo(5);
    assertThat(tracker.pending()).isEqualTo(1);
    assertThat(tracker.oldest()).isEqualTo("r6");
  }

  @Test
  void aWordThatComesTwiceChangesNothing() {
    trackAll("a", "b");

    assertThat(tracker.settle(0, 2)).isEqualTo("b");
    assertThat(tracker.settle(0, 2)).isNull();
    tracker.settleThrough(0, 2, seen::add);
    tracker.settleThrough(0, 2, seen::add);

    assertThat(seen).containsExactly("a");
    assertThat(tracker.pending()).isZero();
  }

  @Test
  void aWordForANumberThatWasNeverGivenChangesNothing() {
    trackAll("a");

    assertThat(tracker.settle(0, 0)).isNull();
    assertThat(tracker.settle(0, 2)).isNull();
    assertThat(tracker.settle(0, -1)).isNull();
    assertThat(tracker.settle(0, Long.MAX_VALUE)).isNull();
    tracker.settleThrough(0, Long.MAX_VALUE, seen::add);

    assertThat(seen).containsExactly("a");
    assertThat(tracker.next()).isEqualTo(2);
    tracker.track("b", 0);
    assertThat(tracker.pending()).isEqualTo(1);
  }

  @Test
  void confirmFromAnAbandonedChannelIsIgnored() { // F49
    trackAll("old1", "old2", "old3");
    assertThat(tracker.settle(0, 2)).isEqualTo("old2");

    assertThat(tracker.abandon()).containsExactly("old1", "old3");
    assertThat(tracker.epoch()).isEqualTo(1);
    trackAll("new1", "new2");

    assertThat(tracker.settle(0, 1)).isNull();
    tracker.settleThrough(0, 2, seen::add);
    assertThat(seen).isEmpty();
    assertThat(tracker.peek(0, 1)).isNull();
    assertThat(tracker.pending()).isEqualTo(2);
    assertThat(tracker.settle(1, 1)).isEqualTo("new1");
  }

  @Test
  void abandonKeepsTheOrderAndStartsAgainAtOne() {
    trackAll("a", "b", "c");

    assertThat(tracker.abandon()).containsExactly("a", "b", "c");
    assertThat(tracker.pending()).isZero();
    assertThat(tracker.oldest()).isNull();
    assertThat(tracker.track("a", 0)).isEqualTo(1);
    assertThat(tracker.abandon()).containsExactly("a");
    assertThat(tracker.abandon()).isEmpty();
  }

  @Test
  void releaseHandsOutThePrefixOnceAndInOrder() {
    trackAll("a", "b", "c", "d");
    settle(2, 1, 4);

    tracker.release(seen::add);
    tracker.release(seen::add);
    assertThat(seen).containsExactly("a", "b");

    settle(3);
    tracker.release(seen::add);
    assertThat(seen).containsExactly("a", "b", "c", "d");
  }

  @Test
  void peekSeesOnlyWhatIsPending() {
    trackAll("a", "b");
    settle(1);

    assertThat(tracker.peek(0, 1)).isNull();
    assertThat(tracker.peek(0, 2)).isEqualTo("b");
    assertThat(tracker.peek(0, 3)).isNull();
    assertThat(tracker.pending()).isEqualTo(1);
  }

  @Test
  void olderThanListsThePendingOnesUpToTheDeadline() {
    for (int i = 0; i < 5; i++) {
      tracker.track("at" + i, i);
    }
    settle(2);

    assertThat(tracker.olderThan(-1)).isEmpty();
    assertThat(tracker.olderThan(2)).containsExactly("at0", "at2");
    assertThat(tracker.olderThan(99)).containsExactly("at0", "at2", "at3", "at4");
  }

  @Test
  void olderThanWorksAcrossTheWrapOfTheNanoClock() {
    tracker.track("before", Long.MAX_VALUE);
    tracker.track("after", Long.MIN_VALUE);

    assertThat(tracker.olderThan(Long.MAX_VALUE)).containsExactly("before");
    assertThat(tracker.olderThan(Long.MIN_VALUE)).containsExactly("before", "after");
  }

  @Test
  void aLateFirstWordHoldsBackThePrefixOfAnyNumberOfOthers() {
    for (int i = 1; i <= 100_000; i++) {
      tracker.track("r" + i, 0);
      if (i > 1) {
        tracker.settle(0, i);
      }
    }
    assertThat(tracker.prefix()).isZero();
    assertThat(tracker.pending()).isEqualTo(1);

    tracker.settle(0, 1);

    assertThat(tracker.prefix()).isEqualTo(100_000);
    tracker.release(seen::add);
    assertThat(seen).hasSize(100_000).startsWith("r1", "r2").endsWith("r100000");
  }

  private void trackAll(String... items) {
    for (String item : items) {
      tracker.track(item, 0);
    }
  }

  private void settle(long... numbers) {
    for (long number : numbers) {
      assertThat(tracker.settle(tracker.epoch(), number)).isNotNull();
    }
  }
}
