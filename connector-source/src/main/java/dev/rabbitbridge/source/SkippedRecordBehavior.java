// SPDX-License-Identifier: Apache-2.0
package dev.rabbitbridge.source;

/** What happens to a message whose record the framework dropped. */
enum SkippedRecordBehavior {
  /** It is acked. */
  ACK,
  /** Rejected without requeue, to the dead letter exchange. */
  REJECT,
  /** Published to a delay queue, to be delivered again. */
  RETRY
}
