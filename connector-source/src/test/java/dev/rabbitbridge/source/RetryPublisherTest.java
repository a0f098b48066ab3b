// SPDX-License-Identifier: Apache-2.0
package dev.rabbitbridge.source;

import static org.assertj.core.api.Assertions.assertThat;

import com.rabbitmq.client.AMQP;
import com.rabbitmq.client.AMQP.BasicProperties;
import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Envelope;
import com.rabbitmq.client.ShutdownSignalException;
import dev.rabbitbridge.connection.BrokerConnector;
import dev.rabbitbridge.connection.FakeConnection;
import dev.rabbitbridge.connection.Outage;
import dev.rabbitbridge.connection.Topology;
import java.lang.reflect.Proxy;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** What becomes of messages that cannot be published for a retry. */
@Timeout(30)
class RetryPublisherTest {
  private final List<String> ends = new ArrayList<>();
  private final Acknowledger acknowledger =
      new Acknowledger("q", 1, Duration.ZERO, new SourceMetrics("orders", "0"), System::nanoTime);
  private RetryPublisher retries;

  static Stream<RuntimeException> refusals() {
    return Stream.of(
        // of the client
        new IllegalArgumentException("Content headers exceeded max frame size: 131100 > 131072"),
        // of RabbitMQ
        new ShutdownSignalException(
            false,
            false,
            new AMQP.Channel.Close.Builder()
                .replyCode(AMQP.PRECONDITION_FAILED)
                .replyText("PRECONDITION_FAILED - message size 17 is larger than max size 16")
                .classId(60)
                .methodId(40)
                .build(),
            null));
  }

  @ParameterizedTest
  @MethodSource("refusals")
  void aMessageOfWhichThereCanBeNoCopyIsRefusedAndTheOthersGoOn(RuntimeException refusal)
      throws Exception { // F58 F59
    RabbitMQSourceConfig config =
        new RabbitMQSourceConfig(Map.of("rabbitmq.queue", "q", "kafka.topic", "t"));
    retries =
        new RetryPublisher(
            new Link(
                new BrokerConnector(config.connection(), "orders", "0"),
                new Outage(config.connection(), "orders-0"),
                Topology.of(config.topology(), null, config.queues(), "#"),
                "queues",
                false,
                () -> 0,
                why -> {}),
            Duration.ofSeconds(5),
            new Notices("orders-0"),
            delivery -> {
              ends.add("confirmed " + text(delivery.body()));
              retries.stop();
            },
            (delivery, why) -> ends.add("refused " + text(delivery.body()) + ": " + why),
            why -> ends.add("gave up"));
    retries.submit(delivery(1, "bad"));
    retries.submit(delivery(2, "good"));

    while (!retries.isStopping()) {
      retries.work(FakeConnection.with(channel(refusal)));
    }

    assertThat(ends).hasSize(2);
    assertThat(ends.get(0)).startsWith("refused bad: ").contains("size");
    assertThat(ends.get(1)).isEqualTo("confirmed good");
  }

  private Delivery delivery(long tag, String body) {
    return acknowledger.delivered(
        acknowledgerEpoch(),
        "tag",
        new Envelope(tag, false, "", "q"),
        new BasicProperties(),
        body.getBytes(StandardCharsets.UTF_8));
  }

  private int acknowledgerEpoch() {
    if (epoch == 0) {
      epoch = acknowledger.beginEpoch();
    }
    return epoch;
  }

  private int epoch;

  private static Channel channel(RuntimeException refusal) {
    boolean[] open = {true};
    return (Channel)
        Proxy.newProxyInstance(
            RetryPublisherTest.class.getClassLoader(),
            new Class<?>[] {Channel.class},
            (proxy, method, arguments) -> {
              switch (method.getName()) {
                case "isOpen" -> {
                  return open[0];
                }
                case "abort" -> open[0] = false;
                case "basicPublish" -> {
                  if (text((byte[]) arguments[arguments.length - 1]).equals("bad")) {
                    throw refusal;
                  }
                }
                case "waitForConfirms" -> {
                  return true;
                }
                default -> {}
              }
              return null;
            });
  }

  private static String text(byte[] body) {
    return new String(body, StandardCharsets.UTF_8);
  }
}
