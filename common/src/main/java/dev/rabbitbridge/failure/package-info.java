/**
 * What an error means, how long to wait, and with what a task fails. Values in, values out: logs
 * nothing, does nothing, needs nothing of ours.
 */
@NullMarked
package dev.rabbitbridge.failure;

import org.jspecify.annotations.NullMarked;
