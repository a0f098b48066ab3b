// SPDX-License-Identifier: Apache-2.0
package dev.rabbitbridge.source;

/** What a record's value is made of. */
enum ValueFormat {
  /** The body as it is. */
  BYTES,
  /** The body as text. */
  STRING,
  /** The body parsed as JSON. */
  JSON,
  /** Body, properties, headers and envelope in one Struct. */
  ENVELOPE,
  /** As the content type says. */
  AUTO
}
