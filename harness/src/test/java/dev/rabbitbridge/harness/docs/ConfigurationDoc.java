// SPDX-License-Identifier: Apache-2.0
package dev.rabbitbridge.harness.docs;

import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Predicate;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.apache.kafka.common.config.ConfigDef;
import org.apache.kafka.common.config.ConfigDef.ConfigKey;
import org.apache.kafka.common.config.types.Password;

/** Writes the tables of docs/configuration.md from what the connectors define. */
final class ConfigurationDoc {
  /** A table between two comments, of the keys that the first one names. */
  private static final Pattern TABLE =
      Pattern.compile("(<!-- keys: (.+?) -->\n).*?(<!-- end -->)", Pattern.DOTALL);

  private final Map<String, Map<String, ConfigKey>> groups = new TreeMap<>();

  ConfigurationDoc(ConfigDef sink, ConfigDef source) {
    Map<String, ConfigKey> sinks = sink.configKeys();
    Map<String, ConfigKey> sources = source.configKeys();
    Predicate<String> shared =
        name ->
            sinks.containsKey(name)
                && sources.containsKey(name)
                && row(sinks.get(name)).equals(row(sources.get(name)));
    sinks.forEach((name, key) -> add(shared.test(name) ? "both" : "sink", key));
    sources.values().stream()
        .filter(key -> !shared.test(key.name))
        .forEach(key -> add("source", key));
  }

  private void add(String owner, ConfigKey key) {
    groups
        .computeIfAbsent(owner + "/" + key.group, group -> new LinkedHashMap<>())
        .put(key.name, key);
  }

  /** The document with its tables written anew. */
  String rendered(String document) {
    return TABLE.matcher(document).replaceAll(this::quoted);
  }

  private String quoted(MatchResult table) {
    Map<String, ConfigKey> keys = groups.get(table.group(2));
    if (keys == null) {
      throw new IllegalStateException(table.group(2) + " is none of " + groups.keySet());
    }
    return Matcher.quoteReplacement(table.group(1) + table(keys.values()) + table.group(3));
  }

  /** Groups that have no place in a document. */
  List<String> missingIn(String document) {
    return groups.keySet().stream()
        .filter(group -> !document.contains("<!-- keys: " + group + " -->"))
        .toList();
  }

  private static String table(Collection<ConfigKey> keys) {
    return keys.stream()
        .sorted((a, b) -> Integer.compare(a.orderInGroup, b.orderInGroup))
        .map(ConfigurationDoc::row)
        .collect(
            Collectors.joining("", "| Key | Type | Default | Meaning |\n|---|---|---|---|\n", ""));
  }

  private static String row(ConfigKey key) {
    return "| `%s` | %s | %s | %s%s |\n"
        .formatted(
            key.name,
            key.type.name().toLowerCase(Locale.ROOT),
            defaultOf(key),
            cell(key.documentation),
            valid(key));
  }

  private static String valid(ConfigKey key) {
    String text = key.validator == null ? "" : key.validator.toString();
    if (text.isBlank()) {
      return "";
    }
    return " Valid: "
        + cell(text)
            .replaceAll("^\\[(-?\\d+),\\.\\.\\.]$", "$1 or more")
            .replaceAll("^\\[(-?\\d+),\\.\\.\\.,(\\d+)]$", "$1 to $2")
        + ".";
  }

  private static String defaultOf(ConfigKey key) {
    if (!key.hasDefault()) {
      return "**required**";
    }
    Object value = key.defaultValue;
    if (value == null || value.equals(List.of())) {
      return "";
    }
    if (value instanceof Password secret) {
      return "`" + secret.value() + "`";
    }
    if (value instanceof List<?> list) {
      return "`" + list.stream().map(Object::toString).collect(Collectors.joining(",")) + "`";
    }
    return value.equals("") ? "empty" : "`" + value + "`";
  }

  private static String cell(String text) {
    return text.replace("|", "\\|").replace("<", "&lt;").replaceAll("\\$\\{[^}]*}", "`$0`");
  }
}
