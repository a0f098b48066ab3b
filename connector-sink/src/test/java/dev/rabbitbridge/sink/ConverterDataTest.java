// SPDX-License-Identifier: Apache-2.0
package dev.rabbitbridge.sink;

import static dev.rabbitbridge.sink.Records.config;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.math.BigDecimal;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Date;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.apache.kafka.connect.data.Decimal;
import org.apache.kafka.connect.data.Schema;
import org.apache.kafka.connect.data.SchemaBuilder;
import org.apache.kafka.connect.data.Struct;
import org.apache.kafka.connect.data.Time;
import org.apache.kafka.connect.data.Timestamp;
import org.apache.kafka.connect.sink.SinkRecord;
import org.junit.jupiter.api.Test;

/** Data of the shapes that the Avro, Protobuf and JSON Schema converters make. */
class ConverterDataTest {
  private static final String AVRO = "io.confluent.connect.avro.";
  private static final String PROTOBUF = "io.confluent.connect.protobuf.";
  private static final String JSON = "io.confluent.connect.json.";
  private static final Date NOON = new Date(1_796_040_000_123L);

  private static final ObjectMapper EXACT =
      new ObjectMapper().enable(DeserializationFeature.USE_BIG_DECIMAL_FOR_FLOATS);

  private static final Schema ADDRESS =
      SchemaBuilder.struct()
          .name("Address")
          .field("city", Schema.STRING_SCHEMA)
          .field("zip", Schema.OPTIONAL_STRING_SCHEMA)
          .optional()
          .build();
  private static final Schema UNION =
      SchemaBuilder.struct()
          .name(AVRO + "Union")
          .field("string", Schema.OPTIONAL_STRING_SCHEMA)
          .field("Address", ADDRESS)
          .optional()
          .build();

  @Test
  void avroRecordsBecomeTheirJson() throws IOException {
    Schema status =
        SchemaBuilder.string()
            .parameter(AVRO + "Enum", "Status")
            .parameter(AVRO + "Enum.OPEN", "OPEN")
            .build();
    Schema schema =
        SchemaBuilder.struct()
            .name("com.example.Order")
            .field("id", Schema.INT64_SCHEMA)
            .field("status", status)
            .field("note", Schema.OPTIONAL_STRING_SCHEMA)
            .field("amount", Decimal.schema(2))
            .field("at", Timestamp.SCHEMA)
            .field("day", org.apache.kafka.connect.data.Date.SCHEMA)
            .field("time", Time.SCHEMA)
            .field("signature", Schema.BYTES_SCHEMA)
            .field("ratio", Schema.FLOAT32_SCHEMA)
            .field("to", UNION)
            .field("counts", SchemaBuilder.map(Schema.STRING_SCHEMA, Schema.INT32_SCHEMA).build())
            .field("lines", SchemaBuilder.array(ADDRESS).build())
            .build();
    Struct order =
        new Struct(schema)
            .put("id", 1L << 60)
            .put("status", "OPEN")
            .put("note", null)
            .put("amount", new BigDecimal("12345678901234567890.12"))
            .put("at", NOON)
            .put("day", new Date(86_400_000L * 365))
            .put("time", new Date(3_600_000))
            .put("signature", ByteBuffer.wrap(new byte[] {1, 2, 3}))
            .put("ratio", 0.1f)
            .put("to", new Struct(UNION).put("Address", new Struct(ADDRESS).put("city", "Ulm")))
            .put("counts", Map.of("a", 1))
            .put("lines", List.of(new Struct(ADDRESS).put("city", "Bonn").put("zip", "53111")));

    assertJson(
        schema,
        order,
        """
        {"id": 1152921504606846976, "status": "OPEN", "note": null,
         "amount": 12345678901234567890.12, "at": "2026-11-30T12:00:00.123Z",
         "day": "1971-01-01", "time": "01:00:00", "signature": "AQID", "ratio": 0.1,
         "to": {"string": null, "Address": {"city": "Ulm", "zip": null}},
         "counts": {"a": 1}, "lines": [{"city": "Bonn", "zip": "53111"}]}
        """);
  }

  @Test
  void avroMapsWithOtherKeysThanTextHaveTheirKeysAsText() throws IOException {
    Map<Object, Object> byDay = new LinkedHashMap<>();
    byDay.put(new Date(0), 1);
    byDay.put(new Date(86_400_000), 2);

    assertJson(
        SchemaBuilder.map(org.apache.kafka.connect.data.Date.SCHEMA, Schema.INT32_SCHEMA).build(),
        byDay,
        "{\"1970-01-01\": 1, \"1970-01-02\": 2}");
    assertJson(
        SchemaBuilder.map(Schema.INT64_SCHEMA, Schema.OPTIONAL_STRING_SCHEMA).build(),
        Map.of(7L, "x"),
        "{\"7\": \"x\"}");
    assertJson(
        SchemaBuilder.map(ADDRESS, Schema.INT32_SCHEMA).build(),
        Map.of(new Struct(ADDRESS).put("city", "Ulm"), 1),
        "{\"{\\\"city\\\":\\\"Ulm\\\",\\\"zip\\\":null}\": 1}");
  }

  @Test
  void protobufMessagesBecomeTheirJson() throws IOException {
    Schema contact =
        SchemaBuilder.struct()
            .field("email", Schema.OPTIONAL_STRING_SCHEMA)
            .field("address", ADDRESS)
            .optional()
            .build();
    Schema schema =
        SchemaBuilder.struct()
            .name("Order")
            .field("id", tagged(SchemaBuilder.int32(), 1))
            .field("views", tagged(SchemaBuilder.int64(), 2))
            .field(
                "status", tagged(SchemaBuilder.string().parameter(PROTOBUF + "Enum", "Status"), 3))
            .field("wrapped", tagged(SchemaBuilder.bool(), 4))
            .field("at", Timestamp.builder().optional().parameter(PROTOBUF + "Tag", "5").build())
            .field("tags", SchemaBuilder.array(Schema.STRING_SCHEMA).optional().build())
            .field(
                "places",
                SchemaBuilder.map(Schema.OPTIONAL_STRING_SCHEMA, ADDRESS).optional().build())
            .field("blob", tagged(SchemaBuilder.bytes(), 8))
            .field("contact_0", contact)
            .build();
    Struct order =
        new Struct(schema)
            .put("id", 7)
            .put("views", Long.MAX_VALUE)
            .put("status", "OPEN")
            .put("at", NOON)
            .put("tags", List.of())
            .put("places", Map.of("home", new Struct(ADDRESS).put("city", "Ulm")))
            .put("blob", new byte[] {-1})
            .put("contact_0", new Struct(contact).put("email", "a@example.com"));

    assertJson(
        schema,
        order,
        """
        {"id": 7, "views": 9223372036854775807, "status": "OPEN", "wrapped": null,
         "at": "2026-11-30T12:00:00.123Z", "tags": [],
         "places": {"home": {"city": "Ulm", "zip": null}}, "blob": "/w==",
         "contact_0": {"email": "a@example.com", "address": null}}
        """);
  }

  @Test
  void jsonSchemaDocumentsBecomeTheirJson() throws IOException {
    Schema oneOf =
        SchemaBuilder.struct()
            .name(JSON + "OneOf")
            .field(JSON + "OneOf.field.0", Schema.OPTIONAL_INT64_SCHEMA)
            .field(JSON + "OneOf.field.1", Schema.OPTIONAL_STRING_SCHEMA)
            .optional()
            .build();
    Schema schema =
        SchemaBuilder.struct()
            .field("price", Schema.OPTIONAL_FLOAT64_SCHEMA)
            .field("color", SchemaBuilder.string().parameter(JSON + "Enum", "").optional().build())
            .field("code", oneOf)
            .field("free", Schema.OPTIONAL_BOOLEAN_SCHEMA)
            .build();
    Struct document =
        new Struct(schema)
            .put("price", 1.5)
            .put("color", "red")
            .put("code", new Struct(oneOf).put(JSON + "OneOf.field.1", "A7"));

    assertJson(
        schema,
        document,
        """
        {"price": 1.5, "color": "red",
         "code": {"io.confluent.connect.json.OneOf.field.0": null,
                  "io.confluent.connect.json.OneOf.field.1": "A7"},
         "free": null}
        """);
  }

  @Test
  void aNullStaysNullWhereTheSchemaHasADefault() throws IOException {
    Schema schema =
        SchemaBuilder.struct()
            .field("optional", SchemaBuilder.int32().optional().defaultValue(5).build())
            .field("required", SchemaBuilder.int32().defaultValue(6).build())
            .build();

    assertJson(
        schema, new Struct(schema).put("optional", null), "{\"optional\": null, \"required\": 6}");
  }

  @Test
  void fieldsOfUnionsAndEnumsAreReachedByTemplates() {
    Schema schema =
        SchemaBuilder.struct()
            .field("status", SchemaBuilder.string().parameter(AVRO + "Enum", "Status").build())
            .field("to", UNION)
            .field("day", org.apache.kafka.connect.data.Date.SCHEMA)
            .field("level", SchemaBuilder.int32().optional().defaultValue(5).build())
            .build();
    Struct order =
        new Struct(schema)
            .put("status", "OPEN")
            .put("to", new Struct(UNION).put("Address", new Struct(ADDRESS).put("city", "Ulm")))
            .put("day", new Date(0))
            .put("level", null);
    RecordEncoder encoder =
        new RecordEncoder(
            config(
                "rabbitmq.routing.key",
                "${value:status}.${value:to.Address.city}.${value:to.string|none}.${value:day}.${value:level|null}"));

    assertThat(encoder.encode(record(schema, order)).routingKey())
        .isEqualTo("OPEN.Ulm.none.1970-01-01.null");
  }

  private static Schema tagged(SchemaBuilder schema, int tag) {
    return schema.optional().parameter(PROTOBUF + "Tag", Integer.toString(tag)).build();
  }

  private static void assertJson(Schema schema, Object value, String json) throws IOException {
    Message message = new RecordEncoder(config()).encode(record(schema, value));

    assertThat(message.properties().getContentType()).isEqualTo("application/json");
    assertThat(new String(message.body(), StandardCharsets.UTF_8))
        .isEqualTo(EXACT.readTree(json).toString());
  }

  private static SinkRecord record(Schema schema, Object value) {
    return new SinkRecord("orders", 0, null, null, schema, value, 0);
  }
}
