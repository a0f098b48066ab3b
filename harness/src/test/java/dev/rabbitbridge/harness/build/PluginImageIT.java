// SPDX-License-Identifier: Apache-2.0
package dev.rabbitbridge.harness.build;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.github.dockerjava.api.DockerClient;
import dev.rabbitbridge.harness.Checkout;
import dev.rabbitbridge.harness.node.DockerEngine;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Path;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.apache.commons.compress.archivers.tar.TarArchiveEntry;
import org.apache.commons.compress.archivers.tar.TarArchiveInputStream;
import org.junit.jupiter.api.Test;
import org.testcontainers.DockerClientFactory;
import org.testcontainers.images.builder.ImageFromDockerfile;

/** Builds the image of the plugin, where there is an engine to build it with. */
class PluginImageIT {
  @Test
  void imageHoldsTheFilesOfTheArchiveAndNothingElse() throws Exception {
    assumeTrue(DockerEngine.canRun(), "no Docker engine answers");
    Path root = Checkout.root();
    Path content = root.resolve("dist/target/rabbitbridge-" + Checkout.version());

    String image =
        new ImageFromDockerfile()
            .withFileFromPath("Dockerfile", root.resolve("docker/plugin.Dockerfile"))
            .withFileFromString(".dockerignore", "Dockerfile\n.dockerignore\n")
            .withFileFromPath(".", content)
            .get(2, TimeUnit.MINUTES);

    Archive archive = Archive.open();
    Set<String> expected =
        archive.names("").stream()
            .map(name -> archive.folder() + name)
            .collect(Collectors.toCollection(TreeSet::new));
    assertThat(files(image)).isEqualTo(expected);
  }

  /** Lists what has content: the engine adds empty files for mounts to each container. */
  private static Set<String> files(String image) throws IOException {
    DockerClient docker = DockerClientFactory.instance().client();
    String container = docker.createContainerCmd(image).withCmd("never-started").exec().getId();
    Set<String> files = new TreeSet<>();
    try (InputStream content = docker.copyArchiveFromContainerCmd(container, "/").exec();
        TarArchiveInputStream tar = new TarArchiveInputStream(content)) {
      for (TarArchiveEntry entry = tar.getNextEntry(); entry != null; entry = tar.getNextEntry()) {
        if (entry.isFile() && entry.getSize() > 0) {
          files.add(entry.getName().replaceFirst("^\\.?/", ""));
        }
      }
    } finally {
      docker.removeContainerCmd(container).exec();
    }
    return files;
  }
}
