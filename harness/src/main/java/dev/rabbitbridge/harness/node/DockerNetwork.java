// SPDX-License-Identifier: Apache-2.0
package dev.rabbitbridge.harness.node;

import java.nio.file.Path;
import org.testcontainers.DockerClientFactory;
import org.testcontainers.containers.Network;

/** What the containers of one harness share: a network, and where their logs are kept. */
public final class DockerNetwork implements AutoCloseable {
  /** The name under which a container reaches the machine of this JVM. */
  public static final String HOST = "host.docker.internal";

  private final Network network = Network.newNetwork();
  private final Path folder;

  /**
   * Describes a network; it is made with the first container.
   *
   * @param folder where logs are written to
   */
  public DockerNetwork(Path folder) {
    this.folder = folder;
  }

  /**
   * Returns the name under which this JVM reaches published ports.
   *
   * @return a host name or address
   */
  public String host() {
    return DockerClientFactory.instance().dockerHostIpAddress();
  }

  Network network() {
    return network;
  }

  Path folder() {
    return folder;
  }

  @Override
  public void close() {
    network.close();
  }
}
