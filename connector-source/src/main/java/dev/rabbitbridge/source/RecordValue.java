// SPDX-License-Identifier: Apache-2.0
package dev.rabbitbridge.source;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.core.StreamReadFeature;
import java.io.IOException;
import java.math.BigDecimal;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.Charset;
import java.nio.charset.IllegalCharsetNameException;
import java.nio.charset.StandardCharsets;
import java.nio.charset.UnsupportedCharsetException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.kafka.connect.data.Schema;
import org.apache.kafka.connect.data.SchemaAndValue;
import org.apache.kafka.connect.errors.DataException;
import org.jspecify.annotations.Nullable;

/** Makes a record's value of a message's body. Pure; never quotes the body in an error. */
final class RecordValue {
  private static final JsonFactory JSON =
      JsonFactory.builder().enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION).build();
  private static final Pattern CHARSET =
      Pattern.compile(";\\s*charset\\s*=\\s*\"?([^\";\\s]+)", Pattern.CASE_INSENSITIVE);

  private RecordValue() {}

  static SchemaAndValue bytes(byte[] body) {
    return new SchemaAndValue(Schema.BYTES_SCHEMA, body);
  }

  /**
   * Decodes text: in the content type's charset, else the content encoding's, else UTF-8.
   *
   * @throws DataException if the body is not text in that charset
   */
  static SchemaAndValue string(
      byte[] body, @Nullable String contentType, @Nullable String contentEncoding) {
    Charset charset = charset(contentType, contentEncoding);
    try {
      String text = charset.newDecoder().decode(ByteBuffer.wrap(body)).toString();
      return new SchemaAndValue(Schema.STRING_SCHEMA, text);
    } catch (CharacterCodingException e) {
      throw new DataException("the body is not text in " + charset, e);
    }
  }

  private static Charset charset(@Nullable String contentType, @Nullable String contentEncoding) {
    Matcher parameter = CHARSET.matcher(contentType == null ? "" : contentType);
    if (parameter.find()) {
      Charset named = charset(parameter.group(1));
      if (named == null) {
        throw new DataException("the content type names an unknown charset");
      }
      return named;
    }
    Charset named = contentEncoding == null ? null : charset(contentEncoding);
    return named == null ? StandardCharsets.UTF_8 : named;
  }

  private static @Nullable Charset charset(String name) {
    try {
      return Charset.forName(name.trim());
    } catch (IllegalCharsetNameException | UnsupportedCharsetException e) {
      return null;
    }
  }

  /**
   * Parses JSON into maps, lists and simple values, without a schema. Whole numbers are 64 bits
   * wide; a number that neither they nor a double can hold exactly stays the text it was.
   *
   * @throws DataException if the body is not exactly one JSON value
   */
  static SchemaAndValue json(byte[] body) {
    try (JsonParser parser = JSON.createParser(body)) {
      if (parser.nextToken() == null) {
        throw new DataException("the body is empty, not JSON");
      }
      Object value = value(parser);
      if (parser.nextToken() != null) {
        throw new DataException("the body holds more than one JSON value");
      }
      return new SchemaAndValue(null, value);
    } catch (JsonProcessingException e) {
      // Its message quotes the body.
      int line = e.getLocation() == null ? 0 : e.getLocation().getLineNr();
      int column = e.getLocation() == null ? 0 : e.getLocation().getColumnNr();
      throw new DataException("the body is not JSON at line " + line + ", column " + column);
    } catch (IOException e) {
      // Nothing is read but the body: it begins like UTF-16 or UTF-32, and is neither.
      throw new DataException("the body is not JSON in any encoding of Unicode");
    }
  }

  private static @Nullable Object value(JsonParser parser) throws IOException {
    return switch (parser.currentToken()) {
      case START_OBJECT -> object(parser);
      case START_ARRAY -> array(parser);
      case VALUE_STRING -> parser.getText();
      case VALUE_NUMBER_INT -> whole(parser);
      case VALUE_NUMBER_FLOAT -> fraction(parser);
      case VALUE_TRUE -> true;
      case VALUE_FALSE -> false;
      case VALUE_NULL -> null;
      default -> throw new DataException("unexpected JSON token " + parser.currentToken());
    };
  }

  private static Map<String, @Nullable Object> object(JsonParser parser) throws IOException {
    Map<String, @Nullable Object> object = new LinkedHashMap<>();
    while (parser.nextToken() != JsonToken.END_OBJECT) {
      String name = parser.currentName();
      parser.nextToken();
      object.put(name, value(parser));
    }
    return object;
  }

  private static List<@Nullable Object> array(JsonParser parser) throws IOException {
    List<@Nullable Object> array = new ArrayList<>();
    while (parser.nextToken() != JsonToken.END_ARRAY) {
      array.add(value(parser));
    }
    return array;
  }

  private static Object whole(JsonParser parser) throws IOException {
    return switch (parser.getNumberType()) {
      case INT, LONG -> (Object) parser.getLongValue();
      default -> parser.getText();
    };
  }

  private static Object fraction(JsonParser parser) throws IOException {
    String written = parser.getText();
    double value = parser.getDoubleValue();
    return Double.isFinite(value) && isExactly(value, written) ? (Object) value : written;
  }

  private static boolean isExactly(double value, String written) {
    try {
      return new BigDecimal(written).compareTo(new BigDecimal(Double.toString(value))) == 0;
    } catch (NumberFormatException e) {
      return false; // its exponent has more than 32 bits
    }
  }

  /** Tells which format a content type stands for. */
  static ValueFormat formatOf(@Nullable String contentType) {
    if (contentType == null) {
      return ValueFormat.BYTES;
    }
    String type = contentType.split(";", 2)[0].trim().toLowerCase(Locale.ROOT);
    if (type.equals("application/json") || type.endsWith("+json")) {
      return ValueFormat.JSON;
    }
    return type.startsWith("text/") ? ValueFormat.STRING : ValueFormat.BYTES;
  }
}
