// SPDX-License-Identifier: Apache-2.0
package dev.rabbitbridge.source;

/** What happens when one queue cannot be consumed. */
enum QueueFailureTolerance {
  /** The task fails. */
  FAIL_FAST,
  /** This queue is tried again and again, the others go on. */
  SKIP_AND_CONTINUE
}
