// SPDX-License-Identifier: Apache-2.0
package dev.rabbitbridge.harness.demo;

import java.util.List;
import java.util.Locale;

/** A row of numbers under their names. */
final class Table {
  private Table() {}

  static String of(List<String> names, List<Long> numbers) {
    StringBuilder head = new StringBuilder();
    StringBuilder row = new StringBuilder();
    for (int column = 0; column < names.size(); column++) {
      String number = String.format(Locale.ROOT, "%,d", numbers.get(column));
      int width = Math.max(names.get(column).length(), number.length());
      String cell = "  %" + width + "s";
      head.append(String.format(cell, names.get(column)));
      row.append(String.format(cell, number));
    }
    return head.append('\n').append(row).append('\n').toString();
  }
}
