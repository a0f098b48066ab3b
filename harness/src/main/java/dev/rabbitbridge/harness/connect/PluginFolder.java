// SPDX-License-Identifier: Apache-2.0
package dev.rabbitbridge.harness.connect;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.List;
import java.util.stream.Stream;
import java.util.zip.ZipEntry;
import java.util.zip.ZipInputStream;

/** A folder for {@code plugin.path}, filled the way a user does it: by unpacking archives. */
public final class PluginFolder {
  private PluginFolder() {}

  /**
   * Unpacks the plugin archive, and lays other plugins beside it.
   *
   * @param archive the zip that the build made
   * @param others folders of jars
   * @param folder where to
   * @return the folder
   * @throws IllegalStateException if there is no archive
   */
  public static Path fill(Path archive, List<Path> others, Path folder) {
    unpack(archive, folder);
    others.forEach(other -> copy(other, folder.resolve(other.getFileName())));
    return folder;
  }

  /**
   * Unpacks the plugin archive.
   *
   * @param archive the zip that the build made
   * @param folder where to
   * @return the folder
   * @throws IllegalStateException if there is no archive
   */
  public static Path unpack(Path archive, Path folder) {
    if (!Files.isRegularFile(archive)) {
      throw new IllegalStateException(archive + " is missing: build the project first");
    }
    try (InputStream file = Files.newInputStream(archive);
        ZipInputStream zip = new ZipInputStream(file)) {
      Files.createDirectories(folder);
      for (ZipEntry entry = zip.getNextEntry(); entry != null; entry = zip.getNextEntry()) {
        Path target = folder.resolve(entry.getName()).normalize();
        if (!target.startsWith(folder)) {
          throw new IllegalStateException(entry.getName() + " points out of the archive");
        }
        if (entry.isDirectory()) {
          Files.createDirectories(target);
        } else {
          Files.createDirectories(target.getParent());
          Files.copy(zip, target, StandardCopyOption.REPLACE_EXISTING);
        }
      }
      return folder;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static void copy(Path from, Path to) {
    try (Stream<Path> files = Files.walk(from)) {
      for (Path file : files.toList()) {
        Files.copy(file, to.resolve(from.relativize(file).toString()));
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
