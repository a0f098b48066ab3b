// SPDX-License-Identifier: Apache-2.0
package dev.rabbitbridge.harness.bench;

import java.util.Arrays;
import java.util.List;
import java.util.Locale;

/**
 * The same number measured several times.
 *
 * @param values in the order they were measured in; those of other contenders at the same index are
 *     their pairs
 */
record Numbers(List<Double> values) {
  Numbers {
    values = List.copyOf(values);
  }

  double median() {
    double[] sorted = sorted();
    int middle = sorted.length / 2;
    return sorted.length == 0
        ? Double.NaN
        : sorted.length % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
  }

  double least() {
    return values.isEmpty() ? Double.NaN : sorted()[0];
  }

  double most() {
    return values.isEmpty() ? Double.NaN : sorted()[values.size() - 1];
  }

  /** Divides pair by pair, which takes out what changed on the machine between the pairs. */
  Numbers over(Numbers others) {
    Double[] ratios = new Double[values.size()];
    Arrays.setAll(ratios, i -> values.get(i) / others.values.get(i));
    return new Numbers(List.of(ratios));
  }

  /** Shows median and range. */
  String show(String format) {
    if (values.isEmpty() || Double.isNaN(median())) {
      return "-";
    }
    String middle = String.format(Locale.ROOT, format, median());
    return values.size() == 1
        ? middle
        : String.format(
            Locale.ROOT, "%s (" + format + " - " + format + ")", middle, least(), most());
  }

  private double[] sorted() {
    return values.stream().mapToDouble(Double::doubleValue).sorted().toArray();
  }
}
