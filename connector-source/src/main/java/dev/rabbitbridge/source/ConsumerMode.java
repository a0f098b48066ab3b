// SPDX-License-Identifier: Apache-2.0
package dev.rabbitbridge.source;

/** How queues are spread over tasks. */
enum ConsumerMode {
  /** Each queue on one task. */
  DEDICATED,
  /** Every task on every queue. */
  SHARED
}
