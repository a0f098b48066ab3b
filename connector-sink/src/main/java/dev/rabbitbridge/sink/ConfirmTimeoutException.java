// SPDX-License-Identifier: Apache-2.0
package dev.rabbitbridge.sink;

import java.util.concurrent.TimeoutException;

/**
 * The broker is connected, but did not confirm in time: what it did with the messages is unknown.
 */
final class ConfirmTimeoutException extends TimeoutException {
  private static final long serialVersionUID = 1L;

  ConfirmTimeoutException(String message) {
    super(message);
  }
}
