// SPDX-License-Identifier: Apache-2.0
package dev.rabbitbridge.message;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.nio.ByteBuffer;
import java.time.Instant;
import java.time.LocalTime;
import java.time.format.DateTimeFormatter;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.Date;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.kafka.connect.data.Field;
import org.apache.kafka.connect.data.Schema;
import org.apache.kafka.connect.data.Struct;
import org.apache.kafka.connect.data.Time;
import org.apache.kafka.connect.errors.DataException;
import org.apache.kafka.connect.header.Header;
import org.apache.kafka.connect.header.Headers;
import org.jspecify.annotations.Nullable;

/**
 * Turns Connect headers into an AMQP header table.
 *
 * <p>Each value keeps its type where AMQP has one, and is exact text where it has not: a decimal
 * whose unscaled value needs more than 32 bits, an integer of more than 64 bits, a point in time
 * that is not a whole second since 1970, a time of day.
 *
 * @see <a href="https://www.rabbitmq.com/amqp-0-9-1-errata#section_3">RabbitMQ's table field
 *     types</a>
 */
public final class AmqpHeaders {
  /**
   * Marks an empty message that a Kafka record without a value became, so that it can become one
   * again.
   */
  public static final String TOMBSTONE = "kafka.tombstone";

  /**
   * Headers whose meaning belongs to the broker; a copy of them could be believed, or crash a
   * queue.
   */
  private static final Set<String> OWNED_BY_BROKER =
      Set.of("x-death", "x-delivery-count", "x-acquired-count", "x-stream-offset");

  /**
   * Routing keys of copies; RabbitMQ closes the channel over any other type than a list of text.
   */
  private static final List<String> COPIES = List.of("CC", "BCC");

  private AmqpHeaders() {}

  /**
   * Tells whether the broker writes a header itself.
   *
   * @param name the header's name
   * @return true for x-death and its kin, which must not be sent
   */
  public static boolean isOwnedByBroker(String name) {
    return OWNED_BY_BROKER.contains(name)
        || name.startsWith("x-first-death-")
        || name.startsWith("x-last-death-");
  }

  /**
   * Adds Connect headers to a table. A name that comes more than once becomes a list, in order.
   * Headers that the broker owns are left out.
   *
   * @param headers the record's headers
   * @param table what to add to
   * @throws DataException if a value has no translation
   */
  public static void addTo(Map<String, Object> table, Headers headers) {
    if (headers.isEmpty()) {
      return;
    }
    Map<String, List<@Nullable Object>> repeated = new HashMap<>();
    for (Header header : headers) {
      String name = header.key();
      if (isOwnedByBroker(name)) {
        continue;
      }
      Object value = valueOf(name, header.schema(), header.value());
      List<@Nullable Object> all = repeated.computeIfAbsent(name, n -> new ArrayList<>(1));
      all.add(value);
      table.put(name, all.size() == 1 ? value : all);
    }
  }

  /**
   * Gives the headers CC and BCC, from which RabbitMQ takes routing keys, the only type that they
   * may have: a list of text. What cannot be that is left out.
   *
   * @param table the message's header table; changed
   */
  public static void makeListsOfCopies(Map<String, Object> table) {
    for (String name : COPIES) {
      if (table.containsKey(name)) {
        List<String> keys = routingKeys(table.get(name));
        if (keys == null) {
          table.remove(name);
        } else {
          table.put(name, keys);
        }
      }
    }
  }

  private static @Nullable List<String> routingKeys(@Nullable Object value) {
    List<String> keys = new ArrayList<>();
    Collection<?> items =
        value instanceof Collection<?> list ? list : Collections.singletonList(value);
    for (Object item : items) {
      if (!(item instanceof String || item instanceof Number || item instanceof Boolean)) {
        return null;
      }
      keys.add(item.toString());
    }
    return keys;
  }

  /**
   * Translates one value.
   *
   * @param name the header's name, for the error
   * @param schema the value's schema, null for none
   * @param value the value
   * @return what the client writes with the right type tag; null stays null
   * @throws DataException if there is no translation
   */
  public static @Nullable Object valueOf(
      String name, @Nullable Schema schema, @Nullable Object value) {
    if (value == null
        || value instanceof String
        || value instanceof Long
        || value instanceof Integer
        || value instanceof Short
        || value instanceof Byte
        || value instanceof Boolean
        || value instanceof Double
        || value instanceof Float
        || value instanceof byte[]) {
      return value;
    }
    if (value instanceof ByteBuffer buffer) {
      byte[] bytes = new byte[buffer.remaining()];
      buffer.duplicate().get(bytes);
      return bytes;
    }
    if (value instanceof BigDecimal decimal) {
      return isAmqpDecimal(decimal) ? decimal : decimal.toString();
    }
    if (value instanceof BigInteger integer) {
      return integer.bitLength() < Long.SIZE ? integer.longValue() : integer.toString();
    }
    if (value instanceof Date date) {
      return time(schema, date);
    }
    if (value instanceof Struct struct) {
      return table(name, struct);
    }
    if (value instanceof Map<?, ?> map) {
      Map<String, @Nullable Object> table = new LinkedHashMap<>();
      Schema keys = schema == null ? null : schema.keySchema();
      Schema values = schema == null ? null : schema.valueSchema();
      map.forEach((k, v) -> table.put(JsonBody.text(keys, k), valueOf(name, values, v)));
      return table;
    }
    if (value instanceof Collection<?> items) {
      List<@Nullable Object> list = new ArrayList<>(items.size());
      Schema values = schema == null ? null : schema.valueSchema();
      items.forEach(item -> list.add(valueOf(name, values, item)));
      return list;
    }
    throw new DataException(
        "header "
            + name
            + " has a value of "
            + value.getClass().getName()
            + ", which AMQP cannot carry");
  }

  private static Map<String, @Nullable Object> table(String name, Struct struct) {
    Map<String, @Nullable Object> table = new LinkedHashMap<>();
    for (Field field : struct.schema().fields()) {
      table.put(field.name(), valueOf(name, field.schema(), JsonBody.field(struct, field)));
    }
    return table;
  }

  private static boolean isAmqpDecimal(BigDecimal decimal) {
    return decimal.unscaledValue().bitLength() < Integer.SIZE
        && decimal.scale() >= 0
        && decimal.scale() <= 255;
  }

  /** AMQP counts whole seconds since 1970, without a sign. */
  private static boolean isAmqpTimestamp(Date date) {
    return date.getTime() >= 0 && date.getTime() % 1000 == 0;
  }

  private static Object time(@Nullable Schema schema, Date date) {
    if (schema != null && Time.LOGICAL_NAME.equals(schema.name())) {
      return DateTimeFormatter.ISO_LOCAL_TIME.format(
          LocalTime.MIDNIGHT.plus(date.getTime(), ChronoUnit.MILLIS));
    }
    return isAmqpTimestamp(date) ? date : Instant.ofEpochMilli(date.getTime()).toString();
  }
}
