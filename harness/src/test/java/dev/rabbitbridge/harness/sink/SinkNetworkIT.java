// SPDX-License-Identifier: Apache-2.0
package dev.rabbitbridge.harness.sink;

import static dev.rabbitbridge.harness.sink.Sinks.LONG;
import static dev.rabbitbridge.harness.sink.Sinks.awaitAllCommitted;
import static dev.rabbitbridge.harness.sink.Sinks.committed;
import static dev.rabbitbridge.harness.sink.Sinks.ids;
import static dev.rabbitbridge.harness.sink.Sinks.texts;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.rabbitbridge.harness.Scale;
import dev.rabbitbridge.harness.Scenario;
import dev.rabbitbridge.harness.proxy.TcpProxy;
import dev.rabbitbridge.harness.rabbitmq.QueueKind;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** The sink behind a network that holds back, swallows, delays and drops. */
class SinkNetworkIT {
  @RegisterExtension final Scenario scenario = new Scenario();

  @Test
  void offsetsMoveWithTheConfirmsAndWhatIsUnconfirmedIsPublishedAgainAfterACrash() { // F37
    TcpProxy proxy = scenario.proxy();
    String topic = scenario.topic(1);
    String queue = scenario.queue(QueueKind.QUORUM);
    Map<String, String> config = scenario.sink(topic, queue);
    config.putAll(scenario.broker(proxy.endpointFromWorker()));
    config.put("rabbitmq.publish.confirm.timeout.ms", "600000");
    String sink = scenario.running(config);
    proxy.holdConfirms();
    scenario.kafka().client().produce(topic, ids(40));
    await().until(() -> scenario.amqp().ready(queue) == 40);
    int framesOfTheFirst = await().until(proxy::heldConfirms, frames -> frames > 0);
    scenario.kafka().client().produce(topic, ids(40, 100));
    await().until(() -> scenario.amqp().ready(queue) == 100);

    await().during(Duration.ofSeconds(2)).until(() -> committed(scenario, sink) == 0);
    proxy.releaseConfirms(framesOfTheFirst);
    await().until(() -> committed(scenario, sink) > 0);
    long confirmed = committed(scenario, sink);
    assertThat(confirmed).isLessThanOrEqualTo(40);

    scenario.worker().kill();
    proxy.heal();
    scenario.worker().start();
    awaitAllCommitted(scenario, sink, topic);
    List<String> delivered = texts(scenario.amqp().drain(queue));
    assertThat(delivered).hasSize(100 + 100 - (int) confirmed);
    assertThat(new HashSet<>(delivered)).isEqualTo(new HashSet<>(ids(100)));
  }

  @Test
  void swallowedConfirmsAreAnUnknownOutcomeUntilAChannelAnswers() { // F47, F48
    TcpProxy proxy = scenario.proxy();
    String topic = scenario.topic(1);
    String queue = scenario.queue(QueueKind.QUORUM);
    Map<String, String> config = scenario.sink(topic, queue);
    config.putAll(scenario.broker(proxy.endpointFromWorker()));
    config.put("rabbitmq.publish.confirm.timeout.ms", "1000");
    String sink = scenario.running(config);
    proxy.swallowConfirms();
    scenario.kafka().client().produce(topic, ids(10));

    await()
        .atMost(LONG)
        .until(() -> scenario.worker().logLines(sink + "-0: 10 without a confirm").size() >= 2);
    assertThat(committed(scenario, sink)).isZero();
    proxy.passConfirms();

    awaitAllCommitted(scenario, sink, topic);
    scenario.kafka().client().produce(topic, ids(10, 20));
    awaitAllCommitted(scenario, sink, topic);
    assertThat(new HashSet<>(texts(scenario.amqp().drain(queue))))
        .isEqualTo(new HashSet<>(ids(20)));
  }

  @Test
  void publishesOverlapConfirms() { // F53
    int count = 20_000;
    TcpProxy proxy = scenario.proxy();
    proxy.delay(Duration.ofMillis(5), Duration.ZERO);
    String topic = scenario.topic(1);
    String queue = scenario.queue(QueueKind.QUORUM);
    Map<String, String> config = scenario.sink(topic, queue);
    config.putAll(scenario.broker(proxy.endpointFromWorker()));
    scenario.kafka().client().produce(topic, ids(count));
    String sink = scenario.running(config);
    long start = System.nanoTime();

    awaitAllCommitted(scenario, sink, topic);

    assertThat(Duration.ofNanos(System.nanoTime() - start))
        .isLessThan(Duration.ofMillis(count * 5L / 4));
    assertThat(scenario.amqp().ready(queue)).isEqualTo(count);
  }

  @Test
  void aSilentNetworkIsNoticedByItsHeartbeatAndOutlasted() { // F25
    int heartbeat = Scale.of(2, 10);
    TcpProxy proxy = scenario.proxy();
    String topic = scenario.topic(1);
    String queue = scenario.queue(QueueKind.QUORUM);
    Map<String, String> config = scenario.sink(topic, queue);
    config.putAll(scenario.broker(proxy.endpointFromWorker()));
    config.put("rabbitmq.requested.heartbeat.seconds", Integer.toString(heartbeat));
    config.put("rabbitmq.publish.confirm.timeout.ms", "600000");
    config.put("rabbitmq.handshake.timeout.ms", "2000");
    config.put("rabbitmq.reconnect.backoff.max.ms", "1000");
    String sink = scenario.running(config);
    scenario.kafka().client().produce(topic, ids(10));
    awaitAllCommitted(scenario, sink, topic);

    proxy.drop();
    scenario.kafka().client().produce(topic, ids(10, 20));
    await()
        .atMost(Duration.ofSeconds(4L * heartbeat))
        .until(() -> !scenario.worker().logLines(sink + "-0: no connection").isEmpty());
    proxy.heal();

    awaitAllCommitted(scenario, sink, topic);
    assertThat(new HashSet<>(texts(scenario.amqp().drain(queue))))
        .isEqualTo(new HashSet<>(ids(20)));
  }

  @Test
  void connectionsCutAtRandomLoseNothing() { // F45
    int cuts = Scale.of(5, 20);
    int count = Scale.of(50_000, 200_000);
    TcpProxy proxy = scenario.proxy();
    String topic = scenario.topic(4);
    String queue = scenario.queue(QueueKind.QUORUM);
    Map<String, String> config = scenario.sink(topic, queue);
    config.putAll(scenario.broker(proxy.endpointFromWorker()));
    config.put("rabbitmq.publish.max.in.flight", "1000");
    config.put("rabbitmq.reconnect.backoff.ms", "50");
    String sink = scenario.running(config);
    Thread producer = new Thread(() -> scenario.kafka().client().produce(topic, ids(count)));
    producer.start();

    for (int cut = 1; cut <= cuts; cut++) {
      long reached = (long) count * cut / (cuts + 1);
      await().atMost(LONG).until(() -> committed(scenario, sink) >= reached);
      proxy.cut();
    }

    await().atMost(LONG).until(() -> !producer.isAlive());
    awaitAllCommitted(scenario, sink, topic);
    assertThat(scenario.worker().logLines("ConcurrentModificationException")).isEmpty();
    List<String> delivered = texts(scenario.amqp().drain(queue));
    assertThat(new HashSet<>(delivered)).hasSize(count);
    assertThat(delivered.size() - count).isLessThanOrEqualTo(cuts * 1000);
  }
}
