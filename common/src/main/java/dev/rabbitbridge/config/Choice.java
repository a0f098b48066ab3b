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
 * A key whose value is one of a few words: the constants of an enum, read in any case, with a dash
 * for each underscore.
 *
 * @param <E> the enum
 */
public final class Choice<E extends Enum<E>> implements ConfigDef.Validator, ConfigDef.Recommender {
  private final E[] constants;
  private final boolean capitals;

  private Choice(E[] constants, boolean capitals) {
    this.constants = constants;
    this.capitals = capitals;
  }

  /**
   * Creates the choice between an enum's constants, offered in lower case.
   *
   * @param type the enum
   * @param <E> the enum
   * @return validator and recommender in one
   */
  public static <E extends Enum<E>> Choice<E> of(Class<E> type) {
    return new Choice<>(type.getEnumConstants(), false);
  }

  /**
   * Creates the choice between an enum's constants, offered in capitals.
   *
   * @param type the enum
   * @param <E> the enum
   * @return validator and recommender in one
   */
  public static <E extends Enum<E>> Choice<E> ofCapitals(Class<E> type) {
    return new Choice<>(type.getEnumConstants(), true);
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
    return List.copyOf(words());
  }

  @Override
  public boolean visible(String name, Map<String, Object> parsedConfig) {
    return true;
  }

  @Override
  public String toString() {
    return String.join(", ", words());
  }

  private List<String> words() {
    return Arrays.stream(constants)
        .map(constant -> capitals ? constant.name() : word(constant))
        .toList();
  }
}
