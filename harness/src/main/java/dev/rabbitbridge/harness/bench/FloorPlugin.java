// SPDX-License-Identifier: Apache-2.0
package dev.rabbitbridge.harness.bench;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.jar.JarEntry;
import java.util.jar.JarOutputStream;

/** Packs the connectors that do nothing as a plugin. */
final class FloorPlugin {
  private static final String PACKAGE = "dev.rabbitbridge.harness.bench.floor.";
  static final String SINK = PACKAGE + "NoOpSinkConnector";
  static final String SOURCE = PACKAGE + "MemorySourceConnector";
  private static final List<String> CLASSES =
      List.of(SINK, PACKAGE + "NoOpSinkTask", SOURCE, PACKAGE + "MemorySourceTask");

  private FloorPlugin() {}

  /** Writes the plugin into a folder of its own below the given one. */
  static void into(Path plugins) throws IOException {
    Path folder = Files.createDirectories(plugins.resolve("floor"));
    try (OutputStream file = Files.newOutputStream(folder.resolve("floor.jar"));
        JarOutputStream jar = new JarOutputStream(file)) {
      for (String name : CLASSES) {
        String entry = name.replace('.', '/') + ".class";
        try (InputStream bytes = FloorPlugin.class.getResourceAsStream("/" + entry)) {
          add(jar, entry, bytes.readAllBytes());
        }
      }
      service(jar, "org.apache.kafka.connect.sink.SinkConnector", SINK);
      service(jar, "org.apache.kafka.connect.source.SourceConnector", SOURCE);
    }
  }

  private static void service(JarOutputStream jar, String type, String provider)
      throws IOException {
    add(jar, "META-INF/services/" + type, provider.getBytes(StandardCharsets.UTF_8));
  }

  private static void add(JarOutputStream jar, String entry, byte[] bytes) throws IOException {
    jar.putNextEntry(new JarEntry(entry));
    jar.write(bytes);
    jar.closeEntry();
  }
}
