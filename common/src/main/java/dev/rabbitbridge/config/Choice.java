// SPDX-License-Identifier: Apache-2.0
package dev.rabbitbridge.config;

import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.apache.kafka.common.config.ConfigDef;
import org.apache.kafka.common.config.ConfigException;
import org.jspecify.annotations.Nullable;

/**
 * A key whose value is one of a few words: the constants of an enum, in any case, with a dash for
 * each underscore.
 *
 * @param <E> the enum
 */
public final class Choice<E extends Enum<E>> implements ConfigDef.Validator, ConfigDef.Recommender {
  private final E[] constants;

  private Choice(E[] constants) {
    this.constants = constants;
  }

  /**
   * Creates the choice between an enum's constants.
   *
   * @param type the enum
   * @param <E> the enum
   * @return validator and recommender in one
   */
  public static <E extends Enum<E>> Choice<E> of(Class<E> type) {
    return new Choice<>(type.getEnumConstants());
  }

  /**
   * Returns the word for a constant.
   *
   * @param constant one of the enum's constants
   * @return its name in lower case with dashes
   */
  public static String word(Enum<?> constant) {
    return constant.name().toLowerCase(Locale.ROOT).replace('_', '-');
  }

  /**
   * Finds the constant that a word stands for.
   *
   * @param word a valid word
   * @return the constant
   * @throws IllegalArgumentException if there is none
   */
  public E parse(String word) {
    for (E constant : constants) {
      if (word(constant).equalsIgnoreCase(word)) {
        return constant;
      }
    }
    throw new IllegalArgumentException(word);
  }

  @Override
  public void ensureValid(String name, @Nullable Object value) {
    try {
      parse(String.valueOf(value));
    } catch (IllegalArgumentException e) {
      throw new ConfigException(name, value, "must be one of " + this);
    }
  }

  @Override
  public List<Object> validValues(String name, Map<String, Object> parsedConfig) {
    return Arrays.stream(constants).map(constant -> (Object) word(constant)).toList();
  }

  @Override
  public boolean visible(String name, Map<String, Object> parsedConfig) {
    return true;
  }

  @Override
  public String toString() {
    return String.join(", ", Arrays.stream(constants).map(Choice::word).toList());
  }
}
