// SPDX-License-Identifier: Apache-2.0
package dev.rabbitbridge.message;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.apache.kafka.common.config.ConfigException;
import org.apache.kafka.connect.errors.DataException;
import org.jspecify.annotations.Nullable;

/**
 * Literal text with references like <code>${topic}</code> or <code>${header:region|eu}</code>,
 * filled in from each record.
 *
 * <p>A reference is a name, for some names followed by a colon and an argument, and optionally by a
 * bar and a default. Immutable; safe for use by any thread.
 */
public final class Template {
  private final List<Part> parts;
  private final @Nullable String literal;

  private Template(List<Part> parts) {
    this.parts = parts;
    this.literal = parts.stream().allMatch(part -> part.reference == null) ? join(parts) : null;
  }

  /**
   * Parses a template.
   *
   * @param key the configuration key that it is the value of, for the error
   * @param text the template
   * @param names the references that have a meaning; those that take an argument end in a colon
   * @return the parsed template
   * @throws ConfigException if a reference is not closed or not among the names
   */
  public static Template parse(String key, String text, Set<String> names) {
    List<Part> parts = new ArrayList<>();
    int from = 0;
    for (int open = text.indexOf("${"); open >= 0; open = text.indexOf("${", from)) {
      int close = text.indexOf('}', open);
      if (close < 0) {
        throw new ConfigException(key, text, "has ${ without a closing }");
      }
      if (open > from) {
        parts.add(new Part(text.substring(from, open), null));
      }
      parts.add(new Part("", reference(key, text, text.substring(open + 2, close), names)));
      from = close + 1;
    }
    if (from < text.length()) {
      parts.add(new Part(text.substring(from), null));
    }
    return new Template(parts);
  }

  private static Reference reference(String key, String text, String inner, Set<String> names) {
    int bar = inner.indexOf('|');
    String what = bar < 0 ? inner : inner.substring(0, bar);
    String fallback = bar < 0 ? null : inner.substring(bar + 1);
    int colon = what.indexOf(':');
    String name = colon < 0 ? what : what.substring(0, colon + 1);
    String argument = colon < 0 ? "" : what.substring(colon + 1);
    if (!names.contains(name) || (colon >= 0 && argument.isEmpty())) {
      throw new ConfigException(
          key, text, "has the unknown reference ${" + inner + "}; known are " + known(names));
    }
    return new Reference(name, argument, fallback);
  }

  private static String known(Set<String> names) {
    return names.stream()
        .sorted()
        .map(name -> "${" + (name.endsWith(":") ? name + "..." : name) + "}")
        .reduce((a, b) -> a + ", " + b)
        .orElse("none");
  }

  /**
   * Tells whether every record gives the same text.
   *
   * @return true when the template has no references
   */
  public boolean isStatic() {
    return literal != null;
  }

  /**
   * Fills in the references.
   *
   * @param lookup gives the value of each
   * @return the text
   * @throws DataException if a reference has neither a value nor a default
   */
  public String render(Lookup lookup) {
    if (literal != null) {
      return literal;
    }
    StringBuilder text = new StringBuilder();
    for (Part part : parts) {
      text.append(part.reference == null ? part.text : part.reference.value(lookup));
    }
    return text.toString();
  }

  private static String join(List<Part> parts) {
    StringBuilder text = new StringBuilder();
    parts.forEach(part -> text.append(part.text));
    return text.toString();
  }

  /** Gives the value of a reference in one record. */
  @FunctionalInterface
  public interface Lookup {
    /**
     * Finds a value.
     *
     * @param name the reference's name, with its colon if it takes an argument
     * @param argument what follows the colon, or ""
     * @return the value as text, null when the record has none
     */
    @Nullable String find(String name, String argument);
  }

  private record Part(String text, @Nullable Reference reference) {}

  private record Reference(String name, String argument, @Nullable String fallback) {
    String value(Lookup lookup) {
      String value = lookup.find(name, argument);
      if (value != null) {
        return value;
      }
      if (fallback != null) {
        return fallback;
      }
      throw new DataException(
          "the record has no value for ${"
              + name
              + argument
              + "}; give a default: ${"
              + name
              + argument
              + "|...}");
    }
  }
}
