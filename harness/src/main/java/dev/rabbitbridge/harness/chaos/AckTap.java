// SPDX-License-Identifier: Apache-2.0
package dev.rabbitbridge.harness.chaos;

import dev.rabbitbridge.harness.proxy.FrameTap;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;

/** Knows, from what passes the proxy, which of our messages a consumer has acked. */
final class AckTap implements FrameTap {
  private static final int HEADER = 7;
  private static final int METHOD = 1;
  private static final int BODY = 3;
  private static final int BASIC = 60;
  private static final int DELIVER = 60;
  private static final int ACK = 80;
  private static final int REJECT = 90;
  private static final int NACK = 120;

  private final Map<Long, Deliveries> channels = new HashMap<>();
  private List<Letter> acked = new ArrayList<>();

  /** What is delivered on a channel and not settled. */
  private static final class Deliveries {
    private final NavigableMap<Long, Letter> unacked = new TreeMap<>();
    private long incoming;
  }

  /** Takes what was acked since the last call. */
  synchronized List<Letter> take() {
    List<Letter> taken = acked;
    acked = new ArrayList<>();
    return taken;
  }

  @Override
  public synchronized void toClient(int connection, byte[] frame) {
    Deliveries channel = channel(connection, frame);
    if (isBasic(frame, DELIVER)) {
      ByteBuffer payload = ByteBuffer.wrap(frame, HEADER + 4, frame.length - HEADER - 4);
      int consumerTag = Byte.toUnsignedInt(payload.get());
      payload.position(payload.position() + consumerTag);
      channel.incoming = payload.getLong();
    } else if (frame[0] == BODY && channel.incoming > 0) {
      byte[] body = Arrays.copyOfRange(frame, HEADER, frame.length - 1);
      Letter.read(body, null).ifPresent(letter -> channel.unacked.put(channel.incoming, letter));
      channel.incoming = 0;
    }
  }

  @Override
  public synchronized void toBroker(int connection, byte[] frame) {
    boolean ack = isBasic(frame, ACK);
    if (!ack && !isBasic(frame, NACK) && !isBasic(frame, REJECT)) {
      return;
    }
    long tag = ByteBuffer.wrap(frame).getLong(HEADER + 4);
    boolean multiple = !isBasic(frame, REJECT) && (frame[HEADER + 12] & 1) != 0;
    NavigableMap<Long, Letter> unacked = channel(connection, frame).unacked;
    Map<Long, Letter> settled =
        multiple ? unacked.headMap(tag, true) : unacked.subMap(tag, true, tag, true);
    if (ack) {
      acked.addAll(settled.values());
    }
    settled.clear();
  }

  private Deliveries channel(int connection, byte[] frame) {
    int channel = frame.length < HEADER ? 0 : ByteBuffer.wrap(frame).getShort(1);
    return channels.computeIfAbsent(((long) connection << 16) + channel, key -> new Deliveries());
  }

  private static boolean isBasic(byte[] frame, int method) {
    if (frame.length < HEADER + 4 || frame[0] != METHOD) {
      return false;
    }
    ByteBuffer payload = ByteBuffer.wrap(frame, HEADER, 4);
    return payload.getShort() == BASIC && payload.getShort() == method;
  }
}
