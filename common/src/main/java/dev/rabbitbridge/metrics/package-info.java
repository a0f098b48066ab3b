/** What operators see: metrics, counted events, whose log lines they are. For both connectors. */
@NullMarked
package dev.rabbitbridge.metrics;

import org.jspecify.annotations.NullMarked;
