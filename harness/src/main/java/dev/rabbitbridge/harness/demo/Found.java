// SPDX-License-Identifier: Apache-2.0
package dev.rabbitbridge.harness.demo;

import java.util.BitSet;
import java.util.List;

/**
 * The orders found in one place.
 *
 * @param messages how many messages or records
 * @param ids which orders
 */
record Found(long messages, BitSet ids) {
  static Found in(List<byte[]> messages) {
    BitSet ids = new BitSet();
    messages.forEach(message -> ids.set(Orders.id(message)));
    return new Found(messages.size(), ids);
  }
}
