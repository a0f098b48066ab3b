// SPDX-License-Identifier: Apache-2.0
package dev.rabbitbridge.source;

/** What kind of queues a task reads. */
enum QueueType {
  /** The position lives in RabbitMQ: classic and quorum queues. */
  AUTO,
  /** The position lives in Connect's offsets. */
  STREAM
}
