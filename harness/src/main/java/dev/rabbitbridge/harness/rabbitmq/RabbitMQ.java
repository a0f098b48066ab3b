// SPDX-License-Identifier: Apache-2.0
package dev.rabbitbridge.harness.rabbitmq;

import dev.rabbitbridge.harness.node.Await;
import dev.rabbitbridge.harness.node.Endpoint;
import dev.rabbitbridge.harness.node.Node;
import java.net.URI;
import java.time.Duration;
import java.util.List;

/**
 * A RabbitMQ broker. Its data and addresses survive {@link #kill}, {@link #stop} and {@link
 * #start}. A broker that the harness did not start refuses kill, stop, pause and what needs
 * rabbitmqctl with an {@link UnsupportedOperationException}.
 */
public final class RabbitMQ implements AutoCloseable {
  private static final Duration START_TIMEOUT = Duration.ofMinutes(2);

  private final Node node;
  private final List<Node> companions;
  private final Endpoint amqp;
  private final Endpoint amqpFromWorker;
  private final Management management;
  private final String rabbitmqctl;
  private boolean paused;
  private boolean alarm;

  RabbitMQ(
      Node node,
      List<Node> companions,
      Endpoint amqp,
      Endpoint amqpFromWorker,
      Management management,
      String rabbitmqctl) {
    this.node = node;
    this.companions = List.copyOf(companions);
    this.amqp = amqp;
    this.amqpFromWorker = amqpFromWorker;
    this.management = management;
    this.rabbitmqctl = rabbitmqctl;
  }

  /**
   * Starts it, with the data it had, and waits until AMQP and the management API answer and every
   * quorum queue has a leader. Until then a basic.consume can hang for a minute (seen with 3.10).
   */
  public void start() {
    companions.forEach(Node::start);
    node.start();
    Await.ready(
        node,
        START_TIMEOUT,
        () -> {
          connect().close();
          return management.quorumQueuesHaveLeaders();
        });
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

  /**
   * Makes it a member of another one's cluster; what it held is forgotten. Both must run, with one
   * cookie.
   *
   * @param member a node of the cluster
   */
  public void join(RabbitMQ member) {
    ctl("stop_app");
    ctl("reset");
    ctl("join_cluster", member.ctl("eval", "node().").replace("'", ""));
    ctl("start_app");
  }

  /** Undoes what a test may have done to it: it runs, unpaused, without an alarm. */
  public void heal() {
    if (paused) {
      resume();
    }
    if (!isRunning()) {
      start();
    }
    if (alarm) {
      memoryAlarm(false);
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
   * @return the AMQP address
   */
  public Endpoint amqp() {
    return amqp;
  }

  /**
   * Returns where a Connect worker of the same harness reaches it.
   *
   * @return the AMQP address
   */
  public Endpoint amqpFromWorker() {
    return amqpFromWorker;
  }

  /**
   * Returns the management API of the default virtual host.
   *
   * @return the operations
   */
  public Management management() {
    return management;
  }

  /**
   * Returns the name of an administrator who may do everything.
   *
   * @return the user name
   */
  public String username() {
    return management.username();
  }

  /**
   * Returns the password of that user.
   *
   * @return the password
   */
  public String password() {
    return management.password();
  }

  /**
   * Returns the address with user, password and virtual host in it.
   *
   * @return an amqp URI for this JVM
   */
  public URI uri() {
    return URI.create(
        "amqp://%s:%s@%s/%s"
            .formatted(
                Management.encode(username()),
                Management.encode(password()),
                amqp,
                Management.encode(management.vhost())));
  }

  /**
   * Opens a connection of this JVM's own, independent of any connector.
   *
   * @return the connection, to be closed by the caller
   */
  public Amqp connect() {
    return Amqp.connect(uri());
  }

  /** Closes every client connection from the broker's side (320 CONNECTION_FORCED). */
  public void closeConnections() {
    ctl("close_all_connections", "closed by the test harness");
  }

  /**
   * Sets off the memory alarm, which blocks every publishing connection, or ends it.
   *
   * @param on whether the alarm is to be on
   */
  public void memoryAlarm(boolean on) {
    alarm = true;
    ctl("set_vm_memory_high_watermark", on ? "0.0000001" : "0.6");
    alarm = on;
  }

  /**
   * Runs rabbitmqctl.
   *
   * @param arguments the command and its arguments
   * @return what it printed
   * @throws IllegalStateException if it fails
   */
  public String ctl(String... arguments) {
    String[] command = new String[arguments.length + 1];
    command[0] = rabbitmqctl;
    System.arraycopy(arguments, 0, command, 1, arguments.length);
    return node.exec(command);
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
  public void close() {
    node.close();
    companions.forEach(Node::close);
  }
}
