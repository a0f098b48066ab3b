// SPDX-License-Identifier: Apache-2.0
package dev.rabbitbridge.sink;

import dev.rabbitbridge.message.JsonBody;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import org.apache.kafka.connect.data.Field;
import org.apache.kafka.connect.data.Schema;
import org.apache.kafka.connect.data.Struct;
import org.apache.kafka.connect.errors.DataException;
import org.apache.kafka.connect.header.Header;
import org.apache.kafka.connect.sink.SinkRecord;
import org.jspecify.annotations.Nullable;

/**
 * Parts of a record as bytes or text: text as it is, bytes as UTF-8, everything else as its JSON.
 */
final class RecordText {
  private RecordText() {}

  static boolean isBytes(Object value) {
    return value instanceof byte[] || value instanceof ByteBuffer;
  }

  /** Returns the bytes of a value that is bytes, else null. */
  static byte @Nullable [] bytes(Object value) {
    if (value instanceof byte[] bytes) {
      return bytes;
    }
    if (value instanceof ByteBuffer buffer) {
      byte[] bytes = new byte[buffer.remaining()];
      buffer.duplicate().get(bytes);
      return bytes;
    }
    return null;
  }

  static byte[] utf8Body(Object value) {
    byte[] bytes = bytes(value);
    if (bytes != null) {
      return bytes;
    }
    if (value instanceof String || value instanceof Number || value instanceof Boolean) {
      return value.toString().getBytes(StandardCharsets.UTF_8);
    }
    throw new DataException(
        "the value is a "
            + value.getClass().getSimpleName()
            + ", not text; set value.converter to"
            + " org.apache.kafka.connect.storage.StringConverter, or "
            + RabbitMQSinkConfig.VALUE_FORMAT_CONFIG
            + " to auto or json");
  }

  static byte[] json(@Nullable Schema schema, Object value) {
    return JsonBody.of(schema, value);
  }

  /**
   * Returns a part of a record as text.
   *
   * @param what the part, for the error
   * @throws DataException if it is bytes that are not text: different bytes would become the same
   */
  static @Nullable String text(String what, @Nullable Schema schema, @Nullable Object value) {
    if (value == null) {
      return null;
    }
    byte[] bytes = bytes(value);
    if (bytes == null) {
      return JsonBody.text(schema, value);
    }
    try {
      return StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes)).toString();
    } catch (CharacterCodingException e) {
      throw new DataException(
          what + " is bytes that are not UTF-8 text; choose a converter that makes text of it", e);
    }
  }

  /** Returns the last header of a name as text. */
  static @Nullable String header(SinkRecord record, String name) {
    Header header = record.headers().lastWithName(name);
    return header == null ? null : text("header " + name, header.schema(), header.value());
  }

  /**
   * Returns the field at a path of names separated by dots, as text; null where the path leads
   * nowhere.
   */
  static @Nullable String field(@Nullable Schema schema, @Nullable Object value, String path) {
    int dot = path.indexOf('.');
    String name = dot < 0 ? path : path.substring(0, dot);
    Object found = null;
    Schema foundSchema = null;
    if (value instanceof Struct struct) {
      Field field = struct.schema().field(name);
      if (field != null) {
        found = JsonBody.field(struct, field);
        foundSchema = field.schema();
      }
    } else if (value instanceof Map<?, ?> map) {
      found = map.get(name);
      foundSchema = schema == null ? null : schema.valueSchema();
    }
    return dot < 0
        ? text("field " + name, foundSchema, found)
        : field(foundSchema, found, path.substring(dot + 1));
  }
}
