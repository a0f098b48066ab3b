// SPDX-License-Identifier: Apache-2.0
package dev.rabbitbridge.harness.bench;

import java.util.Map;
import java.util.concurrent.Callable;

/** A connector at work; deleted at the end. */
final class ConnectorRun implements Run {
  private static final int CHECK_EVERY = 50;

  private final Plant plant;
  private final String connector;
  private final Callable<Long> arrived;
  private final Runnable atEnd;
  private int looks;

  /**
   * Creates the connector.
   *
   * @param arrived counts what has arrived where it goes
   */
  ConnectorRun(Plant plant, String connector, Map<String, String> config, Callable<Long> arrived) {
    this(plant, connector, config, arrived, () -> {});
  }

  /**
   * Creates the connector.
   *
   * @param arrived counts what has arrived where it goes
   * @param atEnd run before the connector is deleted
   */
  ConnectorRun(
      Plant plant,
      String connector,
      Map<String, String> config,
      Callable<Long> arrived,
      Runnable atEnd) {
    this.plant = plant;
    this.connector = connector;
    this.arrived = arrived;
    this.atEnd = atEnd;
    plant.start(connector, config);
  }

  @Override
  public long arrived() throws Exception {
    return arrived.call();
  }

  @Override
  public Usage usage() {
    return plant.usage();
  }

  @Override
  public void check() {
    if (++looks % CHECK_EVERY == 0) {
      plant.check(connector);
    }
  }

  @Override
  public void close() {
    try {
      atEnd.run();
    } finally {
      plant.rest().delete(connector);
    }
  }
}
