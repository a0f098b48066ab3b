// SPDX-License-Identifier: Apache-2.0
/** A RabbitMQ broker to test against: where it comes from, its faults, its operations. */
@NullMarked
package dev.rabbitbridge.harness.rabbitmq;

import org.jspecify.annotations.NullMarked;
