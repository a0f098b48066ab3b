// SPDX-License-Identifier: Apache-2.0
package dev.rabbitbridge.harness.demo;

import java.nio.charset.StandardCharsets;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Orders as JSON, numbered from 0. */
final class Orders {
  private static final Pattern ID = Pattern.compile("\"id\":(\\d+)");
  private static final String[] REGIONS = {"eu", "us", "apac"};

  private Orders() {}

  static byte[] order(int id) {
    return String.format(
            Locale.ROOT,
            "{\"id\":%d,\"region\":\"%s\",\"item\":\"article-%d\",\"quantity\":%d,\"price\":%d.%02d}",
            id,
            REGIONS[id % REGIONS.length],
            id % 997,
            1 + id % 9,
            1 + id % 499,
            id % 100)
        .getBytes(StandardCharsets.UTF_8);
  }

  /** Returns the number of an order, read from its JSON. */
  static int id(byte[] order) {
    String text = new String(order, StandardCharsets.UTF_8);
    Matcher matcher = ID.matcher(text);
    if (!matcher.find()) {
      throw new IllegalArgumentException("Not an order: " + text);
    }
    return Integer.parseInt(matcher.group(1));
  }
}
