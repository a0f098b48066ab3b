// SPDX-License-Identifier: Apache-2.0
package dev.rabbitbridge.source;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.kafka.connect.errors.DataException;
import org.jspecify.annotations.Nullable;

/** A topic name made of literal text and references into a delivery. Immutable. */
final class TopicTemplate {
  private static final Pattern REFERENCE = Pattern.compile("\\$\\{([^}|]*)(?:\\|([^}]*))?}");
  private static final Pattern LEGAL = Pattern.compile("[a-zA-Z0-9._-]{1,249}");
  private static final String HEADER = "header:";

  private final String written;
  private final List<Part> parts = new ArrayList<>();

  /**
   * Parses a template.
   *
   * @throws IllegalArgumentException with a reason, if it could never give a topic
   */
  TopicTemplate(String written) {
    this.written = written;
    Matcher reference = REFERENCE.matcher(written);
    int literalFrom = 0;
    while (reference.find()) {
      literal(written.substring(literalFrom, reference.start()));
      parts.add(new Part(null, known(reference.group(1)), reference.group(2)));
      literalFrom = reference.end();
    }
    literal(written.substring(literalFrom));
    if (parts.stream().allMatch(part -> part.literal != null)) {
      String problem = problem(written);
      if (problem != null) {
        throw new IllegalArgumentException(problem);
      }
    }
  }

  private void literal(String text) {
    if (text.isEmpty()) {
      return;
    }
    if (!LEGAL.matcher(text).matches()) {
      throw new IllegalArgumentException(
          "'" + text + "' cannot be part of a topic name: letters, digits, '.', '_' and '-' only");
    }
    parts.add(new Part(text, null, null));
  }

  private static String known(String name) {
    if (name.equals("queue")
        || name.equals("exchange")
        || name.equals("routing.key")
        || (name.startsWith(HEADER) && name.length() > HEADER.length())) {
      return name;
    }
    throw new IllegalArgumentException(
        "${"
            + name
            + "} is unknown; there are ${queue}, ${exchange}, ${routing.key} and ${header:NAME}");
  }

  /**
   * Returns the topic of a delivery.
   *
   * @throws DataException if a reference has no value, or the name is not one of a topic
   */
  String render(Delivery delivery) {
    if (parts.size() == 1 && parts.get(0).literal != null) {
      return parts.get(0).literal;
    }
    StringBuilder topic = new StringBuilder();
    for (Part part : parts) {
      topic.append(part.literal != null ? part.literal : resolve(part, delivery));
    }
    String problem = problem(topic);
    if (problem != null) {
      throw new DataException(RabbitMQSourceConfig.TOPIC_CONFIG + " " + written + ": " + problem);
    }
    return topic.toString();
  }

  private String resolve(Part part, Delivery delivery) {
    String value = value(part.reference, delivery);
    if (value == null || value.isEmpty()) {
      value = part.fallback;
    }
    if (value == null) {
      throw new DataException(
          RabbitMQSourceConfig.TOPIC_CONFIG
              + " "
              + written
              + ": the message has no value for ${"
              + part.reference
              + "}");
    }
    return value;
  }

  private static @Nullable String value(String reference, Delivery delivery) {
    return switch (reference) {
      case "queue" -> delivery.queue();
      case "exchange" -> delivery.exchange();
      case "routing.key" -> delivery.routingKey();
      default -> {
        Map<String, Object> headers = delivery.headers();
        Object header = headers.get(reference.substring(HEADER.length()));
        yield header == null ? null : header.toString();
      }
    };
  }

  private static @Nullable String problem(CharSequence topic) {
    if (topic.toString().equals(".") || topic.toString().equals("..")) {
      return "'" + topic + "' is not a topic name";
    }
    return LEGAL.matcher(topic).matches()
        ? null
        : "the result is not a topic name: 1 to 249 letters, digits, '.', '_' and '-'";
  }

  @Override
  public String toString() {
    return written;
  }

  private record Part(
      @Nullable String literal, @Nullable String reference, @Nullable String fallback) {}
}
