// SPDX-License-Identifier: Apache-2.0
package dev.rabbitbridge.sink;

import static dev.rabbitbridge.sink.Records.records;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.lang.management.ManagementFactory;
import java.net.ConnectException;
import java.util.Arrays;
import java.util.Map;
import java.util.TreeMap;
import javax.management.Attribute;
import javax.management.JMException;
import javax.management.MBeanAttributeInfo;
import javax.management.MBeanServer;
import javax.management.ObjectName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Each outcome has its number, as operators read it. */
@Timeout(60)
class SinkMetricsTest {
  private static final String NAME = "kafka.connect:type=plugins,connector=orders,task=0";
  private static final MBeanServer SERVER = ManagementFactory.getPlatformMBeanServer();

  @Test
  void publishedMessagesAreInFlightUntilTheyAreConfirmed() {
    try (SinkFixture f = new SinkFixture(false)) {
      f.put(records(0, 10));
      FakeBroker.Fake channel = f.awaitPublished(10);
      awaitNumber("published-total", 10);
      assertNumbers(Map.of("in-flight", 10, "pending", 10, "confirmed-total", 0));

      channel.confirm(4, true);
      channel.confirm(6, false);
      f.putNothing();
      assertNumbers(
          Map.of("in-flight", 5, "pending", 5, "confirmed-total", 5, "published-total", 10));
      assertThat(number("confirmed-rate")).isPositive();
      assertThat(number("confirm-latency-max"))
          .isGreaterThanOrEqualTo(number("confirm-latency-p99"))
          .isGreaterThanOrEqualTo(number("confirm-latency-avg"))
          .isPositive();
    }
  }

  @Test
  void aNackedMessageIsRepublishedAndConfirmedOnce() { // F38
    try (SinkFixture f = new SinkFixture(false)) {
      f.put(records(0, 3));
      FakeBroker.Fake channel = f.awaitPublished(3);
      channel.nack(2, true);
      channel.confirm(3, false);
      f.awaitPublished(5);
      channel.confirm(5, true);

      f.putNothing();
      awaitNumber("republished-total", 2);
      assertNumbers(
          Map.of("published-total", 5, "nacked-total", 2, "confirmed-total", 3, "pending", 0));
    }
  }

  @Test
  void aReturnedMessageIsARecordErrorAndNotConfirmed() { // F39
    try (SinkFixture f = new SinkFixture(true)) {
      f.put(records(0, 3));
      FakeBroker.Fake channel = f.awaitPublished(3);
      channel.giveBack(2);
      channel.confirm(3, true);

      f.putNothing();
      assertNumbers(
          Map.of(
              "returned-total", 1, "confirmed-total", 2, "record-errors-total", 1, "in-flight", 0));
    }
  }

  @Test
  void aMessageWithoutAConfirmIsTimedOutAndRepublished() { // F47
    try (SinkFixture f = new SinkFixture(false, "rabbitmq.publish.confirm.timeout.ms", "2000")) {
      f.put(records(0, 3));
      f.awaitPublished(3).confirm(1, false);
      await()
          .until(
              () -> {
                f.putNothing();
                return f.broker.channels.size() == 2;
              });
      f.awaitPublished(2).confirm(2, true);

      f.putNothing();
      assertNumbers(Map.of("timed-out-total", 2, "confirmed-total", 3, "pending", 0));
      awaitNumber("reconnects-total", 1);
      awaitNumber("republished-total", 2);
      awaitNumber("published-total", 5);
    }
  }

  @Test
  void aLostConnectionIsAReconnectAndItsMessagesAreRepublished() { // F44
    try (SinkFixture f = new SinkFixture(false)) {
      f.put(records(0, 3));
      f.awaitPublished(3).cut();
      f.awaitChannels(2);
      f.awaitPublished(3).confirm(3, true);

      awaitNumber("republished-total", 3);
      assertNumbers(Map.of("connected", 1, "timed-out-total", 0));
      awaitNumber("reconnects-total", 1);
    }
  }

  @Test
  void aTaskWithoutAChannelIsNotConnected() {
    try (SinkFixture f = new SinkFixture(false)) {
      f.awaitChannels(1);
      awaitNumber("connected", 1);
      f.broker.refusal = new ConnectException("refused");
      f.broker.channel().cut();

      awaitNumber("connected", 0);
      f.broker.refusal = null;
      awaitNumber("connected", 1);
    }
  }

  @Test
  void blockedTimeAddsUpOverConnections() {
    try (SinkFixture f = new SinkFixture(false)) {
      f.awaitChannels(1);
      FakeBroker.Fake first = f.broker.channel();
      first.blockedNanos = 3_000_000;
      first.setBlocked(true);
      awaitNumber("blocked", 1);

      first.cut();
      f.awaitChannels(2);
      awaitNumber("blocked", 0);
      f.broker.channel().blockedNanos = 2_000_000;
      awaitNumber("blocked-time-ms-total", 5);
    }
  }

  @Test
  void aRecordThatCannotBeEncodedIsARecordErrorAndNeverPublished() { // F55
    try (SinkFixture f =
        new SinkFixture(
            true, "rabbitmq.routing.key", "${value:missing}", "rabbitmq.value.format", "json")) {
      f.put(records(0, 2));

      assertNumbers(
          Map.of("record-errors-total", 2, "published-total", 0, "pending", 0, "in-flight", 0));
    }
  }

  @Test
  void aStoppedTaskHasNoMetrics() throws Exception {
    SinkFixture f = new SinkFixture(false);
    assertThat(SERVER.isRegistered(new ObjectName(NAME))).isTrue();

    f.close();
    assertThat(SERVER.isRegistered(new ObjectName(NAME))).isFalse();
  }

  private static void awaitNumber(String metric, double value) {
    await(metric).until(() -> number(metric) == value);
  }

  private static void assertNumbers(Map<String, Integer> expected) {
    Map<String, Double> numbers = numbers();
    expected.forEach(
        (metric, value) ->
            assertThat(numbers.get(metric)).as(metric).isEqualTo(value.doubleValue()));
  }

  private static double number(String metric) {
    return numbers().get(metric);
  }

  private static Map<String, Double> numbers() {
    try {
      ObjectName name = new ObjectName(NAME);
      String[] all =
          Arrays.stream(SERVER.getMBeanInfo(name).getAttributes())
              .map(MBeanAttributeInfo::getName)
              .toArray(String[]::new);
      Map<String, Double> numbers = new TreeMap<>();
      for (Attribute attribute : SERVER.getAttributes(name, all).asList()) {
        numbers.put(attribute.getName(), (Double) attribute.getValue());
      }
      return numbers;
    } catch (JMException e) {
      throw new AssertionError(e);
    }
  }
}
