// SPDX-License-Identifier: Apache-2.0
package dev.rabbitbridge.harness.chaos;

import dev.rabbitbridge.harness.connect.WorkerSettings;
import dev.rabbitbridge.harness.rabbitmq.QueueKind;
import java.time.Duration;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Something that goes wrong for a while. Changed only by who makes it. */
final class Fault {
  /** One half of a fault. */
  @FunctionalInterface
  interface Action {
    void on(Rig rig) throws Exception;
  }

  static final Action NOTHING = rig -> {};

  private final String name;
  private final String what;
  private final Duration hold;
  private final Action begin;
  private final Action end;
  private final Set<Side> sides = EnumSet.allOf(Side.class);
  private final Map<String, String> settings = new HashMap<>();
  private boolean mayDeadLetter;
  private @Nullable String failure;
  private @Nullable String stormFailure;
  private @Nullable WorkerSettings ownWorker;
  private @Nullable QueueKind clusterQueues;

  private Fault(String name, String what, Action begin, Duration hold, Action end) {
    this.name = name;
    this.what = what;
    this.begin = begin;
    this.hold = hold;
    this.end = end;
  }

  /**
   * Describes a fault.
   *
   * @param name as on the command line
   * @param what for people
   * @param begin what goes wrong
   * @param seconds how long it lasts, after {@code begin} has returned
   * @param end what makes it right again
   */
  static Fault of(String name, String what, Action begin, long seconds, Action end) {
    return new Fault(name, what, begin, Duration.ofSeconds(seconds), end);
  }

  /** Says that it concerns one connector only. */
  Fault only(Side side) {
    sides.retainAll(Set.of(side));
    return this;
  }

  /**
   * Says that the right answer is that the task fails, and runs again after one restart.
   *
   * @param pattern to be found in the beginning of the task's trace
   */
  Fault failsWith(String pattern) {
    failure = pattern;
    return this;
  }

  /**
   * Says that in the storm, whose sink publishes to one fixed exchange, a task may fail over it and
   * has to be restarted.
   *
   * @param text to be found in the task's trace
   */
  Fault mayFailInStorm(String text) {
    stormFailure = text;
    return this;
  }

  /** Says that messages are refused for good while it lasts. */
  Fault mayDeadLetter() {
    mayDeadLetter = true;
    return this;
  }

  /** Gives the connectors another setting than usual. */
  Fault with(String key, String value) {
    settings.put(key, value);
    return this;
  }

  /** Takes a worker of its own. */
  Fault on(WorkerSettings worker) {
    ownWorker = worker;
    return this;
  }

  /** Takes a cluster of three RabbitMQ nodes, with queues that have their leader on the first. */
  Fault onCluster(QueueKind kind) {
    clusterQueues = kind;
    return this;
  }

  String name() {
    return name;
  }

  String what() {
    return what;
  }

  Duration hold() {
    return hold;
  }

  Action begin() {
    return begin;
  }

  Action end() {
    return end;
  }

  Set<Side> sides() {
    return sides;
  }

  boolean isDeadLettering() {
    return mayDeadLetter;
  }

  Map<String, String> settings() {
    return settings;
  }

  /** Returns the pattern of the failure; null where the connector must go on by itself. */
  @Nullable String failure() {
    return failure;
  }

  /** Tells whether a task in the storm was right to fail with such a trace. */
  boolean explains(String trace) {
    return stormFailure != null && trace.contains(stormFailure);
  }

  /** Returns the settings of its own worker; null for the common one. */
  @Nullable WorkerSettings ownWorker() {
    return ownWorker;
  }

  /** Returns the type of all queues on a cluster; null for one node with both types. */
  @Nullable QueueKind clusterQueues() {
    return clusterQueues;
  }
}
