// SPDX-License-Identifier: Apache-2.0
package dev.rabbitbridge.source;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import org.jspecify.annotations.Nullable;

/**
 * What makes two deliveries one message: message-id, routing key and body, as 128 bits of their
 * SHA-256. So an id that is used twice for different messages does no harm.
 */
record Identity(long high, long low) {
  /** Bytes of one. */
  static final int BYTES = 2 * Long.BYTES;

  /**
   * Identifies a message.
   *
   * @return null when it has no message-id: then two messages may well be equal
   */
  static @Nullable Identity of(@Nullable String id, String routingKey, byte[] body) {
    if (id == null) {
      return null;
    }
    MessageDigest sha = sha256();
    update(sha, id.getBytes(StandardCharsets.UTF_8));
    update(sha, routingKey.getBytes(StandardCharsets.UTF_8));
    sha.update(body);
    ByteBuffer digest = ByteBuffer.wrap(sha.digest());
    return new Identity(digest.getLong(), digest.getLong());
  }

  /** With its length, so that a byte cannot move from one field to the next unnoticed. */
  private static void update(MessageDigest sha, byte[] field) {
    sha.update(ByteBuffer.allocate(Integer.BYTES).putInt(0, field.length));
    sha.update(field);
  }

  private static MessageDigest sha256() {
    try {
      return MessageDigest.getInstance("SHA-256");
    } catch (NoSuchAlgorithmException e) {
      throw new AssertionError("every Java platform has SHA-256", e);
    }
  }
}
