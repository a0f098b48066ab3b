// SPDX-License-Identifier: Apache-2.0
/** A network between a connector and its broker that can be made to fail. */
@NullMarked
package dev.rabbitbridge.harness.proxy;

import org.jspecify.annotations.NullMarked;
