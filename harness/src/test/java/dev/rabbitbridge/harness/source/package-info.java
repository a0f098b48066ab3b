// SPDX-License-Identifier: Apache-2.0
/** Integration tests of the source connector. */
@NullMarked
package dev.rabbitbridge.harness.source;

import org.jspecify.annotations.NullMarked;
