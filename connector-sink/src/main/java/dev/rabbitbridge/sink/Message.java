// SPDX-License-Identifier: Apache-2.0
package dev.rabbitbridge.sink;

import com.rabbitmq.client.AMQP.BasicProperties;

/**
 * What is published for a record.
 *
 * @param id unique within the task; travels in a header, so that a returned message names its
 *     record
 */
@SuppressWarnings("ArrayRecordComponent") // never compared, and the body is not changed
record Message(
    long id, String exchange, String routingKey, BasicProperties properties, byte[] body) {}
