// SPDX-License-Identifier: Apache-2.0
package dev.rabbitbridge.harness;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import dev.rabbitbridge.harness.connect.WorkerSettings;
import dev.rabbitbridge.harness.rabbitmq.Amqp;
import dev.rabbitbridge.harness.rabbitmq.Message;
import dev.rabbitbridge.harness.rabbitmq.QueueKind;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.apache.kafka.common.TopicPartition;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

class HarnessIT {
  @RegisterExtension final Scenario scenario = new Scenario();

  @Test
  void confirmedMessageInAQuorumQueueOutlivesAHardKill() {
    String queue = scenario.queue(QueueKind.QUORUM);
    scenario.amqp().publish(queue, List.of("one", "two"));

    scenario.rabbitMQ().kill();
    assertThat(scenario.rabbitMQ().amqp().answers()).isFalse();
    scenario.rabbitMQ().start();

    assertThat(scenario.amqp().drain(queue))
        .extracting(Message::text)
        .containsExactly("one", "two");
  }

  @Test
  void stoppedBrokerComesBackWithItsQueues() {
    String queue = scenario.queue(QueueKind.CLASSIC);
    scenario.amqp().publish(queue, List.of("one"));

    scenario.rabbitMQ().stop();
    assertThat(scenario.rabbitMQ().isRunning()).isFalse();
    scenario.rabbitMQ().start();

    assertThat(scenario.amqp().ready(queue)).isEqualTo(1);
  }

  @Test
  void brokerClosesItsConnections() {
    Amqp before = scenario.amqp();

    scenario.rabbitMQ().closeConnections();

    Awaitility.await().until(() -> !before.channel().isOpen());
    assertThat(scenario.amqp().channel().isOpen()).isTrue();
  }

  @Test
  void pausedBrokerDoesNotAnswerUntilItIsResumed() {
    scenario.rabbitMQ().pause();
    CompletableFuture<JsonNode> answer =
        CompletableFuture.supplyAsync(() -> scenario.rabbitMQ().management().get("overview"));
    assertThatThrownBy(() -> answer.get(1, TimeUnit.SECONDS)).isInstanceOf(TimeoutException.class);

    scenario.rabbitMQ().resume();

    assertThat(answer).succeedsWithin(Duration.ofSeconds(10));
  }

  @Test
  void memoryAlarmBlocksAPublisher() {
    String queue = scenario.queue(QueueKind.CLASSIC);
    Amqp amqp = scenario.amqp();
    scenario.rabbitMQ().memoryAlarm(true);
    List<Boolean> blocked = new CopyOnWriteArrayList<>();
    amqp.channel()
        .getConnection()
        .addBlockedListener(reason -> blocked.add(true), () -> blocked.add(false));

    Thread publisher = new Thread(() -> amqp.publish(queue, List.of("late")));
    publisher.start();

    Awaitility.await().untilAsserted(() -> assertThat(blocked).containsExactly(true));
    scenario.rabbitMQ().memoryAlarm(false);
    Awaitility.await().untilAsserted(() -> assertThat(blocked).containsExactly(true, false));
    Awaitility.await().until(() -> !publisher.isAlive());
    assertThat(amqp.ready(queue)).isEqualTo(1);
  }

  @Test
  void managementCountsWhatIsUnacked() throws Exception {
    String queue = scenario.queue(QueueKind.QUORUM);
    Amqp amqp = scenario.amqp();
    amqp.publish(queue, List.of("one", "two", "three"));
    amqp.channel().basicGet(queue, false);

    Awaitility.await()
        .atMost(Duration.ofSeconds(10))
        .untilAsserted(
            () -> {
              assertThat(scenario.rabbitMQ().management().counts(queue).ready()).isEqualTo(2);
              assertThat(scenario.rabbitMQ().management().counts(queue).unacked()).isEqualTo(1);
            });
  }

  @Test
  void userOfAVirtualHostMayDoWhatItWasGranted() {
    String user = scenario.user("secret");
    var vhost = scenario.vhost();
    vhost.grant(user, "", "", "");
    vhost.declareQueue("q", QueueKind.CLASSIC, Map.of());

    assertThat(vhost.queue("q").path("type").asText()).isEqualTo("classic");
    assertThat(vhost.get("users/" + user + "/permissions")).hasSize(1);
  }

  @Test
  void kafkaComesBackWithItsRecords() {
    String topic = scenario.topic(1);
    scenario.kafka().client().produce(topic, List.of("one", "two"));

    scenario.kafka().kill();
    scenario.kafka().start();

    assertThat(scenario.kafka().client().values(topic)).containsExactly("one", "two");
    assertThat(scenario.kafka().client().endOffsets(topic))
        .isEqualTo(Map.of(new TopicPartition(topic, 0), 2L));
  }

  @Test
  void workerFindsBothConnectorsInThePackagedPlugin() {
    assertThat(scenario.worker().rest().plugins())
        .contains(
            "dev.rabbitbridge.sink.RabbitMQSinkConnector",
            "dev.rabbitbridge.source.RabbitMQSourceConnector");
  }

  @Test
  void killedWorkerStartsAgainUnderTheSameAddress() {
    scenario.worker().kill();
    assertThat(scenario.worker().isRunning()).isFalse();

    scenario.worker().start();

    assertThat(scenario.worker().rest().connectors()).isEmpty();
    assertThat(scenario.worker().logLines("Kafka Connect started")).hasSize(2);
  }

  @Test
  void workersOfOneGroupKnowEachOther() {
    String group = scenario.name("group");
    scenario.newWorker(WorkerSettings.of(group));
    var second = scenario.newWorker(WorkerSettings.of(group).withJvmOption("-Xmx256m"));

    assertThat(second.rest().connectors()).isEmpty();
    assertThat(second.jmx().number("kafka.connect:type=connect-worker-metrics", "task-count"))
        .isZero();
  }
}
