// SPDX-License-Identifier: Apache-2.0
/** The demo: orders through both connectors and back, with the broker killed in the middle. */
@NullMarked
package dev.rabbitbridge.harness.demo;

import org.jspecify.annotations.NullMarked;
