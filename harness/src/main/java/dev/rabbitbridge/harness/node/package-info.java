// SPDX-License-Identifier: Apache-2.0
/**
 * One server of the harness, as a process or a container: started, stopped, killed, paused. Knows
 * nothing of what the server is; the packages beside it do.
 */
@NullMarked
package dev.rabbitbridge.harness.node;

import org.jspecify.annotations.NullMarked;
