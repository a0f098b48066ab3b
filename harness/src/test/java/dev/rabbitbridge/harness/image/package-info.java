// SPDX-License-Identifier: Apache-2.0
/** The Connect image, the compose file and the metrics' files of {@code docker/}. */
@NullMarked
package dev.rabbitbridge.harness.image;

import org.jspecify.annotations.NullMarked;
