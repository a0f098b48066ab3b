// SPDX-License-Identifier: Apache-2.0
package dev.rabbitbridge.harness.node;

import com.github.dockerjava.api.exception.DockerException;
import com.github.dockerjava.api.exception.NotFoundException;
import com.github.dockerjava.api.model.Container;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.testcontainers.DockerClientFactory;

/** Asks whether containers can be run here. */
public final class DockerEngine {
  /** The image of the broker, unless another is asked for. */
  public static final String RABBITMQ = "rabbitmq:4-management";

  static final String RUN_LABEL = "dev.rabbitbridge.harness";

  private static final int PULL_MINUTES = 10;

  private DockerEngine() {}

  /**
   * Names the image of the broker.
   *
   * @return the system property {@code rabbitmq.image}, else {@code rabbitmq:4-management}
   */
  public static String rabbitMQ() {
    return System.getProperty("rabbitmq.image", RABBITMQ);
  }

  /**
   * Names the image of Kafka, which holds Connect too.
   *
   * @param version of Kafka
   * @return the image
   */
  public static String kafka(String version) {
    return "apache/kafka:" + version;
  }

  /**
   * Returns whether an engine answers that has these images or can fetch them.
   *
   * @param images their names
   * @return true if containers of them can be started
   */
  public static boolean canRun(String... images) {
    return isReachable()
        && DockerClientFactory.instance().isDockerAvailable()
        && Stream.of(images).allMatch(image -> has(image) || canFetch(image));
  }

  /**
   * Lists the containers of a harness, the stopped ones too.
   *
   * @param run the name of the harness's folder
   * @return their ids
   */
  public static List<String> containersOf(String run) {
    return DockerClientFactory.instance()
        .client()
        .listContainersCmd()
        .withShowAll(true)
        .withLabelFilter(Map.of(RUN_LABEL, run))
        .exec()
        .stream()
        .map(Container::getId)
        .toList();
  }

  /** From inside a container an engine's ports are somewhere else; only the user knows where. */
  private static boolean isReachable() {
    return !Files.exists(Path.of("/.dockerenv"))
        || System.getenv("TESTCONTAINERS_HOST_OVERRIDE") != null;
  }

  private static boolean has(String image) {
    try {
      DockerClientFactory.instance().client().inspectImageCmd(image).exec();
      return true;
    } catch (NotFoundException e) {
      return false;
    }
  }

  private static boolean canFetch(String image) {
    System.err.println("harness: fetching the image " + image);
    try {
      return DockerClientFactory.instance()
          .client()
          .pullImageCmd(image)
          .start()
          .awaitCompletion(PULL_MINUTES, TimeUnit.MINUTES);
    } catch (DockerException e) {
      System.err.println("harness: it cannot be had, going on without Docker");
      return false;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return false;
    }
  }
}
