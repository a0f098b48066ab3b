/**
 * How records and messages translate: templates, headers, bodies and the protocol's limits. Pure
 * functions for both connectors; no I/O.
 */
@NullMarked
package dev.rabbitbridge.message;

import org.jspecify.annotations.NullMarked;
