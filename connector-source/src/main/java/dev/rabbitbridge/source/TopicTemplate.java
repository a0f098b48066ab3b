// SPDX-License-Identifier: Apache-2.0
package dev.rabbitbridge.source;

import dev.rabbitbridge.message.Template;
import java.util.Set;
import java.util.regex.Pattern;
import org.apache.kafka.common.config.ConfigException;
import org.apache.kafka.connect.errors.DataException;
import org.jspecify.annotations.Nullable;

/** Gives each delivery the topic that its record goes to. Immutable. */
final class TopicTemplate {
  private static final Set<String> NAMES = Set.of("queue", "exchange", "routing.key", "header:");
  private static final Pattern LEGAL = Pattern.compile("[a-zA-Z0-9._-]{1,249}");
  private static final Pattern REFERENCE = Pattern.compile("\\$\\{[^}]*}");

  private final String key;
  private final String text;
  private final Template template;

  /**
   * Parses a template.
   *
   * @param key the configuration key, for errors
   * @throws ConfigException if it could never give a topic
   */
  TopicTemplate(String key, String text) {
    this.key = key;
    this.text = text;
    this.template = Template.parse(key, text, NAMES);
    if (!isTopic(REFERENCE.matcher(text).replaceAll("x"))) {
      throw new ConfigException(key, text, "a topic is 1 to 249 letters, digits, '.', '_' and '-'");
    }
  }

  /**
   * Returns the topic of a delivery.
   *
   * @throws DataException if a reference has no value, or the result is not a topic's name
   */
  String render(Delivery delivery) {
    String topic = template.render((name, argument) -> value(name, argument, delivery));
    if (!template.isStatic() && !isTopic(topic)) {
      throw new DataException(
          key + " " + text + " gives no topic: 1 to 249 letters, digits, '.', '_' and '-'");
    }
    return topic;
  }

  private static @Nullable String value(String name, String argument, Delivery delivery) {
    String value =
        switch (name) {
          case "queue" -> delivery.queue();
          case "exchange" -> delivery.exchange();
          case "routing.key" -> delivery.routingKey();
          default -> {
            Object header = delivery.headers().get(argument);
            yield header == null ? null : header.toString();
          }
        };
    return value == null || value.isEmpty() ? null : value;
  }

  private static boolean isTopic(String text) {
    return LEGAL.matcher(text).matches() && !text.equals(".") && !text.equals("..");
  }

  @Override
  public String toString() {
    return text;
  }
}
