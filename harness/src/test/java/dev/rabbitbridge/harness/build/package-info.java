// SPDX-License-Identifier: Apache-2.0
/** What holds of the code and the archive as a whole. */
@NullMarked
package dev.rabbitbridge.harness.build;

import org.jspecify.annotations.NullMarked;
