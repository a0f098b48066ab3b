// SPDX-License-Identifier: Apache-2.0
package dev.rabbitbridge.message;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.StreamWriteFeature;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalTime;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.time.temporal.ChronoUnit;
import java.util.Collection;
import java.util.Map;
import org.apache.kafka.connect.data.Date;
import org.apache.kafka.connect.data.Field;
import org.apache.kafka.connect.data.Schema;
import org.apache.kafka.connect.data.Struct;
import org.apache.kafka.connect.data.Time;
import org.apache.kafka.connect.errors.DataException;
import org.jspecify.annotations.Nullable;

/**
 * Writes Connect data as the JSON that a person would write, the same with and without a schema.
 *
 * <p>Decimals are numbers, points in time ISO 8601 text in UTC, dates and times of day their ISO
 * text, bytes base64.
 */
public final class JsonBody {
  private static final JsonFactory JSON =
      JsonFactory.builder().enable(StreamWriteFeature.WRITE_BIGDECIMAL_AS_PLAIN).build();

  private JsonBody() {}

  /**
   * Writes a value.
   *
   * @param schema the value's schema, null for none
   * @param value the value; null becomes {@code null}
   * @return UTF-8 JSON
   * @throws DataException if a value is of no Connect type, nested deeper than JSON readers go, or
   *     a decimal of thousands of digits
   */
  public static byte[] of(@Nullable Schema schema, @Nullable Object value) {
    ByteArrayOutputStream out = new ByteArrayOutputStream(256);
    try (JsonGenerator json = JSON.createGenerator(out)) {
      write(json, schema, value);
    } catch (IOException e) {
      // Nothing is written but to memory: it is the value that cannot be written.
      throw new DataException("the value cannot be written as JSON: " + e.getMessage(), e);
    }
    return out.toByteArray();
  }

  /**
   * Writes a value for where only text can stand, such as the key of a map.
   *
   * @param schema the value's schema, null for none
   * @param value the value
   * @return text as it is, anything else as its JSON without quotes
   * @throws DataException as in {@link #of}
   */
  public static String text(@Nullable Schema schema, @Nullable Object value) {
    if (value instanceof String text) {
      return text;
    }
    String json = new String(of(schema, value), StandardCharsets.UTF_8);
    return json.startsWith("\"") ? json.substring(1, json.length() - 1) : json;
  }

  /**
   * Reads a field as it was set. Connect's own accessor puts a default in the place of a null that
   * the schema allows.
   *
   * @param struct what has the field
   * @param field a field of its schema
   * @return the value; the default only where there has to be one
   */
  public static @Nullable Object field(Struct struct, Field field) {
    return field.schema().isOptional() ? struct.getWithoutDefault(field.name()) : struct.get(field);
  }

  private static void write(JsonGenerator json, @Nullable Schema schema, @Nullable Object value)
      throws IOException {
    if (value == null) {
      json.writeNull();
    } else if (value instanceof String text) {
      json.writeString(text);
    } else if (value instanceof Boolean bool) {
      json.writeBoolean(bool);
    } else if (value instanceof Number number) {
      write(json, number);
    } else if (value instanceof java.util.Date date) {
      json.writeString(time(schema, date));
    } else if (value instanceof byte[] bytes) {
      json.writeBinary(bytes);
    } else if (value instanceof ByteBuffer buffer) {
      byte[] bytes = new byte[buffer.remaining()];
      buffer.duplicate().get(bytes);
      json.writeBinary(bytes);
    } else if (value instanceof Struct struct) {
      json.writeStartObject();
      for (Field field : struct.schema().fields()) {
        json.writeFieldName(field.name());
        write(json, field.schema(), field(struct, field));
      }
      json.writeEndObject();
    } else if (value instanceof Map<?, ?> map) {
      Schema keys = schema == null ? null : schema.keySchema();
      Schema values = schema == null ? null : schema.valueSchema();
      json.writeStartObject();
      for (Map.Entry<?, ?> entry : map.entrySet()) {
        json.writeFieldName(text(keys, entry.getKey()));
        write(json, values, entry.getValue());
      }
      json.writeEndObject();
    } else if (value instanceof Collection<?> items) {
      Schema values = schema == null ? null : schema.valueSchema();
      json.writeStartArray();
      for (Object item : items) {
        write(json, values, item);
      }
      json.writeEndArray();
    } else {
      throw new DataException("a value of " + value.getClass().getName() + " has no JSON form");
    }
  }

  private static void write(JsonGenerator json, Number number) throws IOException {
    if (number instanceof BigDecimal decimal) {
      json.writeNumber(decimal);
    } else if (number instanceof BigInteger integer) {
      json.writeNumber(integer);
    } else if (number instanceof Double || number instanceof Float) {
      if (number instanceof Float single) {
        json.writeNumber(single);
      } else {
        json.writeNumber(number.doubleValue());
      }
    } else {
      json.writeNumber(number.longValue());
    }
  }

  private static String time(@Nullable Schema schema, java.util.Date date) {
    Instant instant = Instant.ofEpochMilli(date.getTime());
    String name = schema == null ? null : schema.name();
    if (Date.LOGICAL_NAME.equals(name)) {
      return LocalDate.ofInstant(instant, ZoneOffset.UTC).toString();
    }
    if (Time.LOGICAL_NAME.equals(name)) {
      return DateTimeFormatter.ISO_LOCAL_TIME.format(
          LocalTime.MIDNIGHT.plus(date.getTime(), ChronoUnit.MILLIS));
    }
    return instant.toString();
  }
}
