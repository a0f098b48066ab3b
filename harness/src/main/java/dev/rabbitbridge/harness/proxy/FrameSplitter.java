// SPDX-License-Identifier: Apache-2.0
package dev.rabbitbridge.harness.proxy;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * Cuts a byte stream from a broker or a client into AMQP 0-9-1 frames: type (1 byte), channel (2),
 * payload size (4), payload, end mark (1). What does not begin like a frame (TLS, a refused
 * protocol header) passes in whatever pieces it comes. For one thread.
 *
 * <p>Invariant: all pieces ever returned, put together, are what came in, except for a frame whose
 * end has not come yet.
 */
final class FrameSplitter {
  private static final int HEADER = 7;
  private static final int METHOD = 1;
  private static final int HEADER_FRAME = 2;
  private static final int BODY = 3;
  private static final int HEARTBEAT = 8;
  private static final int BASIC = 60;
  private static final int ACK = 80;
  private static final int NACK = 120;

  private static final byte[] PROTOCOL = {'A', 'M', 'Q', 'P'};
  private static final int PROTOCOL_HEADER = 8;

  private byte[] rest = new byte[0];
  private boolean foreign;
  private boolean greeting;

  private FrameSplitter(boolean greeting) {
    this.greeting = greeting;
  }

  static FrameSplitter ofBroker() {
    return new FrameSplitter(false);
  }

  /** A client says which protocol it speaks before its first frame. */
  static FrameSplitter ofClient() {
    return new FrameSplitter(true);
  }

  List<byte[]> split(byte[] bytes) {
    if (foreign) {
      return List.of(bytes);
    }
    byte[] all = Arrays.copyOf(rest, rest.length + bytes.length);
    System.arraycopy(bytes, 0, all, rest.length, bytes.length);
    List<byte[]> frames = new ArrayList<>();
    int start = 0;
    if (greeting) {
      int known = Math.min(all.length, PROTOCOL.length);
      if (!Arrays.equals(PROTOCOL, 0, known, all, 0, known)) {
        foreign = true;
        return List.of(all);
      }
      if (all.length < PROTOCOL_HEADER) {
        rest = all;
        return frames;
      }
      greeting = false;
      frames.add(Arrays.copyOf(all, PROTOCOL_HEADER));
      start = PROTOCOL_HEADER;
    }
    while (start < all.length) {
      if (!isFrameType(all[start])) {
        foreign = true;
        frames.add(Arrays.copyOfRange(all, start, all.length));
        start = all.length;
        break;
      }
      if (all.length - start < HEADER) {
        break;
      }
      long end =
          start + HEADER + Integer.toUnsignedLong(ByteBuffer.wrap(all).getInt(start + 3)) + 1;
      if (end > all.length) {
        break;
      }
      frames.add(Arrays.copyOfRange(all, start, (int) end));
      start = (int) end;
    }
    rest = Arrays.copyOfRange(all, start, all.length);
    return frames;
  }

  /** A basic.ack or basic.nack: a confirm from a broker, an ack from a client. */
  static boolean isConfirm(byte[] frame) {
    if (frame.length < HEADER + 4 || frame[0] != METHOD) {
      return false;
    }
    ByteBuffer payload = ByteBuffer.wrap(frame, HEADER, 4);
    int method = payload.getShort() == BASIC ? payload.getShort() : 0;
    return method == ACK || method == NACK;
  }

  private static boolean isFrameType(byte type) {
    return type == METHOD || type == HEADER_FRAME || type == BODY || type == HEARTBEAT;
  }
}
