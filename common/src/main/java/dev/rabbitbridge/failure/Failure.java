// SPDX-License-Identifier: Apache-2.0
package dev.rabbitbridge.failure;

import org.jspecify.annotations.Nullable;

/**
 * A classified error.
 *
 * @param kind what can be done about it
 * @param replyCode the AMQP reply code, or 0 when the broker gave none
 * @param reason one line for people: the broker's reply text, or the error's own message
 * @param cause the error that was classified, null for one that never was an exception
 */
public record Failure(FailureKind kind, int replyCode, String reason, @Nullable Throwable cause) {

  /**
   * Tells whether the same thing may work later.
   *
   * @return true for {@link FailureKind#TRANSIENT}
   */
  public boolean isTransient() {
    return kind == FailureKind.TRANSIENT;
  }

  /**
   * Tells whether a person has to act.
   *
   * @return true for {@link FailureKind#FATAL}
   */
  public boolean isFatal() {
    return kind == FailureKind.FATAL;
  }

  /**
   * Returns what an error says for itself, to end a sentence with.
   *
   * @param error any error
   * @return its message, or the name of its class where it has none
   */
  public static String messageOf(Throwable error) {
    String message = error.getMessage();
    return message == null || message.isBlank() ? error.getClass().getSimpleName() : message;
  }

  @Override
  public String toString() {
    return replyCode == 0 ? reason : replyCode + " " + reason;
  }
}
