// SPDX-License-Identifier: Apache-2.0
package dev.rabbitbridge.metrics;

import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.slf4j.MDC;

/**
 * What Connect has set for the log lines of a task's thread, such as {@code connector.context}, for
 * the threads that the task starts: without it nobody sees whose lines theirs are.
 *
 * <p>Immutable; any thread may use it.
 */
public final class LogContext {
  private final @Nullable Map<String, String> context;

  private LogContext(@Nullable Map<String, String> context) {
    this.context = context;
  }

  /**
   * Takes the context of the calling thread.
   *
   * @return what may be none
   */
  public static LogContext ofThisThread() {
    return new LogContext(MDC.getCopyOfContextMap());
  }

  /**
   * Gives a new thread this context.
   *
   * @param work what the thread is for
   * @return what it has to run
   */
  public Runnable around(Runnable work) {
    return () -> {
      if (context != null) {
        MDC.setContextMap(context);
      }
      work.run();
    };
  }
}
