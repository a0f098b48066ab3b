// SPDX-License-Identifier: Apache-2.0
package dev.rabbitbridge.config;

import org.apache.kafka.common.config.ConfigException;

/** One setting that cannot work, found before anything was sent. Its message holds no secret. */
final class InvalidSetting extends ConfigException {
  private static final long serialVersionUID = 1;

  private final String key;
  private final String problem;

  InvalidSetting(String key, String problem) {
    super(key + " " + problem);
    this.key = key;
    this.problem = problem;
  }

  String key() {
    return key;
  }

  /** The rest of a sentence that begins with the key. */
  String problem() {
    return problem;
  }
}
