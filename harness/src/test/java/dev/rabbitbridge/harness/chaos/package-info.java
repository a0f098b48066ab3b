// SPDX-License-Identifier: Apache-2.0
/** The books, and the fault matrix on real brokers. */
package dev.rabbitbridge.harness.chaos;
