// SPDX-License-Identifier: Apache-2.0
package dev.rabbitbridge.config;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.Properties;

/** The release that this plugin was built as. */
public final class PluginVersion {
  private static final String VERSION = read();

  private PluginVersion() {}

  /**
   * Returns the version that the build wrote into the jar.
   *
   * @return for example {@code 1.2.3}, the same for both connectors
   */
  public static String get() {
    return VERSION;
  }

  private static String read() {
    try (InputStream in = PluginVersion.class.getResourceAsStream("version.properties")) {
      Properties properties = new Properties();
      properties.load(in);
      return properties.getProperty("version");
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
