/**
 * The sink connector: Kafka records become RabbitMQ messages, and an offset is committed only after
 * the broker's confirm.
 */
@NullMarked
package dev.rabbitbridge.sink;

import org.jspecify.annotations.NullMarked;
