// SPDX-License-Identifier: Apache-2.0
package dev.rabbitbridge.message;

import com.rabbitmq.client.AMQP.BasicProperties;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.Collection;
import java.util.Map;
import org.apache.kafka.connect.errors.DataException;
import org.jspecify.annotations.Nullable;

/**
 * The limits of AMQP 0-9-1 that a client can know. What breaks one is refused before it is sent,
 * because the broker would close the channel over it, and with the channel all its neighbours'
 * confirms would be lost.
 */
public final class ProtocolLimits {
  /** Most bytes in a short string: routing keys, header names and most properties. */
  public static final int SHORT_STRING = 255;

  private static final long LONGEST_EXPIRATION = 0xFFFF_FFFFL;
  private static final long SHORT_PROPERTIES = 13L * (SHORT_STRING + 1) + 64;
  private static final long LARGEST_SCALAR = 16;

  private ProtocolLimits() {}

  /**
   * Checks that a text fits a short string.
   *
   * @param what what the text is, for the error
   * @param text the text, null for none
   * @return the same text
   * @throws DataException if it takes more than 255 bytes
   */
  public static @Nullable String shortString(String what, @Nullable String text) {
    if (text != null && text.length() > SHORT_STRING / 3) {
      int bytes = text.getBytes(StandardCharsets.UTF_8).length;
      if (bytes > SHORT_STRING) {
        throw new DataException(what + " has " + bytes + " bytes; AMQP allows " + SHORT_STRING);
      }
    }
    return text;
  }

  /**
   * Checks a per-message time to live.
   *
   * @param text what the user's template gave
   * @return the same text
   * @throws DataException if it is not a whole number of milliseconds that the broker takes
   */
  public static String expiration(String text) {
    return String.valueOf(number("expiration", text, LONGEST_EXPIRATION));
  }

  /**
   * Checks a priority.
   *
   * @param text what the user's template gave
   * @return the priority
   * @throws DataException if it is not a whole number from 0 to 255
   */
  public static int priority(String text) {
    return (int) number("priority", text, 255);
  }

  /**
   * Checks a timestamp.
   *
   * @param text what the user's template gave
   * @return milliseconds since 1970
   * @throws DataException if it is not a whole number of 0 or more; AMQP has no sign
   */
  public static long timestamp(String text) {
    return number("timestamp, in milliseconds since 1970,", text, Long.MAX_VALUE);
  }

  /**
   * Checks the names in a header table, nested ones included.
   *
   * @param headers the table
   * @throws DataException if a name takes more than 255 bytes
   */
  public static void headerNames(Map<?, ?> headers) {
    headers.forEach(
        (name, value) -> {
          shortString("header name", String.valueOf(name));
          nestedNames(value);
        });
  }

  private static void nestedNames(@Nullable Object value) {
    if (value instanceof Map<?, ?> table) {
      headerNames(table);
    } else if (value instanceof Collection<?> items) {
      items.forEach(ProtocolLimits::nestedNames);
    }
  }

  /**
   * Checks that properties and headers fit one frame, because they cannot be split over several.
   *
   * @param properties the message's properties
   * @param frameMax the largest frame that both sides agreed on, in bytes; 0 for no limit
   * @throws DataException if they do not fit
   */
  public static void headerFrame(BasicProperties properties, int frameMax) {
    if (frameMax == 0 || SHORT_PROPERTIES + roughSize(properties.getHeaders()) <= frameMax) {
      return;
    }
    int size;
    try {
      size = properties.toFrame(0, 0).size();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    if (size > frameMax) {
      throw new DataException(
          "headers and properties take "
              + size
              + " bytes; this connection allows "
              + frameMax
              + " (frame_max of RabbitMQ, rabbitmq.requested.frame.max)");
    }
  }

  /** An upper bound that costs next to nothing; only what comes near the limit is measured. */
  private static long roughSize(@Nullable Object value) {
    if (value instanceof String text) {
      return LARGEST_SCALAR + 3L * text.length();
    }
    if (value instanceof byte[] bytes) {
      return LARGEST_SCALAR + bytes.length;
    }
    long size = LARGEST_SCALAR;
    if (value instanceof Map<?, ?> table) {
      for (Map.Entry<?, ?> entry : table.entrySet()) {
        size += roughSize(String.valueOf(entry.getKey())) + roughSize(entry.getValue());
      }
    } else if (value instanceof Collection<?> items) {
      for (Object item : items) {
        size += roughSize(item);
      }
    }
    return size;
  }

  private static long number(String what, String text, long most) {
    try {
      long number = Long.parseLong(text);
      if (number >= 0 && number <= most) {
        return number;
      }
    } catch (NumberFormatException notANumber) {
      // told below
    }
    throw new DataException(what + " must be a whole number from 0 to " + most);
  }
}
