/**
 * What an error means and how long to wait. Values in, values out: logs nothing, does nothing,
 * needs nothing of ours.
 */
@NullMarked
package dev.rabbitbridge.failure;

import org.jspecify.annotations.NullMarked;
