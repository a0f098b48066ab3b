// SPDX-License-Identifier: Apache-2.0
/** The source connector. */
@NullMarked
package dev.rabbitbridge.source;

import org.jspecify.annotations.NullMarked;
