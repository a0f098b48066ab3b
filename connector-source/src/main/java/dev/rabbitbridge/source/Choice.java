// SPDX-License-Identifier: Apache-2.0
package dev.rabbitbridge.source;

import java.util.Arrays;
import java.util.Locale;
import org.apache.kafka.common.config.ConfigDef;

/** Closed choices as they are written in a configuration: lower case, words joined by a hyphen. */
final class Choice {
  private Choice() {}

  static <E extends Enum<E>> ConfigDef.Validator of(Class<E> type) {
    return ConfigDef.CaseInsensitiveValidString.in(
        Arrays.stream(type.getEnumConstants()).map(Choice::written).toArray(String[]::new));
  }

  static String written(Enum<?> choice) {
    return choice.name().toLowerCase(Locale.ROOT).replace('_', '-');
  }

  static <E extends Enum<E>> E parse(Class<E> type, String written) {
    return Enum.valueOf(type, written.toUpperCase(Locale.ROOT).replace('-', '_'));
  }
}
