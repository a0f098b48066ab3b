// SPDX-License-Identifier: Apache-2.0
package dev.rabbitbridge.harness.connect;

/** Connect's REST interface answered with an error. */
public final class RestException extends RuntimeException {
  private final int status;

  RestException(String request, int status, String body) {
    super("%s: %d %s".formatted(request, status, body));
    this.status = status;
  }

  /**
   * Returns the HTTP status.
   *
   * @return such as 400
   */
  public int status() {
    return status;
  }
}
