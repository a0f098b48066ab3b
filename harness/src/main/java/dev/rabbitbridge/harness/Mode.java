// SPDX-License-Identifier: Apache-2.0
package dev.rabbitbridge.harness;

import dev.rabbitbridge.harness.node.DockerEngine;
import java.util.Locale;

/** The ways to run the servers. */
public enum Mode {
  /** Processes of this machine. */
  LOCAL,
  /** Containers. */
  DOCKER;

  /**
   * Returns what is asked for by the system property {@code harness} or the variable {@code
   * HARNESS}; without either, {@link #DOCKER} where an engine has the images or can fetch them,
   * else {@link #LOCAL}.
   *
   * @return the mode
   */
  public static Mode chosen() {
    String wanted = System.getProperty("harness", System.getenv("HARNESS"));
    if (wanted == null || wanted.isBlank() || wanted.equals("auto")) {
      return DockerEngine.canRun(
              DockerEngine.rabbitMQ(), DockerEngine.kafka(Checkout.kafkaVersion()))
          ? DOCKER
          : LOCAL;
    }
    try {
      return valueOf(wanted.toUpperCase(Locale.ROOT));
    } catch (IllegalArgumentException e) {
      throw new IllegalArgumentException("harness is docker or local, not " + wanted, e);
    }
  }
}
