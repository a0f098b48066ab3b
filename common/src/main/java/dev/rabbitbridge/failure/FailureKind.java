// SPDX-License-Identifier: Apache-2.0
package dev.rabbitbridge.failure;

/** What can be done about a failure. */
public enum FailureKind {
  /** The same thing may work later: back off and try again. */
  TRANSIENT,
  /** This record never will work, others may: report or dead-letter it, never requeue it. */
  RECORD,
  /** Nothing will work until a person acts: fail the task. */
  FATAL
}
