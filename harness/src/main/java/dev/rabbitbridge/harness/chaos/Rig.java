// SPDX-License-Identifier: Apache-2.0
package dev.rabbitbridge.harness.chaos;

import dev.rabbitbridge.harness.Harness;
import dev.rabbitbridge.harness.connect.ConnectRest;
import dev.rabbitbridge.harness.connect.Worker;
import dev.rabbitbridge.harness.connect.WorkerSettings;
import dev.rabbitbridge.harness.proxy.TcpProxy;
import dev.rabbitbridge.harness.rabbitmq.RabbitMQ;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * What one fault is tried on: servers, a proxy before RabbitMQ, a user, and connectors under load.
 */
final class Rig implements AutoCloseable {
  private static final Duration CLEAN_UP = Duration.ofSeconds(30);

  final Harness harness;
  final Fault fault;
  final int rate;
  final String run = UUID.randomUUID().toString().substring(0, 6);
  final String user = "chaos-" + run;
  final TcpProxy proxy;
  final List<Flow> flows = new ArrayList<>();
  private final Deque<AutoCloseable> atEnd = new ArrayDeque<>();
  private final List<RabbitMQ> nodes;
  private final Worker worker;
  private @Nullable Worker second;
  private String password = "first";

  /** Prepares all but the flows. */
  Rig(Harness harness, Fault fault, int rate) {
    this.harness = harness;
    this.fault = fault;
    this.rate = rate;
    harness.start();
    nodes = fault.clusterQueues() == null ? List.of(harness.rabbitMQ()) : harness.cluster();
    rabbitMQ().management().createUser(user, password);
    atEnd.push(() -> rabbitMQ().management().deleteUser(user));
    atEnd.push(() -> rabbitMQ().management().deletePolicy(policy()));
    permit(true);
    proxy = harness.newProxy();
    atEnd.push(proxy);
    worker = fault.ownWorker() == null ? harness.worker() : ownWorker(fault.ownWorker());
  }

  private Worker ownWorker(WorkerSettings settings) {
    Worker own = harness.newWorker(settings);
    atEnd.push(own);
    return own;
  }

  /** Puts the connectors under load. */
  void begin(Set<Side> sides) {
    for (Side side : sides) {
      add(
          switch (side) {
            case SINK -> new SinkFlow(this);
            case SOURCE -> new SourceFlow(this);
          });
    }
  }

  /** Begins a flow, and closes it in the end. */
  void add(Flow flow) {
    flows.add(flow);
    atEnd.push(flow);
    flow.begin();
  }

  /** Returns RabbitMQ; of a cluster the last node, which stays. */
  RabbitMQ rabbitMQ() {
    return nodes.get(nodes.size() - 1);
  }

  /** Returns the nodes of RabbitMQ; of a cluster the first one has the leaders. */
  List<RabbitMQ> nodes() {
    return nodes;
  }

  /** Returns where the connectors find RabbitMQ: a cluster itself, one node behind the proxy. */
  Map<String, String> address() {
    return nodes.size() > 1
        ? Map.of(
            "rabbitmq.addresses",
            nodes.stream()
                .map(node -> node.amqpFromWorker().toString())
                .collect(Collectors.joining(",")))
        : Map.of(
            "rabbitmq.host",
            proxy.endpointFromWorker().host(),
            "rabbitmq.port",
            Integer.toString(proxy.endpointFromWorker().port()));
  }

  /** Returns the worker that faults are about. */
  Worker worker() {
    return worker;
  }

  /** Returns the REST interface of a worker that answers. */
  ConnectRest rest() {
    return (second == null ? worker : second).rest();
  }

  /** Starts another worker of the same group, until {@link #removeWorker} or the end. */
  void addWorker() {
    second = harness.newWorker(WorkerSettings.of(Harness.GROUP));
  }

  /** Stops that worker in good order. */
  void removeWorker() {
    Worker extra = second;
    second = null;
    if (extra != null) {
      extra.stop();
      extra.close();
    }
  }

  /** Gives the connectors' user all permissions, or takes them away. */
  void permit(boolean all) {
    String pattern = all ? ".*" : "^$";
    rabbitMQ().management().grant(user, pattern, pattern, pattern);
  }

  /** Changes the password of the connectors' user, which they are not told. */
  void rotatePassword() {
    password = "second";
    rabbitMQ().management().createUser(user, password);
  }

  /** Returns the name of the policy that faults may set on the queues. */
  String policy() {
    return "chaos-" + run;
  }

  String password() {
    return password;
  }

  static void sleep(Duration duration) {
    try {
      TimeUnit.NANOSECONDS.sleep(duration.toNanos());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException(e);
    }
  }

  /** Ends every fault, and deletes what was made. */
  @Override
  public void close() {
    harness.heal();
    nodes.forEach(RabbitMQ::heal);
    removeWorker();
    while (!atEnd.isEmpty()) {
      AutoCloseable next = atEnd.pop();
      boolean closed =
          Matrix.await(
              CLEAN_UP,
              () -> {
                // After a worker left, others may not know yet whom to ask.
                next.close();
                return true;
              });
      if (!closed) {
        System.err.println("chaos: could not clean up " + next);
      }
    }
  }
}
