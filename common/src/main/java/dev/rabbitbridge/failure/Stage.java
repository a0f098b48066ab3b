// SPDX-License-Identifier: Apache-2.0
package dev.rabbitbridge.failure;

/**
 * When a failure happened: the same reply code means a wrong setting at start and a broker in
 * trouble later.
 */
public enum Stage {
  /** The task is making its first connection, or checking its topology. */
  START,
  /** The task has worked before. */
  RUNNING
}
