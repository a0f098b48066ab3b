// SPDX-License-Identifier: Apache-2.0
package dev.rabbitbridge.harness.chaos;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Optional;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;

/** A message of the load: its body begins with lane and number, and a header goes with it. */
final class Letter {
  static final String HEADER = "chaos";

  /** A header that makes the sink use another routing key. */
  static final String ROUTE = "chaos.route";

  private static final int SIZE = 200;

  private final int lane;
  private final int number;
  private final byte[] body;
  private final String header;

  Letter(int lane, int number, byte[] body, String header) {
    this.lane = lane;
    this.number = number;
    this.body = body;
    this.header = header;
  }

  /** Makes the message of a lane and a number, always the same one. */
  static Letter of(int lane, int number) {
    byte[] body = Arrays.copyOf(bytes(lane + ":" + number + ":"), SIZE);
    for (int i = bytes(lane + ":" + number + ":").length; i < SIZE; i++) {
      body[i] = (byte) (i * 31 + number);
    }
    return new Letter(lane, number, body, "of-" + lane + "-" + Integer.toHexString(number * 31));
  }

  /** Reads a message that came out; empty for what cannot be of ours. */
  static Optional<Letter> read(byte @Nullable [] body, @Nullable Object header) {
    if (body == null) {
      return Optional.empty();
    }
    String[] parts =
        new String(body, 0, Math.min(body.length, 24), StandardCharsets.ISO_8859_1).split(":", 3);
    try {
      return parts.length < 3
          ? Optional.empty()
          : Optional.of(
              new Letter(
                  Integer.parseInt(parts[0]),
                  Integer.parseInt(parts[1]),
                  body,
                  String.valueOf(header)));
    } catch (NumberFormatException e) {
      return Optional.empty();
    }
  }

  /** See {@link Books}. */
  int lane() {
    return lane;
  }

  /** See {@link Books}. */
  int number() {
    return number;
  }

  /** Returns what is sent, not copied. */
  byte[] body() {
    return body;
  }

  /** Returns the value of {@link #HEADER}. */
  String header() {
    return header;
  }

  /** Returns a checksum of body and header. */
  int digest() {
    CRC32C sum = new CRC32C();
    sum.update(body);
    sum.update(bytes(header));
    return (int) sum.getValue();
  }

  private static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }
}
