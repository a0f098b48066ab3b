// SPDX-License-Identifier: Apache-2.0
package dev.rabbitbridge.metrics;

import dev.rabbitbridge.metrics.TaskMetrics.Metric;
import java.lang.management.ManagementFactory;
import java.util.Map;
import javax.management.Attribute;
import javax.management.AttributeList;
import javax.management.AttributeNotFoundException;
import javax.management.DynamicMBean;
import javax.management.JMException;
import javax.management.MBeanAttributeInfo;
import javax.management.MBeanInfo;
import javax.management.MBeanServer;
import javax.management.ObjectName;
import org.jspecify.annotations.Nullable;

/** Metrics as attributes of one MBean, for workers that have no plugin metrics. Thread safe. */
final class MetricsBean implements DynamicMBean {
  private final Map<String, Metric> metrics;

  private MetricsBean(Map<String, Metric> metrics) {
    this.metrics = metrics;
  }

  /**
   * Registers metrics with the JVM.
   *
   * @return what removes them
   */
  static AutoCloseable register(String name, Map<String, Metric> metrics) throws JMException {
    MBeanServer server = ManagementFactory.getPlatformMBeanServer();
    ObjectName objectName = new ObjectName(name);
    server.registerMBean(new MetricsBean(Map.copyOf(metrics)), objectName);
    return () -> server.unregisterMBean(objectName);
  }

  @Override
  public Object getAttribute(String attribute) throws AttributeNotFoundException {
    Metric metric = metrics.get(attribute);
    if (metric == null) {
      throw new AttributeNotFoundException(attribute);
    }
    return metric.value().getAsDouble();
  }

  @Override
  public AttributeList getAttributes(String[] attributes) {
    AttributeList list = new AttributeList();
    for (String attribute : attributes) {
      Metric metric = metrics.get(attribute);
      if (metric != null) {
        list.add(new Attribute(attribute, metric.value().getAsDouble()));
      }
    }
    return list;
  }

  @Override
  public void setAttribute(Attribute attribute) throws AttributeNotFoundException {
    throw new AttributeNotFoundException(attribute.getName() + " is read-only");
  }

  @Override
  public AttributeList setAttributes(AttributeList attributes) {
    return new AttributeList();
  }

  @Override
  public @Nullable Object invoke(
      String operation, Object @Nullable [] params, String @Nullable [] signature) {
    throw new UnsupportedOperationException(operation);
  }

  @Override
  public MBeanInfo getMBeanInfo() {
    MBeanAttributeInfo[] attributes =
        metrics.entrySet().stream()
            .map(
                metric ->
                    new MBeanAttributeInfo(
                        metric.getKey(),
                        double.class.getName(),
                        metric.getValue().description(),
                        true,
                        false,
                        false))
            .toArray(MBeanAttributeInfo[]::new);
    return new MBeanInfo(MetricsBean.class.getName(), "", attributes, null, null, null);
  }
}
