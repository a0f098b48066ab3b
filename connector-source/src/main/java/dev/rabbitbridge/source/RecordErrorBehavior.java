// SPDX-License-Identifier: Apache-2.0
package dev.rabbitbridge.source;

/** What happens to a message that cannot become a record. */
enum RecordErrorBehavior {
  /** The task fails. */
  FAIL,
  /** Rejected without requeue, to the dead letter exchange. */
  REJECT,
  /** Acked and dropped. */
  ACK,
  /** Passed on as bytes. */
  RAW
}
