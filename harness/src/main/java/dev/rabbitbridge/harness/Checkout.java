// SPDX-License-Identifier: Apache-2.0
package dev.rabbitbridge.harness;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Properties;

/** Where things are in the checkout that this harness was built from. */
public final class Checkout {
  private static final String MARK = "harness/kafka-dist/pom.xml";
  private static final Properties BUILD = build();

  private Checkout() {}

  /**
   * Returns the root of the checkout: the working directory or one of its parents.
   *
   * @return an absolute path
   */
  public static Path root() {
    for (Path folder = Path.of("").toAbsolutePath(); folder != null; folder = folder.getParent()) {
      if (Files.exists(folder.resolve(MARK))) {
        return folder;
      }
    }
    throw new IllegalStateException("Not run inside of a checkout: no " + MARK + " above here");
  }

  /**
   * Returns the plugin archive.
   *
   * @return the zip that the build of this version makes
   */
  public static Path archive() {
    return root().resolve("dist/target/rabbitbridge-" + version() + ".zip");
  }

  /**
   * Returns the folder with the jars of a Kafka version.
   *
   * @param kafkaVersion such as 3.9.2
   * @return where {@code harness/kafka-dist} lays them out
   */
  public static Path libs(String kafkaVersion) {
    return root().resolve("harness/kafka-dist/target/libs-" + kafkaVersion);
  }

  /**
   * Returns the folder below which running harnesses keep their files.
   *
   * @return a folder that {@code mvn clean} deletes
   */
  public static Path runFolder() {
    return root().resolve("harness/target/run");
  }

  /**
   * Returns the version of the plugin.
   *
   * @return the Maven version
   */
  public static String version() {
    return BUILD.getProperty("version");
  }

  /**
   * Returns the version of Kafka and Connect to run.
   *
   * @return the system property {@code kafka.version}, else what the build was made with
   */
  public static String kafkaVersion() {
    return System.getProperty("kafka.version", BUILD.getProperty("kafka.version"));
  }

  private static Properties build() {
    Properties properties = new Properties();
    try (InputStream file = Checkout.class.getResourceAsStream("build.properties")) {
      properties.load(file);
      return properties;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
