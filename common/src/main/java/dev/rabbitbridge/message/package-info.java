// SPDX-License-Identifier: Apache-2.0
/**
 * Messages between the two systems: headers, properties and the limits of the protocol. Values in,
 * values out; for the connectors' mappers.
 */
@NullMarked
package dev.rabbitbridge.message;

import org.jspecify.annotations.NullMarked;
