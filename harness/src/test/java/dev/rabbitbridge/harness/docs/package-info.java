/** Keeps the documents and examples to what the connectors really do. */
@NullMarked
package dev.rabbitbridge.harness.docs;

import org.jspecify.annotations.NullMarked;
