// SPDX-License-Identifier: Apache-2.0
package dev.rabbitbridge.source;

/** What happens when a stream no longer holds the stored position. */
enum PositionLost {
  /** The task fails. */
  FAIL,
  /** It reads on from the first message there is. */
  EARLIEST,
  /** It reads on from the next message published. */
  LATEST
}
