// SPDX-License-Identifier: Apache-2.0
package dev.rabbitbridge.harness.connect;

import dev.rabbitbridge.harness.node.Await;
import dev.rabbitbridge.harness.node.Endpoint;
import dev.rabbitbridge.harness.node.Node;
import java.time.Duration;
import java.util.List;
import java.util.regex.Pattern;

/**
 * A Kafka Connect worker in distributed mode, a process of its own. After {@link #stop} or {@link
 * #kill} it starts again in the same group, under the same addresses.
 */
public final class Worker implements AutoCloseable {
  private static final Duration START_TIMEOUT = Duration.ofMinutes(2);

  private final Node node;
  private final Endpoint restEndpoint;
  private final ConnectRest rest;
  private final Jmx jmx;
  private boolean paused;

  Worker(Node node, Endpoint restEndpoint, Endpoint jmx) {
    this.node = node;
    this.restEndpoint = restEndpoint;
    this.rest = new ConnectRest(restEndpoint);
    this.jmx = new Jmx(jmx);
  }

  /** Starts it and waits until it is in its group and its REST interface answers. */
  public void start() {
    node.start();
    Await.ready(node, START_TIMEOUT, rest::answers);
  }

  /** Stops it in good order: its tasks are stopped and their offsets committed. */
  public void stop() {
    node.stop();
  }

  /** Ends it with SIGKILL. */
  public void kill() {
    node.kill();
  }

  /** Freezes it: nothing answers and nothing times out in it. */
  public void pause() {
    node.pause();
    paused = true;
  }

  /** Lets it go on after {@link #pause}. */
  public void resume() {
    node.resume();
    paused = false;
  }

  /** Undoes what a test may have done to it: it runs, unpaused. */
  public void heal() {
    if (paused) {
      resume();
    }
    if (!isRunning()) {
      start();
    }
  }

  /**
   * Returns whether its process exists.
   *
   * @return true also while paused
   */
  public boolean isRunning() {
    return node.isRunning();
  }

  /**
   * Returns its REST interface.
   *
   * @return the operations
   */
  public ConnectRest rest() {
    return rest;
  }

  /**
   * Returns where this JVM reaches its REST interface.
   *
   * @return the address
   */
  public Endpoint restEndpoint() {
    return restEndpoint;
  }

  /**
   * Returns its MBeans, which metrics are.
   *
   * @return the operations
   */
  public Jmx jmx() {
    return jmx;
  }

  /**
   * Returns its log.
   *
   * @return everything it printed since its first start
   */
  public String log() {
    return node.log();
  }

  /**
   * Returns the lines of its log in which a pattern is found.
   *
   * @param regex a regular expression
   * @return the lines in order
   */
  public List<String> logLines(String regex) {
    Pattern pattern = Pattern.compile(regex);
    return log().lines().filter(line -> pattern.matcher(line).find()).toList();
  }

  /** Ends it. */
  @Override
  public void close() {
    jmx.close();
    node.close();
  }
}
