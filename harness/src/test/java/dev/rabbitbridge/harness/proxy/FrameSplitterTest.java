// SPDX-License-Identifier: Apache-2.0
package dev.rabbitbridge.harness.proxy;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;

class FrameSplitterTest {
  private final FrameSplitter splitter = FrameSplitter.ofBroker();

  @Test
  void framesInOnePieceComeOneByOne() {
    byte[] ack = method(1, 60, 80);
    byte[] body = frame(3, 1, "hello".getBytes(StandardCharsets.UTF_8));

    assertThat(splitter.split(joined(ack, body))).containsExactly(ack, body);
  }

  @Test
  void framesComeWholeHoweverTheStreamIsCut() {
    byte[] ack = method(1, 60, 80);
    byte[] heartbeat = frame(8, 0, new byte[0]);
    byte[] stream = joined(ack, heartbeat, ack);

    for (int piece = 1; piece <= stream.length; piece++) {
      FrameSplitter fresh = FrameSplitter.ofBroker();
      List<byte[]> frames = new ArrayList<>();
      for (int from = 0; from < stream.length; from += piece) {
        frames.addAll(
            fresh.split(Arrays.copyOfRange(stream, from, Math.min(from + piece, stream.length))));
      }
      assertThat(frames).containsExactly(ack, heartbeat, ack);
    }
  }

  @Test
  void whatIsNotAmqpPassesAsItComes() {
    byte[] hello = {22, 3, 3, 0};
    byte[] more = {1, 2, 3};

    assertThat(splitter.split(hello)).containsExactly(hello);
    assertThat(splitter.split(more)).containsExactly(more);
  }

  @Test
  void aClientsProtocolHeaderPassesBeforeItsFirstFrame() {
    byte[] protocol = {'A', 'M', 'Q', 'P', 0, 0, 9, 1};
    byte[] ack = method(1, 60, 80);
    byte[] stream = joined(protocol, ack, ack);

    for (int piece = 1; piece <= stream.length; piece++) {
      FrameSplitter client = FrameSplitter.ofClient();
      List<byte[]> frames = new ArrayList<>();
      for (int from = 0; from < stream.length; from += piece) {
        frames.addAll(
            client.split(Arrays.copyOfRange(stream, from, Math.min(from + piece, stream.length))));
      }
      assertThat(frames).containsExactly(protocol, ack, ack);
    }
  }

  @Test
  void aClientThatSpeaksTlsPassesAsItComes() {
    byte[] hello = {22, 3, 3, 0, 1, 2, 3, 4, 5};

    assertThat(FrameSplitter.ofClient().split(hello)).containsExactly(hello);
    assertThat(FrameSplitter.ofClient().split(new byte[] {22})).containsExactly(new byte[] {22});
  }

  @Test
  void onlyBasicAckAndBasicNackAreConfirms() {
    assertThat(FrameSplitter.isConfirm(method(1, 60, 80))).isTrue();
    assertThat(FrameSplitter.isConfirm(method(1, 60, 120))).isTrue();
    assertThat(FrameSplitter.isConfirm(method(1, 60, 50))).isFalse();
    assertThat(FrameSplitter.isConfirm(method(1, 10, 80))).isFalse();
    assertThat(FrameSplitter.isConfirm(frame(3, 1, new byte[] {0, 60, 0, 80}))).isFalse();
    assertThat(FrameSplitter.isConfirm(frame(8, 0, new byte[0]))).isFalse();
  }

  private static byte[] method(int channel, int classId, int methodId) {
    ByteBuffer payload = ByteBuffer.allocate(13);
    payload.putShort((short) classId).putShort((short) methodId).putLong(7).put((byte) 1);
    return frame(1, channel, payload.array());
  }

  private static byte[] frame(int type, int channel, byte[] payload) {
    return ByteBuffer.allocate(payload.length + 8)
        .put((byte) type)
        .putShort((short) channel)
        .putInt(payload.length)
        .put(payload)
        .put((byte) 0xCE)
        .array();
  }

  private static byte[] joined(byte[]... parts) {
    ByteArrayOutputStream all = new ByteArrayOutputStream();
    for (byte[] part : parts) {
      all.writeBytes(part);
    }
    return all.toByteArray();
  }
}
