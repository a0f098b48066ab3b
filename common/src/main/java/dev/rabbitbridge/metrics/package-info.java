/** What operators see: counted events. For both connectors. */
@NullMarked
package dev.rabbitbridge.metrics;

import org.jspecify.annotations.NullMarked;
