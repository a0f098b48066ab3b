// SPDX-License-Identifier: Apache-2.0
/** The sink connector. */
@NullMarked
package dev.rabbitbridge.sink;

import org.jspecify.annotations.NullMarked;
