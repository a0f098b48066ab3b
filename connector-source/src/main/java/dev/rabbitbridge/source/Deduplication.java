// SPDX-License-Identifier: Apache-2.0
package dev.rabbitbridge.source;

/** How a redelivery of what Kafka already has is told from a new message. */
enum Deduplication {
  /** It is not: it is produced again. */
  NONE,
  /** By message-id and content. */
  MESSAGE_ID
}
