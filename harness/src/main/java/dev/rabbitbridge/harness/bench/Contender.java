// SPDX-License-Identifier: Apache-2.0
package dev.rabbitbridge.harness.bench;

/** Something that moves messages, to be measured beside others. */
interface Contender {
  /** Returns how it is called in the report. */
  String name();

  /** Begins to move what is in the place. */
  Run begin(Place place) throws Exception;
}
