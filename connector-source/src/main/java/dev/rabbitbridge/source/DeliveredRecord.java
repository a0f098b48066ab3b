// SPDX-License-Identifier: Apache-2.0
package dev.rabbitbridge.source;

import java.util.Map;
import org.apache.kafka.connect.data.SchemaAndValue;
import org.apache.kafka.connect.header.Headers;
import org.apache.kafka.connect.source.SourceRecord;
import org.jspecify.annotations.Nullable;

/**
 * A record that knows its delivery.
 *
 * <p>Compared by identity: an exactly-once worker keeps the records of a transaction in a map,
 * where two equal records would become one and the other delivery would never be acked.
 */
final class DeliveredRecord extends SourceRecord {
  private final Delivery delivery;

  DeliveredRecord(
      Delivery delivery,
      Map<String, ?> sourcePartition,
      Map<String, ?> sourceOffset,
      String topic,
      SchemaAndValue key,
      SchemaAndValue value,
      @Nullable Long timestamp,
      Headers headers) {
    super(
        sourcePartition,
        sourceOffset,
        topic,
        null,
        key.schema(),
        key.value(),
        value.schema(),
        value.value(),
        timestamp,
        headers);
    this.delivery = delivery;
  }

  Delivery delivery() {
    return delivery;
  }

  @Override
  public boolean equals(@Nullable Object other) {
    return this == other;
  }

  @Override
  public int hashCode() {
    return System.identityHashCode(this);
  }
}
