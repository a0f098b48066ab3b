// SPDX-License-Identifier: Apache-2.0
package dev.rabbitbridge.harness.kafka;

import java.util.List;
import java.util.function.Function;
import java.util.stream.Collectors;

/** What every broker of the harness is told: one node, and no waiting where a test would wait. */
final class Settings {
  static final String CLUSTER_ID = "5L6g3nShT-eMCtK--X86sw";

  private Settings() {}

  /**
   * One way to reach the broker.
   *
   * @param name the listener
   * @param bind host:port it listens on
   * @param advertised host:port that clients are told
   */
  record Listener(String name, String bind, String advertised) {}

  /**
   * Returns the server.properties of a broker with its controller in the same process.
   *
   * @param data where it keeps its log
   * @param controller host:port of the controller
   * @param listeners the broker itself uses the first
   */
  static String serverProperties(String data, String controller, List<Listener> listeners) {
    return """
        process.roles=broker,controller
        node.id=1
        controller.quorum.voters=1@%1$s
        controller.listener.names=CONTROLLER
        inter.broker.listener.name=%2$s
        listeners=%3$s,CONTROLLER://%1$s
        advertised.listeners=%4$s
        listener.security.protocol.map=CONTROLLER:PLAINTEXT,%5$s
        log.dirs=%6$s
        offsets.topic.num.partitions=5
        offsets.topic.replication.factor=1
        transaction.state.log.num.partitions=5
        transaction.state.log.replication.factor=1
        transaction.state.log.min.isr=1
        group.initial.rebalance.delay.ms=0
        broker.session.timeout.ms=2000
        broker.heartbeat.interval.ms=500
        """
        .formatted(
            controller,
            listeners.get(0).name(),
            joined(listeners, listener -> listener.name() + "://" + listener.bind()),
            joined(listeners, listener -> listener.name() + "://" + listener.advertised()),
            joined(listeners, listener -> listener.name() + ":PLAINTEXT"),
            data);
  }

  private static String joined(List<Listener> listeners, Function<Listener, String> part) {
    return listeners.stream().map(part).collect(Collectors.joining(","));
  }
}
