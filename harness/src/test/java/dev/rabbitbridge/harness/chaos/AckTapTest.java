// SPDX-License-Identifier: Apache-2.0
package dev.rabbitbridge.harness.chaos;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.Test;

class AckTapTest {
  private static final int CHANNEL = 3;

  private final AckTap tap = new AckTap();

  @Test
  void anAckOfOneMessageIsOfThatOne() {
    deliver(1, 1, 10);
    deliver(1, 2, 11);
    ack(1, 2, false);

    assertThat(numbers()).containsExactly(11);
    assertThat(numbers()).isEmpty();
  }

  @Test
  void anAckOfSeveralIsOfAllUpToItsTag() {
    deliver(1, 1, 10);
    deliver(1, 2, 11);
    deliver(1, 3, 12);
    ack(1, 2, true);

    assertThat(numbers()).containsExactly(10, 11);
  }

  @Test
  void tagsOfAnotherConnectionAreOthers() {
    deliver(1, 1, 10);
    deliver(2, 1, 20);
    ack(2, 1, true);

    assertThat(numbers()).containsExactly(20);
  }

  @Test
  void aNackIsNoAck() {
    deliver(1, 1, 10);
    deliver(1, 2, 11);
    tap.toBroker(1, settle(120, 1, true));
    ack(1, 2, true);

    assertThat(numbers()).containsExactly(11);
  }

  private List<Integer> numbers() {
    return tap.take().stream().map(Letter::number).toList();
  }

  private void deliver(int connection, long tag, int number) {
    byte[] consumer = "consumer".getBytes(StandardCharsets.UTF_8);
    ByteBuffer method = ByteBuffer.allocate(4 + 1 + consumer.length + 8 + 3);
    method.putShort((short) 60).putShort((short) 60);
    method.put((byte) consumer.length).put(consumer).putLong(tag).put((byte) 0);
    tap.toClient(connection, frame(1, method.array()));
    tap.toClient(connection, frame(2, new byte[14]));
    tap.toClient(connection, frame(3, Letter.of(0, number).body()));
  }

  private void ack(int connection, long tag, boolean multiple) {
    tap.toBroker(connection, settle(80, tag, multiple));
  }

  private static byte[] settle(int method, long tag, boolean multiple) {
    return frame(
        1,
        ByteBuffer.allocate(13)
            .putShort((short) 60)
            .putShort((short) method)
            .putLong(tag)
            .put((byte) (multiple ? 1 : 0))
            .array());
  }

  private static byte[] frame(int type, byte[] payload) {
    return ByteBuffer.allocate(payload.length + 8)
        .put((byte) type)
        .putShort((short) CHANNEL)
        .putInt(payload.length)
        .put(payload)
        .put((byte) 0xCE)
        .array();
  }
}
