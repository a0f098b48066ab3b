// SPDX-License-Identifier: Apache-2.0
package dev.rabbitbridge.harness.node;

import com.github.dockerjava.api.DockerClient;
import com.github.dockerjava.api.exception.DockerException;
import com.github.dockerjava.api.exception.NotFoundException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.util.Map;
import java.util.function.Consumer;
import org.testcontainers.DockerClientFactory;
import org.testcontainers.containers.Container;
import org.testcontainers.containers.GenericContainer;
import org.testcontainers.containers.wait.strategy.AbstractWaitStrategy;
import org.testcontainers.utility.DockerImageName;

/**
 * A server as a container. Its ports on the host are fixed, so that it comes back under the same
 * address; its data lives in the container, which is kept until {@link #close}. The log is written
 * to the network's folder then.
 */
public final class DockerNode implements Node {
  private static final int STOP_SECONDS = 60;

  private final String name;
  private final DockerNetwork network;
  private final FixedPorts container;
  private boolean closed;

  /**
   * Describes a container; nothing is created.
   *
   * @param network where it lives, under its name
   * @param name its name
   * @param image its image
   * @param ports the ports inside of the container, by the ports of the host
   * @param setup command, environment and files
   */
  public DockerNode(
      DockerNetwork network,
      String name,
      String image,
      Map<Integer, Integer> ports,
      Consumer<GenericContainer<?>> setup) {
    this.network = network;
    this.name = name;
    container = new FixedPorts(image, ports);
    container
        .withNetwork(network.network())
        .withNetworkAliases(name)
        .withLabel(DockerEngine.RUN_LABEL, network.folder().getFileName().toString())
        .withExtraHost(DockerNetwork.HOST, "host-gateway")
        .waitingFor(new NoWait());
    setup.accept(container);
  }

  @Override
  public String name() {
    return name;
  }

  @Override
  public synchronized void start() {
    if (closed) {
      throw new IllegalStateException(name + " is closed");
    }
    if (container.getContainerId() == null) {
      container.start();
    } else if (!isRunning()) {
      docker().startContainerCmd(id()).exec();
    }
  }

  @Override
  public synchronized void stop() {
    docker().stopContainerCmd(id()).withTimeout(STOP_SECONDS).exec();
  }

  @Override
  public synchronized void kill() {
    docker().killContainerCmd(id()).exec();
    docker().waitContainerCmd(id()).start().awaitStatusCode();
  }

  @Override
  public synchronized void pause() {
    docker().pauseContainerCmd(id()).exec();
  }

  @Override
  public synchronized void resume() {
    docker().unpauseContainerCmd(id()).exec();
  }

  @Override
  public synchronized boolean isRunning() {
    try {
      return container.getContainerId() != null
          && Boolean.TRUE.equals(docker().inspectContainerCmd(id()).exec().getState().getRunning());
    } catch (NotFoundException e) {
      return false;
    }
  }

  @Override
  public String exec(String... command) {
    try {
      Container.ExecResult result = container.execInContainer(command);
      String output = (result.getStdout() + result.getStderr()).strip();
      if (result.getExitCode() != 0) {
        throw new IllegalStateException(String.join(" ", command) + " failed: " + output);
      }
      return output;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException(e);
    }
  }

  @Override
  public synchronized String log() {
    return container.getContainerId() == null ? "" : container.getLogs();
  }

  @Override
  public synchronized void close() {
    if (closed || container.getContainerId() == null) {
      closed = true;
      return;
    }
    closed = true;
    try {
      Files.writeString(network.folder().resolve(name + ".log"), log());
      docker().unpauseContainerCmd(id()).exec();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (DockerException e) {
      // Not paused, or removed already by Testcontainers' own hook.
    } finally {
      container.stop();
    }
  }

  private String id() {
    return container.getContainerId();
  }

  private static DockerClient docker() {
    return DockerClientFactory.instance().client();
  }

  private static final class FixedPorts extends GenericContainer<FixedPorts> {
    FixedPorts(String image, Map<Integer, Integer> ports) {
      super(DockerImageName.parse(image));
      ports.forEach(this::addFixedExposedPort);
    }
  }

  /** The harness waits by itself, the same way for processes and containers. */
  private static final class NoWait extends AbstractWaitStrategy {
    @Override
    protected void waitUntilReady() {}
  }
}
