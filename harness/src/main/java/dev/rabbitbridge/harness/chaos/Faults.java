// SPDX-License-Identifier: Apache-2.0
package dev.rabbitbridge.harness.chaos;

import dev.rabbitbridge.harness.connect.WorkerSettings;
import dev.rabbitbridge.harness.rabbitmq.QueueKind;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.apache.kafka.common.quota.ClientQuotaAlteration;
import org.apache.kafka.common.quota.ClientQuotaEntity;

/** The faults of the matrix on one RabbitMQ node, one Kafka broker and one or two workers. */
final class Faults {
  /** Those of bin/test: one of each kind that takes seconds. */
  static final Set<String> SHORT =
      Set.of(
          "rabbitmq-kill",
          "connection-closed",
          "channel-closed",
          "confirms-swallowed",
          "queue-full",
          "worker-kill",
          "worker-kill-uncommitted",
          "worker-kill-unacked");

  /** Tells every consuming and publishing channel about an unknown delivery: 406. */
  private static final String CLOSE_CHANNELS =
      "[rabbit_channel:do(P, {'basic.ack', 999999999, false}) || P <- rabbit_channel:list()].";

  /** An address without a template; there are no unroutable messages then. */
  private static final String KEY = "rabbitmq.routing.key";

  private static final String FIXED = SinkFlow.KEY;

  private Faults() {}

  /**
   * Returns all faults.
   *
   * @param full with the durations of the acceptance, otherwise shorter ones
   */
  static List<Fault> all(boolean full) {
    return Stream.of(
            rabbitMQ(full),
            network(full),
            limits(),
            topology(),
            access(),
            kafka(full),
            connect(),
            cluster())
        .flatMap(List::stream)
        .toList();
  }

  private static List<Fault> rabbitMQ(boolean full) {
    return List.of(
        Fault.of(
            "rabbitmq-kill",
            "RabbitMQ killed and restarted",
            rig -> rig.rabbitMQ().kill(),
            2,
            rig -> rig.rabbitMQ().start()),
        Fault.of(
            "rabbitmq-restart",
            "RabbitMQ restarted in order",
            rig -> rig.rabbitMQ().stop(),
            2,
            rig -> rig.rabbitMQ().start()),
        Fault.of(
            "connection-closed",
            "Connections closed by RabbitMQ",
            rig -> rig.rabbitMQ().closeConnections(),
            0,
            Fault.NOTHING),
        Fault.of(
            "channel-closed",
            "Channels closed by RabbitMQ",
            rig -> rig.rabbitMQ().ctl("eval", CLOSE_CHANNELS),
            0,
            Fault.NOTHING),
        Fault.of(
            "rabbitmq-frozen",
            "RabbitMQ frozen (SIGSTOP) and continued",
            rig -> rig.rabbitMQ().pause(),
            full ? 90 : 20,
            rig -> rig.rabbitMQ().resume()));
  }

  private static List<Fault> network(boolean full) {
    return List.of(
        Fault.of("tcp-reset", "TCP connections reset", rig -> rig.proxy.cut(), 0, Fault.NOTHING),
        Fault.of(
            "silent-drop",
            "All bytes dropped in silence",
            rig -> rig.proxy.drop(),
            full ? 60 : 20,
            rig -> rig.proxy.heal()),
        Fault.of(
            "delay",
            "300 ms delay each way",
            rig -> rig.proxy.delay(Duration.ofMillis(300), Duration.ofMillis(300)),
            10,
            rig -> rig.proxy.heal()),
        Fault.of("slow", "10 kB/s", rig -> rig.proxy.limit(10_000), 15, rig -> rig.proxy.heal()),
        Fault.of(
                "confirms-swallowed",
                "Confirms swallowed",
                rig -> rig.proxy.swallowConfirms(),
                12,
                rig -> rig.proxy.passConfirms())
            .only(Side.SINK));
  }

  private static List<Fault> limits() {
    return List.of(
        Fault.of(
            "memory-alarm",
            "Memory alarm",
            rig -> rig.rabbitMQ().memoryAlarm(true),
            12,
            rig -> rig.rabbitMQ().memoryAlarm(false)),
        Fault.of(
            "disk-alarm",
            "Disk alarm",
            rig -> rig.rabbitMQ().ctl("set_disk_free_limit", "1000000000000000"),
            12,
            rig -> rig.rabbitMQ().ctl("set_disk_free_limit", "50000000")),
        Fault.of(
                "queue-full",
                "Queue full, reject-publish",
                rig -> limit(rig, 1),
                8,
                // With no limit at all, 3.10 was seen to go on rejecting what one of two channels
                // published.
                rig -> limit(rig, 10_000_000))
            .only(Side.SINK));
  }

  private static void limit(Rig rig, int messages) {
    rig.rabbitMQ()
        .management()
        .setPolicy(
            rig.policy(),
            "^chaos-.*-" + rig.run + "$",
            Map.of("max-length", messages, "overflow", "reject-publish"));
  }

  private static List<Fault> topology() {
    Fault.Action deleteQueues = rig -> rig.flows.forEach(Flow::destroyQueue);
    Fault.Action declareQueues = rig -> rig.flows.forEach(Flow::declareQueue);
    Fault.Action deleteExchange =
        rig ->
            rig.flows.forEach(
                flow -> {
                  if (flow instanceof SinkFlow sink) {
                    rig.rabbitMQ().management().deleteExchange(sink.exchange);
                  }
                });
    return List.of(
        Fault.of("queue-deleted", "Queue deleted and recreated", deleteQueues, 2, declareQueues)
            .mayDeadLetter(),
        Fault.of("queue-gone", "Queue deleted for longer", deleteQueues, 1, declareQueues)
            .only(Side.SOURCE)
            .failsWith("Queue 'chaos-.*' cannot be consumed: .*404.*Check that it exists"),
        Fault.of(
                "queue-deleted-no-dlq",
                "Queue deleted, no dead letter topic",
                deleteQueues,
                1,
                declareQueues)
            .only(Side.SINK)
            .with(KEY, FIXED)
            .with("errors.tolerance", "none")
            .failsWith("chaos-sink-topic-.* cannot be delivered to RabbitMQ: no queue takes it"),
        Fault.of(
                "exchange-deleted",
                "Exchange deleted and recreated, named by the records",
                deleteExchange,
                3,
                declareQueues)
            .only(Side.SINK)
            .mayDeadLetter(),
        Fault.of(
                "exchange-gone",
                "Exchange deleted and recreated, named by the connector",
                deleteExchange,
                1,
                declareQueues)
            .only(Side.SINK)
            .failsWith("refuses what is published: .*404.*Create the exchange"));
  }

  private static List<Fault> access() {
    Fault.Action takeAway =
        rig -> {
          rig.permit(false);
          // A channel remembers what it was permitted.
          rig.proxy.cut();
        };
    return List.of(
        Fault.of(
                "permissions",
                "Permissions taken away and given back",
                takeAway,
                2,
                rig -> rig.permit(true))
            .mayDeadLetter()
            .mayFailInStorm("RB-S04: RabbitMQ refuses what is published: 403"),
        Fault.of(
                "permissions-gone-sink",
                "Permissions taken away for longer",
                takeAway,
                1,
                rig -> rig.permit(true))
            .only(Side.SINK)
            .failsWith("refuses what is published: .*403.*Give the user write permission"),
        Fault.of(
                "permissions-gone-source",
                "Permissions taken away for longer",
                takeAway,
                1,
                rig -> rig.permit(true))
            .only(Side.SOURCE)
            .failsWith("cannot be consumed: .*403.*rabbitmq.username may read it"),
        Fault.of(
                "password-rotated",
                "Password rotated, told to the connector later",
                rig -> {
                  rig.rotatePassword();
                  rig.proxy.cut();
                },
                1,
                rig -> rig.flows.forEach(Flow::put))
            .failsWith("refused the connection.*rabbitmq.username and rabbitmq.password"));
  }

  private static List<Fault> kafka(boolean full) {
    return List.of(
        Fault.of(
            "kafka-restart",
            "Kafka broker restarted",
            rig -> rig.harness.kafka().stop(),
            1,
            rig -> rig.harness.kafka().start()),
        Fault.of(
            "kafka-away",
            "Kafka broker killed and away",
            rig -> rig.harness.kafka().kill(),
            full ? 120 : 20,
            rig -> rig.harness.kafka().start()),
        Fault.of(
                "produce-quota",
                "Produce quota of 5 kB/s",
                rig -> quota(rig, 5000.0),
                15,
                rig -> quota(rig, null))
            .only(Side.SOURCE));
  }

  private static void quota(Rig rig, @org.jspecify.annotations.Nullable Double bytesPerSecond)
      throws Exception {
    List<ClientQuotaAlteration> alterations =
        rig.flows.stream()
            .flatMap(
                flow ->
                    Stream.of(0, 1)
                        .map(task -> "connector-producer-" + flow.connector + "-" + task))
            .map(
                client ->
                    new ClientQuotaAlteration(
                        new ClientQuotaEntity(Map.of(ClientQuotaEntity.CLIENT_ID, client)),
                        List.of(
                            new ClientQuotaAlteration.Op("producer_byte_rate", bytesPerSecond))))
            .toList();
    rig.harness
        .kafka()
        .client()
        .admin()
        .alterClientQuotas(alterations)
        .all()
        .get(30, TimeUnit.SECONDS);
  }

  private static List<Fault> connect() {
    WorkerSettings lazy = WorkerSettings.of("chaos-lazy").with("offset.flush.interval.ms", "15000");
    return List.of(
        Fault.of(
            "worker-kill",
            "Connect worker killed and restarted",
            rig -> rig.worker().kill(),
            1,
            rig -> rig.worker().start()),
        Fault.of(
            "worker-stop",
            "Connect worker stopped in order and restarted",
            rig -> rig.worker().stop(),
            1,
            rig -> rig.worker().start()),
        Fault.of(
            "worker-frozen",
            "Connect worker frozen (SIGSTOP) and continued",
            rig -> rig.worker().pause(),
            20,
            rig -> rig.worker().resume()),
        Fault.of(
            "rebalance", "A second worker comes and goes", Rig::addWorker, 8, Rig::removeWorker),
        Fault.of(
            "zombie",
            "One of two workers frozen past its session, then continued",
            rig -> {
              rig.addWorker();
              rig.worker().pause();
            },
            20,
            rig -> rig.worker().resume()),
        Fault.of(
                "worker-kill-uncommitted",
                "Worker killed between confirm or dead letter report and offset commit",
                rig -> {
                  awaitOf(rig, SinkFlow.class, sink -> sink.hasUncommitted(500));
                  rig.worker().kill();
                },
                1,
                rig -> rig.worker().start())
            .only(Side.SINK)
            .on(lazy),
        Fault.of(
                "worker-kill-unacked",
                "Worker killed between Kafka's commit and the ack",
                rig -> {
                  rig.proxy.holdAcks();
                  long before = rig.flows.get(0).progress.delivered();
                  awaitOf(
                      rig,
                      SourceFlow.class,
                      source ->
                          rig.proxy.heldAcks() > 0 && source.progress.delivered() > before + 200);
                  rig.worker().kill();
                },
                1,
                rig -> {
                  rig.proxy.heal();
                  rig.worker().start();
                })
            .only(Side.SOURCE),
        Fault.of(
                "crash-loop",
                "21 connections in a row lost before the acks, delivery limit 20",
                rig -> {
                  rig.proxy.holdAcks();
                  for (int crash = 0; crash < 21; crash++) {
                    awaitOf(rig, SourceFlow.class, source -> rig.proxy.heldAcks() > 0);
                    // So that both queues are being consumed again.
                    Rig.sleep(Duration.ofMillis(500));
                    rig.proxy.cut();
                  }
                },
                0,
                rig -> rig.proxy.heal())
            .only(Side.SOURCE)
            .mayDeadLetter(),
        Fault.of(
            "task-restart",
            "Connector and tasks restarted",
            rig -> rig.flows.forEach(flow -> rig.rest().restart(flow.connector)),
            0,
            Fault.NOTHING),
        Fault.of(
            "pause-resume",
            "Connector paused and resumed",
            rig -> rig.flows.forEach(flow -> rig.rest().pause(flow.connector)),
            5,
            rig -> rig.flows.forEach(flow -> rig.rest().resume(flow.connector))),
        Fault.of(
            "config-changed",
            "Configuration changed under load",
            rig ->
                rig.flows.forEach(
                    flow -> {
                      Map<String, String> config = flow.config();
                      config.put(
                          flow.side == Side.SINK
                              ? "rabbitmq.publish.max.in.flight"
                              : "rabbitmq.prefetch.count",
                          "100");
                      rig.rest().put(flow.connector, config);
                    }),
            5,
            rig -> rig.flows.forEach(Flow::put)),
        Fault.of(
                "offsets-reset",
                "Offsets of the sink reset",
                rig ->
                    rig.flows.forEach(
                        flow -> {
                          rig.rest().stop(flow.connector);
                          rig.rest().awaitState(flow.connector, "STOPPED");
                          rig.rest().resetOffsets(flow.connector);
                        }),
                0,
                rig -> rig.flows.forEach(flow -> rig.rest().resume(flow.connector)))
            .only(Side.SINK));
  }

  private static List<Fault> cluster() {
    return List.of(
        Fault.of(
                "leader-kill",
                "Node of the quorum queues' leaders killed and restarted",
                rig -> rig.nodes().get(0).kill(),
                10,
                rig -> rig.nodes().get(0).start())
            .onCluster(QueueKind.QUORUM),
        Fault.of(
                "minority-away",
                "A follower of the quorum queues away",
                rig -> rig.nodes().get(1).kill(),
                20,
                rig -> rig.nodes().get(1).start())
            .onCluster(QueueKind.QUORUM),
        Fault.of(
                "majority-away",
                "A majority of the quorum queues away",
                rig -> {
                  rig.nodes().get(0).kill();
                  rig.nodes().get(1).kill();
                },
                20,
                rig -> {
                  rig.nodes().get(1).start();
                  rig.nodes().get(0).start();
                })
            .onCluster(QueueKind.QUORUM),
        Fault.of(
                "classic-node-away",
                "Node of the classic queues killed and restarted",
                rig -> rig.nodes().get(0).kill(),
                10,
                rig -> rig.nodes().get(0).start())
            .onCluster(QueueKind.CLASSIC)
            // Meanwhile RabbitMQ routes to it as little as to a queue that does not exist.
            .mayDeadLetter(),
        Fault.of(
                "leader-kill-rebalance",
                "Leaders' node killed in the middle of a rebalance",
                rig -> {
                  Thread kill = new Thread(() -> rig.nodes().get(0).kill(), "kill");
                  kill.start();
                  rig.addWorker();
                  kill.join();
                },
                10,
                rig -> rig.nodes().get(0).start())
            .onCluster(QueueKind.QUORUM));
  }

  private static <T extends Flow> void awaitOf(
      Rig rig, Class<T> kind, java.util.function.Predicate<T> condition) {
    org.awaitility.Awaitility.await()
        .atMost(Duration.ofMinutes(1))
        .pollInterval(Duration.ofMillis(100))
        .ignoreExceptions()
        .until(
            () ->
                rig.flows.stream()
                    .filter(kind::isInstance)
                    .allMatch(flow -> condition.test(kind.cast(flow))));
  }
}
