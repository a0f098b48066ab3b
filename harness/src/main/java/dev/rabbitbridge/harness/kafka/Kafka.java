// SPDX-License-Identifier: Apache-2.0
package dev.rabbitbridge.harness.kafka;

import dev.rabbitbridge.harness.node.Await;
import dev.rabbitbridge.harness.node.Node;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * A Kafka broker. Its data and addresses survive {@link #kill}, {@link #stop} and {@link #start}.
 */
public final class Kafka implements AutoCloseable {
  private static final Duration START_TIMEOUT = Duration.ofMinutes(2);

  private final Node node;
  private final String bootstrap;
  private final String bootstrapFromWorker;
  private @Nullable KafkaClient client;
  private boolean paused;

  Kafka(Node node, String bootstrap, String bootstrapFromWorker) {
    this.node = node;
    this.bootstrap = bootstrap;
    this.bootstrapFromWorker = bootstrapFromWorker;
  }

  /** Starts it, with the data it had, and waits until it answers. */
  public void start() {
    node.start();
    Await.ready(node, START_TIMEOUT, () -> client().answers());
  }

  /** Stops it in good order. */
  public void stop() {
    node.stop();
  }

  /** Ends it with SIGKILL; its data stays as it is at that moment. */
  public void kill() {
    node.kill();
  }

  /** Freezes it: its sockets stay open and nothing answers. */
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
   * Returns where this JVM reaches it.
   *
   * @return the bootstrap servers
   */
  public String bootstrap() {
    return bootstrap;
  }

  /**
   * Returns where a Connect worker of the same harness reaches it.
   *
   * @return the bootstrap servers
   */
  public String bootstrapFromWorker() {
    return bootstrapFromWorker;
  }

  /**
   * Returns topics, records and offsets of this broker.
   *
   * @return the operations, closed with the broker
   */
  public synchronized KafkaClient client() {
    if (client == null) {
      client = new KafkaClient(bootstrap);
    }
    return client;
  }

  /**
   * Returns its log.
   *
   * @return everything it printed since its first start
   */
  public String log() {
    return node.log();
  }

  /** Ends it; its data is given up. */
  @Override
  public synchronized void close() {
    if (client != null) {
      client.close();
    }
    node.close();
  }
}
