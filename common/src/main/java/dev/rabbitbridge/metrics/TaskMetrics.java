// SPDX-License-Identifier: Apache-2.0
package dev.rabbitbridge.metrics;

import java.lang.reflect.InvocationTargetException;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.DoubleSupplier;
import java.util.function.LongSupplier;
import java.util.regex.Pattern;
import javax.management.JMException;
import javax.management.ObjectName;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The metrics of one task, published under the same names on every worker: as Connect's plugin
 * metrics where it has them (4.1 and later), and as an MBean of the name that those get where it
 * has not.
 *
 * <p>Metrics never fail a task: what cannot be published is said once at WARN. When a task starts
 * while an earlier run of it still hangs, the metrics are those of the later.
 *
 * <h2>Threading</h2>
 *
 * The task's thread makes, publishes and closes them; any thread may read the values.
 */
public final class TaskMetrics implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(TaskMetrics.class);

  /** The runs that are published, by the name of their MBean. */
  private static final Map<String, TaskMetrics> PUBLISHED = new ConcurrentHashMap<>();

  private static final Pattern PLAIN = Pattern.compile("[\\w-%. \t]*");

  private final String name;
  private final LongSupplier nanoTime;
  private final Map<String, Metric> metrics = new LinkedHashMap<>();
  private @Nullable AutoCloseable publication; // guarded by this
  private boolean closed; // guarded by this

  /**
   * Creates a set without metrics.
   *
   * @param connector the connector's name
   * @param task the task's number
   * @param nanoTime a clock like {@link System#nanoTime()}
   */
  public TaskMetrics(String connector, String task, LongSupplier nanoTime) {
    this.name =
        "kafka.connect:type=plugins,connector=" + quoted(connector) + ",task=" + quoted(task);
    this.nanoTime = nanoTime;
  }

  /** Kafka quotes the same values in the names of its MBeans. */
  private static String quoted(String value) {
    return PLAIN.matcher(value).matches() ? value : ObjectName.quote(value);
  }

  /**
   * Adds a value that is asked for when somebody reads it.
   *
   * @param metric its name
   * @param description its meaning and unit, for people
   * @param value asked on any thread; must return at once and not throw
   * @return this
   */
  public TaskMetrics add(String metric, String description, DoubleSupplier value) {
    metrics.put(metric, new Metric(description, value));
    return this;
  }

  /**
   * Adds the total and the rate of a meter.
   *
   * @param metric the name before {@code -total} and {@code -rate}
   * @param what the events that it counts, for people
   * @param meter where they are counted
   * @return this
   */
  public TaskMetrics add(String metric, String what, Meter meter) {
    add(metric + "-total", what + ", since the task started", meter::total);
    return add(
        metric + "-rate",
        what + ", per second over the last 30 s",
        () -> meter.rate(nanoTime.getAsLong()));
  }

  /**
   * Adds average, median, 99th percentile and maximum of a latency.
   *
   * @param metric the name before {@code -avg} and the like
   * @param what how long it takes to do what, for people
   * @param latency where it is recorded
   * @return this
   */
  public TaskMetrics add(String metric, String what, Latency latency) {
    String unit = ", in ms over the last minute; NaN when there was nothing";
    add(metric + "-avg", what + ", mean" + unit, () -> latency.average(nanoTime.getAsLong()));
    add(metric + "-p50", what + ", median" + unit, () -> percentile(latency, 0.5));
    add(metric + "-p99", what + ", 99th percentile" + unit, () -> percentile(latency, 0.99));
    return add(metric + "-max", what + ", maximum" + unit, () -> latency.max(nanoTime.getAsLong()));
  }

  private double percentile(Latency latency, double share) {
    return latency.percentile(share, nanoTime.getAsLong());
  }

  /**
   * Makes the metrics visible, in place of those of an earlier run of the task. Never throws.
   *
   * @param <C> the type of the context
   * @param api the interface of Connect that the context is known by
   * @param context what Connect gave to the task
   */
  public <C> void publish(Class<C> api, C context) {
    TaskMetrics earlier = PUBLISHED.put(name, this);
    if (earlier != null) {
      earlier.withdraw();
    }
    synchronized (this) {
      if (closed) {
        return;
      }
      try {
        PluginMetrics worker = PluginMetrics.of(api, context);
        if (worker == null) {
          publication = MetricsBean.register(name, metrics);
        } else {
          worker.add(metrics);
          publication = worker;
        }
      } catch (InvocationTargetException e) {
        notPublished(e.getCause());
      } catch (ReflectiveOperationException | JMException | RuntimeException e) {
        notPublished(e);
      }
    }
  }

  private void notPublished(@Nullable Throwable why) {
    LOG.warn("no metrics as {}; the task runs without", name, why);
  }

  /** Removes the metrics, unless a later run of the task has its own by now. Never throws. */
  @Override
  public void close() {
    PUBLISHED.remove(name, this);
    withdraw();
  }

  private synchronized void withdraw() {
    closed = true;
    AutoCloseable published = publication;
    publication = null;
    if (published == null) {
      return;
    }
    try {
      published.close();
    } catch (Exception e) {
      // The worker may have removed them itself.
      LOG.debug("could not remove the metrics {}", name, e);
    }
  }

  /**
   * One value.
   *
   * @param description for people
   * @param value asked when it is read
   */
  record Metric(String description, DoubleSupplier value) {}
}
