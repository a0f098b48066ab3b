// SPDX-License-Identifier: Apache-2.0
package dev.rabbitbridge.source;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.rabbitmq.client.AMQP;
import com.rabbitmq.client.MalformedFrameException;
import dev.rabbitbridge.connection.BrokerConnection;
import dev.rabbitbridge.connection.BrokerConnector;
import dev.rabbitbridge.connection.FakeBroker;
import dev.rabbitbridge.connection.Outage;
import dev.rabbitbridge.connection.Topology;
import dev.rabbitbridge.failure.Fault;
import dev.rabbitbridge.metrics.LogLines;
import java.io.EOFException;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.SocketException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeoutException;
import java.util.function.LongSupplier;
import org.apache.kafka.connect.errors.ConnectException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(30)
class LinkTest {
  private final List<Throwable> gaveUp = new CopyOnWriteArrayList<>();

  @Test
  void aSettingThatCannotBeUsedGivesUpWithItsSentence(@TempDir Path dir) throws Exception { // F85
    Path store = Files.writeString(dir.resolve("trust.p12"), "no store");
    RabbitMQSourceConfig config =
        new RabbitMQSourceConfig(
            Map.of(
                "rabbitmq.queue", "q",
                "kafka.topic", "t",
                "rabbitmq.security.protocol", "SSL",
                "rabbitmq.ssl.truststore.type", "PKCS12",
                "rabbitmq.ssl.truststore.location", store.toString()));

    link(config, () -> 0).run();

    assertThat(gaveUp)
        .singleElement()
        .isInstanceOf(ConnectException.class)
        .asString()
        .contains(Fault.SETTING.id() + ": rabbitmq.ssl.truststore.");
  }

  @Test
  void anErrorOnTheThreadThatConnectsFailsTheTask() throws Exception {
    try (FakeBroker broker = broker()) {
      link(
              broker,
              () -> {
                throw new OutOfMemoryError("unable to create native thread");
              })
          .run();

      assertThat(gaveUp).singleElement().isInstanceOf(OutOfMemoryError.class);
    }
  }

  @Test
  void anErrorOnAThreadThatUsesTheConnectionFailsTheTask() throws Exception {
    try (FakeBroker broker = broker()) {
      Link link = link(broker, () -> 0);
      Thread connecting = new Thread(link);
      connecting.start();
      new LinkWorker(link, gaveUp::add) {
        @Override
        void work(BrokerConnection connection) {
          throw new OutOfMemoryError("unable to create native thread");
        }
      }.run();
      link.close();
      connecting.join();

      assertThat(gaveUp).singleElement().isInstanceOf(OutOfMemoryError.class);
    }
  }

  @Test
  void whateverTheClientsThreadEndsOverIsAMessageThatCannotBeReadButForTheSocket() { // F05 F33
    assertThat(
            List.of(
                new MalformedFrameException("unknown type"),
                new IllegalStateException("too large"),
                new StackOverflowError(),
                new NegativeArraySizeException()))
        .allMatch(Link::isOfReading);
    assertThat(List.of(new SocketException("reset"), new EOFException(), new TimeoutException()))
        .noneMatch(Link::isOfReading);
    assertThat(Link.isOfReading(null)).isFalse();
  }

  @Test
  void aConnectionThatRabbitMqClosesAsSoonAsItIsUsedEndsNoOutage() throws Exception { // F32 F87
    try (LogLines log = new LogLines(Outage.class);
        FakeBroker broker = FakeBroker.closingWith(server(), AMQP.INTERNAL_ERROR)) {
      Link link = link(broker, () -> 0);
      Thread connecting = new Thread(link);
      connecting.start();

      await().until(() -> broker.logins() > 5);
      link.close();
      connecting.join();

      assertThat(log.lines())
          .hasSize(1)
          .allMatch(line -> line.contains("no connection") && line.contains("541"));
      assertThat(gaveUp).isEmpty();
    }
  }

  private static ServerSocket server() throws IOException {
    return new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
  }

  private static FakeBroker broker() throws IOException {
    return FakeBroker.speakingAmqp(server(), "PLAIN");
  }

  private Link link(FakeBroker broker, LongSupplier progress) {
    RabbitMQSourceConfig config =
        new RabbitMQSourceConfig(
            Map.of(
                "rabbitmq.host", InetAddress.getLoopbackAddress().getHostAddress(),
                "rabbitmq.port", Integer.toString(broker.port()),
                "rabbitmq.queue", "q",
                "kafka.topic", "t",
                "rabbitmq.reconnect.backoff.ms", "10",
                "rabbitmq.shutdown.timeout.ms", "100"));
    return link(config, progress);
  }

  private Link link(RabbitMQSourceConfig config, LongSupplier progress) {
    return new Link(
        new BrokerConnector(config.connection(), "orders", "0"),
        new Outage(config.connection(), "orders-0"),
        Topology.of(config.topology(), null, config.queues(), "#"),
        "queues",
        false,
        progress,
        gaveUp::add);
  }
}
