// SPDX-License-Identifier: Apache-2.0
/**
 * The one idea of this project: what is in flight is done only on the other side's word. Depends on
 * nothing but the JDK.
 */
@NullMarked
package dev.rabbitbridge.confirm;

import org.jspecify.annotations.NullMarked;
