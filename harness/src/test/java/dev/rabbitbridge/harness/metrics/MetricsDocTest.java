// SPDX-License-Identifier: Apache-2.0
package dev.rabbitbridge.harness.metrics;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rabbitbridge.sink.RabbitMQSinkTask;
import dev.rabbitbridge.source.RabbitMQSourceTask;
import java.lang.management.ManagementFactory;
import java.lang.reflect.Proxy;
import java.nio.file.Files;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.TreeMap;
import javax.management.JMException;
import javax.management.MBeanAttributeInfo;
import javax.management.ObjectName;
import org.apache.kafka.connect.sink.SinkTaskContext;
import org.apache.kafka.connect.source.SourceTaskContext;
import org.junit.jupiter.api.Test;

class MetricsDocTest {
  private static final String RENDER =
      "mvn verify -pl harness -am -Dtest=MetricsDocTest -Dsurefire.failIfNoSpecifiedTests=false"
          + " -DskipITs -Ddocs.render";
  private static final Map<String, String> NOBODY =
      Map.of("name", "doc", "rabbitmq.port", "1", "rabbitmq.reconnect.backoff.ms", "60000");

  @Test
  void theSinksTableIsWhatItRegisters() throws Exception {
    Map<String, String> config = new LinkedHashMap<>(NOBODY);
    config.put("rabbitmq.exchange", "");
    config.put("rabbitmq.routing.key", "q");
    RabbitMQSinkTask task = new RabbitMQSinkTask();
    task.initialize(context(SinkTaskContext.class));
    task.start(config);
    try {
      assertDocumented("sink", registered());
    } finally {
      task.stop();
    }
  }

  @Test
  void theSourcesTableIsWhatItRegisters() throws Exception {
    Map<String, String> config = new LinkedHashMap<>(NOBODY);
    config.put("rabbitmq.queue", "q");
    config.put("kafka.topic", "t");
    RabbitMQSourceTask task = new RabbitMQSourceTask();
    task.initialize(context(SourceTaskContext.class));
    task.start(config);
    try {
      assertDocumented("source", registered());
    } finally {
      task.stop();
    }
  }

  private static void assertDocumented(String connector, Map<String, String> metrics)
      throws Exception {
    String written = MetricsDoc.read();
    if (System.getProperty("docs.render") != null) {
      Files.writeString(MetricsDoc.FILE, MetricsDoc.rendered(written, connector, metrics));
      written = MetricsDoc.read();
    }

    assertThat(MetricsDoc.documented(connector)).isEqualTo(metrics.keySet());
    assertThat(written)
        .as("docs/operations.md is out of date; write it anew with: %s", RENDER)
        .isEqualTo(MetricsDoc.rendered(written, connector, metrics));
  }

  /** Returns name and description of each metric, in the order of the names. */
  private static Map<String, String> registered() throws JMException {
    Map<String, String> metrics = new TreeMap<>();
    for (MBeanAttributeInfo attribute :
        ManagementFactory.getPlatformMBeanServer()
            .getMBeanInfo(new ObjectName("kafka.connect:type=plugins,connector=doc,task=0"))
            .getAttributes()) {
      metrics.put(attribute.getName(), attribute.getDescription());
    }
    return metrics;
  }

  /** The context of a worker that knows nothing: null is its answer to all that is asked. */
  private static <T> T context(Class<T> api) {
    return api.cast(
        Proxy.newProxyInstance(
            api.getClassLoader(), new Class<?>[] {api}, (proxy, method, arguments) -> null));
  }
}
