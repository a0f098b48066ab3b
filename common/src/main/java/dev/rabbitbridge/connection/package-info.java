/**
 * From settings to an open connection, and what to do while there is none. The only part of this
 * module that touches the network.
 */
@NullMarked
package dev.rabbitbridge.connection;

import org.jspecify.annotations.NullMarked;
