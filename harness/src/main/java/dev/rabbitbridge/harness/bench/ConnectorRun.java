// SPDX-License-Identifier: Apache-2.0
package dev.rabbitbridge.harness.bench;

import java.util.Map;
import java.util.concurrent.Callable;

/** A connector at work on the lab's worker; deleted at the end. */
final class ConnectorRun implements Run {
  private static final int CHECK_EVERY = 50;

  private final Lab lab;
  private final String connector;
  private final Callable<Long> arrived;
  private int looks;

  /**
   * Creates the connector.
   *
   * @param arrived counts what has arrived where it goes
   */
  ConnectorRun(Lab lab, String connector, Map<String, String> config, Callable<Long> arrived) {
    this.lab = lab;
    this.connector = connector;
    this.arrived = arrived;
    lab.start(connector, config);
  }

  @Override
  public long arrived() throws Exception {
    return arrived.call();
  }

  @Override
  public Usage usage() {
    return lab.workerUsage();
  }

  @Override
  public void check() {
    if (++looks % CHECK_EVERY == 0) {
      lab.check(connector);
    }
  }

  @Override
  public void close() {
    lab.rest().delete(connector);
  }
}
