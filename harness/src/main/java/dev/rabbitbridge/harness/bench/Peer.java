// SPDX-License-Identifier: Apache-2.0
package dev.rabbitbridge.harness.bench;

import com.fasterxml.jackson.core.type.TypeReference;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Another connector to measure: the folder of its plugin and its configurations.
 *
 * @param name how it is called in the report
 * @param folder of its jars
 * @param sink its JSON as a sink; null to leave it out there
 * @param source its JSON as a source; null to leave it out there
 */
record Peer(String name, Path folder, @Nullable Path sink, @Nullable Path source) {
  /** Reads {@code NAME=FOLDER:SINKJSON:SOURCEJSON}; either JSON may be empty. */
  static Peer parse(String text) {
    int equals = text.indexOf('=');
    String[] parts = text.substring(equals + 1).split(":", -1);
    if (equals < 1 || parts.length != 3) {
      throw new IllegalArgumentException("a peer is NAME=FOLDER:SINKJSON:SOURCEJSON, not " + text);
    }
    Path folder = existing(parts[0]);
    if (folder == null || !Files.isDirectory(folder)) {
      throw new IllegalArgumentException(parts[0] + " is not a folder");
    }
    return new Peer(text.substring(0, equals), folder, existing(parts[1]), existing(parts[2]));
  }

  private static @Nullable Path existing(String path) {
    if (path.isEmpty()) {
      return null;
    }
    Path absolute = Path.of(path).toAbsolutePath().normalize();
    if (!Files.exists(absolute)) {
      throw new IllegalArgumentException(path + " does not exist");
    }
    return absolute;
  }

  /** Reads a configuration, with values for its placeholders, such as <code>${queue}</code>. */
  static Map<String, String> config(Path json, Map<String, String> values) {
    try {
      Map<String, String> config =
          new HashMap<>(new ObjectMapper().readValue(json.toFile(), new TypeReference<>() {}));
      config.replaceAll((key, text) -> fill(text, values));
      return config;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static String fill(String text, Map<String, String> values) {
    String filled = text;
    for (Map.Entry<String, String> value : values.entrySet()) {
      filled = filled.replace("${" + value.getKey() + "}", value.getValue());
    }
    return filled;
  }
}
