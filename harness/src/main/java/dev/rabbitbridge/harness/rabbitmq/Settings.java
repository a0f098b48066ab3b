// SPDX-License-Identifier: Apache-2.0
package dev.rabbitbridge.harness.rabbitmq;

/** What every broker of the harness is told, however it runs: fresh statistics above all. */
final class Settings {
  static final String CONFIGURATION =
      """
      log.console = true
      log.file = false
      collect_statistics_interval = 1000
      """;

  static final String ADVANCED = "[{rabbit, [{quorum_tick_interval, 1000}]}].\n";

  static final String PLUGINS =
      "[rabbitmq_management,rabbitmq_auth_mechanism_ssl,rabbitmq_auth_backend_oauth2].\n";

  private Settings() {}
}
