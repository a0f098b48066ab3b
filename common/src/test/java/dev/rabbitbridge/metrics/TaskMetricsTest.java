// SPDX-License-Identifier: Apache-2.0
package dev.rabbitbridge.metrics;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import javax.management.MBeanInfo;
import javax.management.MBeanServer;
import javax.management.ObjectName;
import org.apache.kafka.common.MetricName;
import org.apache.kafka.common.metrics.Gauge;
import org.apache.kafka.common.metrics.MetricConfig;
import org.apache.kafka.common.metrics.MetricValueProvider;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

@SuppressWarnings("NonApiType") // as Kafka has it
class TaskMetricsTest {
  private static final MBeanServer SERVER = ManagementFactory.getPlatformMBeanServer();
  private static final String ORDERS = "kafka.connect:type=plugins,connector=orders,task=7";
  private static final OlderContext OLDER = new OlderContext() {};

  /** What Connect gave to tasks before 4.1. */
  public interface OlderContext {}

  /** What it gives to them since. */
  public interface Context {
    @Nullable WorkersMetrics pluginMetrics();
  }

  /** The shape of Kafka's PluginMetrics, as far as it is used. */
  public interface WorkersMetrics {
    MetricName metricName(String name, String description, LinkedHashMap<String, String> tags);

    void addMetric(MetricName metricName, MetricValueProvider<?> metricValueProvider);

    void removeMetric(MetricName metricName);
  }

  @Test
  void anOlderWorkerGetsAnMBeanOfTheSameName() throws Exception {
    Meter meter = new Meter(0);
    Latency latency = new Latency(0);
    try (TaskMetrics metrics = new TaskMetrics("orders", "7", () -> 0)) {
      metrics
          .add("confirmed", "Messages that were confirmed", meter)
          .add("confirm-latency", "Time to the confirm", latency)
          .add("in-flight", "Messages in flight", () -> 3)
          .publish(OlderContext.class, OLDER);
      meter.add(5, 0);
      latency.record(2_000_000, 0);

      assertThat(value("confirmed-total")).isEqualTo(5);
      assertThat(value("confirmed-rate")).isEqualTo(5);
      assertThat(value("in-flight")).isEqualTo(3);
      for (String statistic : List.of("avg", "p50", "p99", "max")) {
        assertThat(value("confirm-latency-" + statistic)).isEqualTo(2);
      }
      MBeanInfo info = SERVER.getMBeanInfo(new ObjectName(ORDERS));
      assertThat(info.getAttributes()).hasSize(7).allMatch(a -> a.getType().equals("double"));
      assertThat(SERVER.getAttributes(new ObjectName(ORDERS), new String[] {"in-flight", "no"}))
          .hasSize(1);
    }

    assertThat(isRegistered(ORDERS)).isFalse();
  }

  @Test
  void namesThatJmxWouldMisreadAreQuotedAsKafkaDoes() throws Exception {
    try (TaskMetrics metrics = new TaskMetrics("a,b=\"c\"*", "0", () -> 0)) {
      metrics.add("pending", "Records", () -> 1).publish(OlderContext.class, OLDER);

      assertThat(isRegistered("kafka.connect:type=plugins,connector=\"a,b=\\\"c\\\"\\*\",task=0"))
          .isTrue();
    }
  }

  @Test
  void theLaterRunOfATaskHasTheMetricsAndTheEarlierDoesNotTakeThemAway() throws Exception {
    TaskMetrics zombie = new TaskMetrics("orders", "7", () -> 0);
    zombie.add("pending", "Records", () -> 1).publish(OlderContext.class, OLDER);
    try (TaskMetrics later = new TaskMetrics("orders", "7", () -> 0)) {
      later.add("pending", "Records", () -> 2).publish(OlderContext.class, OLDER);

      assertThat(value("pending")).isEqualTo(2);
      zombie.close();
      assertThat(value("pending")).isEqualTo(2);
    }

    assertThat(isRegistered(ORDERS)).isFalse();
  }

  @Test
  void aForeignMBeanOfTheNameDoesNotFailTheTask() throws Exception {
    try (AutoCloseable foreign = MetricsBean.register(ORDERS, Map.of());
        LogLines log = new LogLines(TaskMetrics.class)) {
      assertThat(foreign).isNotNull();
      TaskMetrics metrics = new TaskMetrics("orders", "7", () -> 0);
      metrics.add("pending", "Records", () -> 1).publish(OlderContext.class, OLDER);
      metrics.close();

      assertThat(log.lines()).hasSize(1);
      assertThat(isRegistered(ORDERS)).isTrue();
    }
  }

  @Test
  void aNewerWorkerGetsPluginMetricsAndNoMBean() throws Exception {
    Recorder worker = new Recorder();
    TaskMetrics metrics = new TaskMetrics("orders", "7", () -> 0);
    metrics
        .add("pending", "Records", () -> 1)
        .add("blocked", "Whether", () -> 0)
        .publish(Context.class, () -> worker);

    assertThat(worker.values()).isEqualTo(Map.of("pending", 1.0, "blocked", 0.0));
    assertThat(isRegistered(ORDERS)).isFalse();
    metrics.close();
    assertThat(worker.values()).isEmpty();
  }

  @Test
  void aRunThatStartsBesideAHangingOneReplacesItsPluginMetrics() {
    Recorder worker = new Recorder();
    TaskMetrics zombie = new TaskMetrics("orders", "7", () -> 0);
    zombie.add("pending", "Records", () -> 1).publish(Context.class, () -> worker);
    TaskMetrics later = new TaskMetrics("orders", "7", () -> 0);
    later.add("pending", "Records", () -> 2).publish(Context.class, () -> worker);

    assertThat(worker.values()).isEqualTo(Map.of("pending", 2.0));
    zombie.close();
    assertThat(worker.values()).isEqualTo(Map.of("pending", 2.0));
    later.close();
    assertThat(worker.values()).isEmpty();
  }

  @Test
  void metricsThatTheWorkerRefusesAreAllLeftOutAndDoNotFailTheTask() {
    Recorder worker = new Recorder();
    worker.refused.add("blocked");
    try (LogLines log = new LogLines(TaskMetrics.class)) {
      TaskMetrics metrics = new TaskMetrics("orders", "7", () -> 0);
      metrics
          .add("pending", "Records", () -> 1)
          .add("blocked", "Whether", () -> 0)
          .publish(Context.class, () -> worker);

      assertThat(worker.values()).isEmpty();
      assertThat(log.lines()).hasSize(1).first().asString().contains("orders", "WARN");
      metrics.close();
    }
  }

  @Test
  void aContextWithoutAnAnswerGetsTheMBean() throws Exception {
    try (TaskMetrics metrics = new TaskMetrics("orders", "7", () -> 0)) {
      metrics.add("pending", "Records", () -> 1).publish(Context.class, () -> null);

      assertThat(value("pending")).isEqualTo(1);
    }
  }

  @Test
  void anUnknownAttributeIsNotANumber() {
    try (TaskMetrics metrics = new TaskMetrics("orders", "7", () -> 0)) {
      metrics.add("pending", "Records", () -> 1).publish(OlderContext.class, OLDER);

      assertThatThrownBy(() -> value("no"))
          .isInstanceOf(javax.management.AttributeNotFoundException.class);
    }
  }

  private static double value(String attribute) throws Exception {
    return (double) SERVER.getAttribute(new ObjectName(ORDERS), attribute);
  }

  private static boolean isRegistered(String name) throws Exception {
    return SERVER.isRegistered(new ObjectName(name));
  }

  /** As strict as Kafka's: a name can be taken once, and only what is there can be removed. */
  private static final class Recorder implements WorkersMetrics {
    final List<String> refused = new ArrayList<>();
    private final Map<MetricName, MetricValueProvider<?>> metrics = new LinkedHashMap<>();

    @Override
    public MetricName metricName(
        String name, String description, LinkedHashMap<String, String> tags) {
      return new MetricName(name, "plugins", description, tags);
    }

    @Override
    public void addMetric(MetricName name, MetricValueProvider<?> value) {
      if (refused.contains(name.name()) || metrics.putIfAbsent(name, value) != null) {
        throw new IllegalArgumentException(name + " exists");
      }
    }

    @Override
    public void removeMetric(MetricName name) {
      if (metrics.remove(name) == null) {
        throw new IllegalArgumentException(name + " does not exist");
      }
    }

    Map<String, Object> values() {
      Map<String, Object> values = new LinkedHashMap<>();
      metrics.forEach(
          (name, value) ->
              values.put(name.name(), ((Gauge<?>) value).value(new MetricConfig(), 0)));
      return values;
    }
  }
}
