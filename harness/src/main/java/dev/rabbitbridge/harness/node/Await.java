// SPDX-License-Identifier: Apache-2.0
package dev.rabbitbridge.harness.node;

import java.time.Duration;
import java.util.concurrent.Callable;
import org.awaitility.Awaitility;
import org.awaitility.core.ConditionTimeoutException;

/** Waits for a server to serve, and shows its last words when it does not. */
public final class Await {
  private static final int SHOWN = 3000;

  private Await() {}

  /**
   * Waits until a condition holds; exceptions it throws count as not yet.
   *
   * @param node whose log is shown on failure, and which must go on running
   * @param timeout longest wait
   * @param condition what is waited for
   * @throws IllegalStateException if it does not hold in time, or the node ends before
   */
  public static void ready(Node node, Duration timeout, Callable<Boolean> condition) {
    try {
      Awaitility.await()
          .atMost(timeout)
          .pollDelay(Duration.ZERO)
          .pollInterval(Duration.ofMillis(100))
          .ignoreExceptions()
          .until(() -> !node.isRunning() || condition.call());
    } catch (ConditionTimeoutException e) {
      throw new IllegalStateException(failure(node, "does not serve after " + timeout), e);
    }
    if (!node.isRunning()) {
      throw new IllegalStateException(failure(node, "ended while it started"));
    }
  }

  private static String failure(Node node, String what) {
    String log = node.log();
    return "%s %s. The end of its log:%n%s"
        .formatted(node.name(), what, log.substring(Math.max(0, log.length() - SHOWN)));
  }
}
