// SPDX-License-Identifier: Apache-2.0
package dev.rabbitbridge.metrics;

import dev.rabbitbridge.metrics.TaskMetrics.Metric;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.apache.kafka.common.MetricName;
import org.apache.kafka.common.metrics.Gauge;
import org.apache.kafka.common.metrics.MetricValueProvider;
import org.jspecify.annotations.Nullable;

/**
 * Kafka's {@code PluginMetrics}, found at run time: it came with Connect 4.1, and this is compiled
 * against an older one.
 *
 * @see <a
 *     href="https://cwiki.apache.org/confluence/display/KAFKA/KIP-877%3A+Mechanism+for+plugins+and+connectors+to+register+metrics">KIP-877</a>
 */
final class PluginMetrics implements AutoCloseable {
  private final Object metrics;
  private final Class<?> api;
  private final List<Object> added = new ArrayList<>();

  private PluginMetrics(Object metrics, Class<?> api) {
    this.metrics = metrics;
    this.api = api;
  }

  /** Returns the worker's plugin metrics for a task, or null if it has none. */
  static <C> @Nullable PluginMetrics of(Class<C> contextApi, C context)
      throws ReflectiveOperationException {
    Method pluginMetrics;
    try {
      pluginMetrics = contextApi.getMethod("pluginMetrics");
    } catch (NoSuchMethodException olderWorker) {
      return null;
    }
    Object metrics = pluginMetrics.invoke(context);
    return metrics == null ? null : new PluginMetrics(metrics, pluginMetrics.getReturnType());
  }

  /** Adds metrics: all of them, or none. */
  void add(Map<String, Metric> all) throws ReflectiveOperationException {
    Method metricName =
        api.getMethod("metricName", String.class, String.class, LinkedHashMap.class);
    Method addMetric = api.getMethod("addMetric", MetricName.class, MetricValueProvider.class);
    boolean done = false;
    try {
      for (Map.Entry<String, Metric> entry : all.entrySet()) {
        Metric metric = entry.getValue();
        Gauge<Double> gauge = (config, now) -> metric.value().getAsDouble();
        Object name =
            metricName.invoke(metrics, entry.getKey(), metric.description(), new LinkedHashMap<>());
        addMetric.invoke(metrics, name, gauge);
        added.add(name);
      }
      done = true;
    } finally {
      if (!done) {
        close();
      }
    }
  }

  /** Removes what was added. */
  @Override
  public void close() throws ReflectiveOperationException {
    Method removeMetric = api.getMethod("removeMetric", MetricName.class);
    for (Object name : added) {
      removeMetric.invoke(metrics, name);
    }
  }
}
