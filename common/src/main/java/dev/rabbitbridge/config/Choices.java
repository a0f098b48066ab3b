// SPDX-License-Identifier: Apache-2.0
package dev.rabbitbridge.config;

import java.util.List;
import java.util.Map;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.apache.kafka.common.config.ConfigDef;
import org.apache.kafka.common.config.ConfigException;
import org.jspecify.annotations.Nullable;

/**
 * The values that a setting can have: checked when it is set, and offered by user interfaces.
 *
 * <p>Immutable; safe for use by any thread.
 */
public final class Choices implements ConfigDef.Validator, ConfigDef.Recommender {
  private final List<String> values;
  private final boolean othersToo;
  private final Predicate<Map<String, Object>> visible;

  private Choices(List<String> values, boolean othersToo, Predicate<Map<String, Object>> visible) {
    this.values = values;
    this.othersToo = othersToo;
    this.visible = visible;
  }

  /**
   * Returns the names of an enum's constants, in the order of the enum.
   *
   * @param type the closed choice; its constants are written in capitals
   * @return values in capitals
   */
  public static Choices of(Class<? extends Enum<?>> type) {
    return new Choices(
        Stream.of(type.getEnumConstants()).map(Enum::name).toList(), false, config -> true);
  }

  /**
   * Returns these values.
   *
   * @param values every value that is allowed
   * @return the choice between them
   */
  public static Choices of(String... values) {
    return new Choices(List.of(values), false, config -> true);
  }

  /** Offers these values, and takes any other as well. */
  static Choices suggested(String... values) {
    return new Choices(List.of(values), true, config -> true);
  }

  /** Tells user interfaces when the setting matters; it is checked all the same. */
  Choices shownIf(Predicate<Map<String, Object>> condition) {
    return new Choices(values, othersToo, condition);
  }

  @Override
  public void ensureValid(String name, @Nullable Object value) {
    if (!othersToo && (value == null || !values.contains(value))) {
      throw new ConfigException(name, value, "must be one of " + String.join(", ", values));
    }
  }

  @Override
  public List<Object> validValues(String name, Map<String, Object> parsedConfig) {
    return List.copyOf(values);
  }

  @Override
  public boolean visible(String name, Map<String, Object> parsedConfig) {
    return visible.test(parsedConfig);
  }

  @Override
  public String toString() {
    return (othersToo ? "for example " : "") + String.join(", ", values);
  }
}
