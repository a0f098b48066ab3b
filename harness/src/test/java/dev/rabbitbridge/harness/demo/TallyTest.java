// SPDX-License-Identifier: Apache-2.0
package dev.rabbitbridge.harness.demo;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.BitSet;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class TallyTest {
  private static final Found NOTHING = orders();

  @Test
  void whatIsBackTwiceIsADuplicateAndNotLost() {
    Tally tally = Tally.of(sent(3), 3, NOTHING, NOTHING, orders(0, 1, 1, 2, 2, 2));

    assertThat(tally).isEqualTo(new Tally(3, 3, 0, 0, 3, 3, 0));
    assertThat(tally.isComplete()).isTrue();
  }

  @Test
  void whatIsInTheQueueOrDeadLetteredIsNotLost() {
    Tally tally = Tally.of(sent(4), 3, orders(1), orders(2), orders(0));

    assertThat(tally).isEqualTo(new Tally(4, 3, 1, 1, 1, 0, 1));
    assertThat(tally.isComplete()).isFalse();
  }

  @Test
  void tableAlignsNumbersUnderTheirNames() {
    assertThat(new Tally(100_000, 99_999, 1, 0, 99_998, 12, 1).table())
        .isEqualTo(
            """
                 sent  confirmed  in the queue  dead-lettered  back in Kafka  duplicates  lost
              100,000     99,999             1              0         99,998          12     1
            """);
  }

  private static BitSet sent(int count) {
    BitSet ids = new BitSet();
    ids.set(0, count);
    return ids;
  }

  private static Found orders(int... ids) {
    List<byte[]> messages = IntStream.of(ids).mapToObj(Orders::order).toList();
    return Found.in(messages);
  }
}
