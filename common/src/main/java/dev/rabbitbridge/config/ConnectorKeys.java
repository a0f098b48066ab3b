// SPDX-License-Identifier: Apache-2.0
package dev.rabbitbridge.config;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.apache.kafka.common.config.ConfigDef;
import org.apache.kafka.common.config.ConfigValue;
import org.jspecify.annotations.Nullable;

/**
 * The keys of one connector: those it defines, other names for them, and those of other connectors
 * that mean nothing here.
 *
 * <p>A key under {@code rabbitmq.}, in whatever case, that is none of these is an error, because a
 * misspelt key would silently leave its default in force. Keys without that prefix belong to the
 * framework, its converters and transforms, and are never complained about.
 *
 * <p>Immutable; safe for use by any thread.
 */
public final class ConnectorKeys {
  private static final String OWN_PREFIX = "rabbitmq.";
  private static final String NULL_VALUE = "Invalid value null for configuration";

  private final ConfigDef definition;
  private final Map<String, String> aliases;
  private final Set<String> ignored;
  private final Set<String> maybeEmpty;

  /**
   * Creates the description of a connector's keys.
   *
   * @param definition every key that has a meaning, under its own name
   * @param aliases other name to own name; a name that ends in a dot stands for all keys below it
   * @param ignored keys that other connectors have and that mean nothing here; one that ends in a
   *     dot stands for all keys below it
   */
  public ConnectorKeys(ConfigDef definition, Map<String, String> aliases, Set<String> ignored) {
    this(definition, aliases, ignored, Set.of());
  }

  /**
   * Creates the description of a connector's keys, some of which mean something by being empty.
   *
   * @param definition every key that has a meaning, under its own name
   * @param aliases other name to own name; a name that ends in a dot stands for all keys below it
   * @param ignored keys that other connectors have and that mean nothing here; one that ends in a
   *     dot stands for all keys below it
   * @param maybeEmpty optional keys that are set when they are empty; all others are not, because
   *     forms send what was left blank
   */
  public ConnectorKeys(
      ConfigDef definition,
      Map<String, String> aliases,
      Set<String> ignored,
      Set<String> maybeEmpty) {
    this.definition = definition;
    this.aliases = Map.copyOf(aliases);
    this.ignored = Set.copyOf(ignored);
    this.maybeEmpty = Set.copyOf(maybeEmpty);
  }

  /**
   * Returns the definition that the framework shows to users.
   *
   * @return the definition given, not a copy
   */
  public ConfigDef definition() {
    return definition;
  }

  /**
   * Checks a configuration without connecting to anything.
   *
   * @param props the connector's configuration as the user wrote it
   * @param rules adds errors that concern several keys at once, as the rest of a sentence that
   *     begins with the key; it sees the parsed values by key, null where parsing failed
   * @return a value for every defined key and for every key that is wrong; never throws for a bad
   *     configuration
   */
  public List<ConfigValue> validate(Map<String, String> props, Rules rules) {
    Map<String, String> set = onlySet(props);
    Map<String, ConfigValue> values = new LinkedHashMap<>();
    for (ConfigValue value : definition.validate(resolve(set))) {
      values.put(value.name(), value);
    }
    for (String key : set.keySet()) {
      String own = ownName(key);
      if (!own.equals(key) && set.containsKey(own)) {
        values
            .computeIfAbsent(key, ConfigValue::new)
            .addErrorMessage("is another name for " + own + ", which is set as well; remove one");
      } else if (isUnknown(key)) {
        values
            .computeIfAbsent(key, ConfigValue::new)
            .addErrorMessage(
                "is no key of this connector; did you mean "
                    + closestTo(ownName(key.toLowerCase(Locale.ROOT)))
                    + "?");
      }
    }
    rules.check(values);
    Map<String, String> aliasesUsed = new HashMap<>();
    set.keySet().stream()
        .filter(key -> !set.containsKey(ownName(key)))
        .forEach(key -> aliasesUsed.put(ownName(key), key));
    return values.values().stream()
        .map(value -> named(value, aliasesUsed.getOrDefault(value.name(), value.name())))
        .toList();
  }

  /**
   * Connect puts the messages of a refused configuration into one text, without the keys they are
   * about.
   */
  private static ConfigValue named(ConfigValue value, String written) {
    if (value.errorMessages().isEmpty()) {
      return value;
    }
    // What cannot be parsed is checked all the same, as null.
    List<String> errors =
        value.errorMessages().stream()
            .filter(text -> value.errorMessages().size() == 1 || !text.startsWith(NULL_VALUE))
            .map(text -> named(value.name(), text))
            .map(text -> written.equals(value.name()) ? text : text + " (set as " + written + ")")
            .toList();
    ConfigValue named =
        new ConfigValue(value.name(), value.value(), value.recommendedValues(), errors);
    named.visible(value.visible());
    return named;
  }

  private static String named(String key, String message) {
    boolean isNamed =
        message.startsWith(key)
            || message.contains("configuration " + key)
            || message.contains("configuration \"" + key);
    return isNamed ? message : key + " " + message;
  }

  /**
   * Gives every alias its own name, so that a config class finds one key for one meaning.
   *
   * @param props the connector's configuration as the user wrote it
   * @return a copy without the keys that are not set: whose value is null, which JSON can say, or
   *     empty where there is no default either; where a key and its alias are both set, the key
   *     wins
   */
  public Map<String, String> resolve(Map<String, String> props) {
    Map<String, String> set = onlySet(props);
    Map<String, String> resolved = new HashMap<>(set);
    set.forEach((key, value) -> resolved.putIfAbsent(ownName(key), value));
    return resolved;
  }

  private Map<String, String> onlySet(Map<String, String> props) {
    Map<String, String> set = new HashMap<>(props);
    set.entrySet().removeIf(entry -> !isSet(ownName(entry.getKey()), entry.getValue()));
    return set;
  }

  private boolean isSet(String key, @Nullable String value) {
    if (value == null) {
      return false;
    }
    ConfigDef.ConfigKey known = definition.configKeys().get(key);
    boolean isOptional = known != null && known.defaultValue == null && !maybeEmpty.contains(key);
    return !isOptional || !value.isBlank();
  }

  /**
   * Says which keys of a configuration have no effect, and which have another name here.
   *
   * @param props the connector's configuration as the user wrote it
   * @return one sentence for each such key, to be logged at WARN once
   */
  public List<String> warnings(Map<String, String> props) {
    List<String> warnings = new ArrayList<>();
    for (String key : new TreeMap<>(onlySet(props)).keySet()) {
      if (isIgnored(key)) {
        warnings.add(key + " has no meaning for this connector and is ignored; remove it");
      } else if (!ownName(key).equals(key)) {
        warnings.add(key + " is another name for " + ownName(key) + "; rename it");
      }
    }
    return warnings;
  }

  private boolean isUnknown(String key) {
    return key.regionMatches(true, 0, OWN_PREFIX, 0, OWN_PREFIX.length())
        && !definition.names().contains(ownName(key))
        && !isIgnored(key);
  }

  private boolean isIgnored(String key) {
    return ignored.contains(key)
        || ignored.stream().anyMatch(below -> below.endsWith(".") && key.startsWith(below));
  }

  private String ownName(String key) {
    String exact = aliases.get(key);
    if (exact != null) {
      return exact;
    }
    for (Map.Entry<String, String> alias : aliases.entrySet()) {
      if (alias.getKey().endsWith(".") && key.startsWith(alias.getKey())) {
        return alias.getValue() + key.substring(alias.getKey().length());
      }
    }
    return key;
  }

  private String closestTo(String key) {
    return definition.names().stream()
        .min(Comparator.comparingInt((String known) -> distance(key, known)).thenComparing(s -> s))
        .orElseThrow();
  }

  /** Levenshtein distance: how many letters must be typed, deleted or replaced. */
  private static int distance(String a, String b) {
    int[] row = new int[b.length() + 1];
    for (int j = 0; j <= b.length(); j++) {
      row[j] = j;
    }
    for (int i = 1; i <= a.length(); i++) {
      int diagonal = row[0];
      row[0] = i;
      for (int j = 1; j <= b.length(); j++) {
        int replaced = diagonal + (a.charAt(i - 1) == b.charAt(j - 1) ? 0 : 1);
        diagonal = row[j];
        row[j] = Math.min(replaced, Math.min(row[j], row[j - 1]) + 1);
      }
    }
    return row[b.length()];
  }

  /** Rules that concern several keys at once. */
  @FunctionalInterface
  public interface Rules {
    /**
     * Adds an error to each value that breaks a rule.
     *
     * @param values the parsed values by key; every defined key is there
     */
    void check(Map<String, ConfigValue> values);
  }
}
