// SPDX-License-Identifier: Apache-2.0
package dev.rabbitbridge.config;

import java.util.List;
import java.util.Map;
import java.util.function.Predicate;
import org.apache.kafka.common.config.ConfigDef;

/**
 * What user interfaces offer for a key that takes other values as well, and when they show it.
 * Whether a value is right is not decided here.
 */
record Suggestions(List<String> values, Predicate<Map<String, Object>> condition)
    implements ConfigDef.Recommender {

  @Override
  public List<Object> validValues(String name, Map<String, Object> parsedConfig) {
    return List.copyOf(values);
  }

  @Override
  public boolean visible(String name, Map<String, Object> parsedConfig) {
    return condition.test(parsedConfig);
  }
}
