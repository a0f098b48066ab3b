// SPDX-License-Identifier: Apache-2.0
package dev.rabbitbridge.harness.build;

import dev.rabbitbridge.harness.Checkout;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.zip.ZipEntry;
import java.util.zip.ZipInputStream;

/** The plugin archive that the build made, by the names of its files below its one folder. */
record Archive(String folder, Map<String, byte[]> files) {
  private static final Pattern VERSION = Pattern.compile("-[0-9][0-9.]*(?=\\.jar$)");

  static Archive open() throws IOException {
    String folder = "rabbitbridge-" + Checkout.version() + "/";
    Map<String, byte[]> files = new TreeMap<>();
    try (InputStream zip = Files.newInputStream(Checkout.archive())) {
      for (Map.Entry<String, byte[]> file : entries(zip).entrySet()) {
        if (!file.getKey().startsWith(folder)) {
          throw new IllegalStateException(file.getKey() + " is not in " + folder);
        }
        files.put(file.getKey().substring(folder.length()), file.getValue());
      }
    }
    return new Archive(folder, files);
  }

  byte[] file(String name) {
    byte[] file = files.get(name);
    if (file == null) {
      throw new IllegalArgumentException("There is no " + name + " in the archive");
    }
    return file;
  }

  /** Returns the names below a folder of the archive, or all for "". */
  Set<String> names(String below) {
    return files.keySet().stream()
        .filter(name -> name.startsWith(below))
        .map(name -> name.substring(below.length()))
        .collect(Collectors.toCollection(TreeSet::new));
  }

  /** Returns the jars of lib/ by their file names. */
  Map<String, byte[]> jars() {
    Map<String, byte[]> jars = new TreeMap<>();
    names("lib/").forEach(name -> jars.put(name, file("lib/" + name)));
    return jars;
  }

  static String withoutVersion(String jar) {
    return VERSION.matcher(jar).replaceFirst("");
  }

  /** Returns the files in a zip, folders left out. */
  static Map<String, byte[]> entries(byte[] zip) throws IOException {
    return entries(new ByteArrayInputStream(zip));
  }

  private static Map<String, byte[]> entries(InputStream stream) throws IOException {
    Map<String, byte[]> entries = new TreeMap<>();
    ZipInputStream zip = new ZipInputStream(stream);
    for (ZipEntry entry = zip.getNextEntry(); entry != null; entry = zip.getNextEntry()) {
      if (!entry.isDirectory()) {
        entries.put(entry.getName(), zip.readAllBytes());
      }
    }
    return entries;
  }
}
