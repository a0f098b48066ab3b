// SPDX-License-Identifier: Apache-2.0
package dev.rabbitbridge.message;

import com.rabbitmq.client.LongString;
import java.math.BigDecimal;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Base64;
import java.util.Date;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.apache.kafka.connect.data.Decimal;
import org.apache.kafka.connect.data.Schema;
import org.apache.kafka.connect.data.SchemaAndValue;
import org.apache.kafka.connect.data.Timestamp;
import org.jspecify.annotations.Nullable;

/**
 * Turns a field of an AMQP table, as the client read it, into a Connect value.
 *
 * <p>Pure; safe for use by any thread.
 */
public final class ReceivedField {
  private ReceivedField() {}

  /**
   * Converts a header's value.
   *
   * <p>Text, numbers, booleans, bytes, dates and decimals get their Connect type; unsigned numbers
   * arrive widened by the client. Text that is not UTF-8 is bytes. A list or table has no schema,
   * since its elements may be of any type: inside it, what only a schema could tell apart is text:
   * dates in ISO 8601, decimals as they are written, bytes in Base64.
   *
   * @param field what the client gave, or null
   * @return its schema and value; both null for null, the schema null for a list or table
   */
  public static SchemaAndValue toConnect(@Nullable Object field) {
    if (field == null) {
      return SchemaAndValue.NULL;
    }
    if (field instanceof Date) {
      return new SchemaAndValue(Timestamp.SCHEMA, field);
    }
    if (field instanceof BigDecimal decimal) {
      return new SchemaAndValue(Decimal.schema(decimal.scale()), decimal);
    }
    if (field instanceof List<?> || field instanceof Map<?, ?>) {
      return new SchemaAndValue(null, nested(field));
    }
    Object scalar = scalar(field);
    return new SchemaAndValue(schema(scalar), scalar);
  }

  private static Schema schema(Object scalar) {
    if (scalar instanceof String) {
      return Schema.STRING_SCHEMA;
    } else if (scalar instanceof Long) {
      return Schema.INT64_SCHEMA;
    } else if (scalar instanceof Integer) {
      return Schema.INT32_SCHEMA;
    } else if (scalar instanceof Boolean) {
      return Schema.BOOLEAN_SCHEMA;
    } else if (scalar instanceof Double) {
      return Schema.FLOAT64_SCHEMA;
    } else if (scalar instanceof Float) {
      return Schema.FLOAT32_SCHEMA;
    } else if (scalar instanceof Short) {
      return Schema.INT16_SCHEMA;
    } else if (scalar instanceof Byte) {
      return Schema.INT8_SCHEMA;
    } else {
      return Schema.BYTES_SCHEMA;
    }
  }

  /** Returns a value of one of the classes that {@link #schema} knows. */
  private static Object scalar(Object field) {
    if (field instanceof LongString text) {
      return text(text.getBytes());
    }
    boolean known =
        field instanceof String
            || field instanceof Boolean
            || field instanceof byte[]
            || field instanceof Long
            || field instanceof Integer
            || field instanceof Short
            || field instanceof Byte
            || field instanceof Double
            || field instanceof Float;
    return known ? field : field.toString();
  }

  private static Object text(byte[] bytes) {
    try {
      return StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes)).toString();
    } catch (CharacterCodingException e) {
      return bytes;
    }
  }

  private static @Nullable Object nested(@Nullable Object field) {
    if (field == null) {
      return null;
    }
    if (field instanceof Map<?, ?> table) {
      Map<String, @Nullable Object> converted = new LinkedHashMap<>();
      table.forEach((name, value) -> converted.put(name.toString(), nested(value)));
      return converted;
    }
    if (field instanceof List<?> list) {
      List<@Nullable Object> converted = new ArrayList<>(list.size());
      list.forEach(element -> converted.add(nested(element)));
      return converted;
    }
    if (field instanceof Date date) {
      return date.toInstant().toString();
    }
    if (field instanceof BigDecimal decimal) {
      return decimal.toPlainString();
    }
    Object scalar = scalar(field);
    return scalar instanceof byte[] bytes ? Base64.getEncoder().encodeToString(bytes) : scalar;
  }
}
