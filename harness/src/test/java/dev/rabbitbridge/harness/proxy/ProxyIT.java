// SPDX-License-Identifier: Apache-2.0
package dev.rabbitbridge.harness.proxy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import com.rabbitmq.client.ConnectionFactory;
import com.rabbitmq.client.MessageProperties;
import dev.rabbitbridge.harness.Scenario;
import dev.rabbitbridge.harness.rabbitmq.QueueKind;
import java.util.List;
import java.util.concurrent.TimeoutException;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** A publisher with confirms and a real broker, with the proxy between them. */
class ProxyIT {
  @RegisterExtension final Scenario scenario = new Scenario();

  private TcpProxy proxy;
  private String queue;
  private Channel channel;

  @BeforeEach
  void connect() throws Exception {
    queue = scenario.queue(QueueKind.CLASSIC);
    proxy = scenario.proxy();
    ConnectionFactory factory = new ConnectionFactory();
    factory.setHost(proxy.endpoint().host());
    factory.setPort(proxy.endpoint().port());
    factory.setUsername(scenario.rabbitMQ().username());
    factory.setPassword(scenario.rabbitMQ().password());
    factory.setAutomaticRecoveryEnabled(false);
    Connection connection = factory.newConnection("proxied");
    scenario.atEnd(connection::abort); // a test may have cut it
    channel = connection.createChannel();
    channel.confirmSelect();
  }

  @Test
  void confirmsAreHeldBackWhileMessagesPass() throws Exception {
    proxy.holdConfirms();

    publish();

    Awaitility.await().until(() -> scenario.amqp().ready(queue) == 1);
    assertThatThrownBy(() -> channel.waitForConfirms(300)).isInstanceOf(TimeoutException.class);
    Awaitility.await().until(() -> proxy.heldConfirms() == 1);
    proxy.passConfirms();
    assertThat(channel.waitForConfirms(5000)).isTrue();
  }

  @Test
  void acksOfTheClientAreHeldBackAndLostWithTheConnection() throws Exception {
    publish();
    assertThat(channel.waitForConfirms(5000)).isTrue();
    proxy.holdAcks();

    channel.basicAck(channel.basicGet(queue, false).getEnvelope().getDeliveryTag(), false);
    Awaitility.await().until(() -> proxy.heldAcks() == 1);
    proxy.cut();

    Awaitility.await().until(() -> scenario.amqp().ready(queue) == 1);
    assertThat(proxy.heldAcks()).isZero();
  }

  @Test
  void heldConfirmsAreReleasedOneByOne() throws Exception {
    proxy.holdConfirms();
    publish();
    Awaitility.await().until(() -> proxy.heldConfirms() == 1);
    publish();
    Awaitility.await().until(() -> proxy.heldConfirms() == 2);

    proxy.releaseConfirms(1);
    assertThat(proxy.heldConfirms()).isEqualTo(1);
    assertThatThrownBy(() -> channel.waitForConfirms(300)).isInstanceOf(TimeoutException.class);

    proxy.releaseConfirms(1);
    assertThat(channel.waitForConfirms(5000)).isTrue();
  }

  @Test
  void swallowedConfirmsNeverCome() throws Exception {
    proxy.swallowConfirms();
    publish();
    Awaitility.await().until(() -> scenario.amqp().ready(queue) == 1);

    proxy.passConfirms();

    assertThatThrownBy(() -> channel.waitForConfirms(300)).isInstanceOf(TimeoutException.class);
  }

  @Test
  void sinkOfTheWorkerReachesTheBrokerThroughTheProxy() {
    String topic = scenario.topic(1);
    var config = scenario.sink(topic, queue);
    config.putAll(scenario.broker(proxy.endpointFromWorker()));
    scenario.running(config);

    scenario.kafka().client().produce(topic, List.of("one"));

    Awaitility.await().until(() -> scenario.amqp().ready(queue) == 1);
    assertThat(proxy.accepted()).isGreaterThan(1);
  }

  private void publish() throws Exception {
    channel.basicPublish(
        "", queue, MessageProperties.MINIMAL_PERSISTENT_BASIC, new byte[] {1, 2, 3});
  }
}
