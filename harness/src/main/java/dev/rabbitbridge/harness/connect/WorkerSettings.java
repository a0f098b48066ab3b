// SPDX-License-Identifier: Apache-2.0
package dev.rabbitbridge.harness.connect;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * What a worker is started with, beyond what the harness sets. Workers of one group share their
 * connectors.
 *
 * @param group the Connect cluster
 * @param properties worker properties that override the harness's own
 * @param jvmOptions options of the worker's JVM, such as a heap size
 * @param plugins folders of other plugins, to be installed beside ours
 */
public record WorkerSettings(
    String group, Map<String, String> properties, List<String> jvmOptions, List<Path> plugins) {
  private static final String DEFAULT_HEAP = "-Xmx768m";

  /**
   * Copies what it is given.
   *
   * @param group the Connect cluster
   * @param properties worker properties
   * @param jvmOptions options of the worker's JVM
   * @param plugins folders of other plugins
   */
  public WorkerSettings {
    properties = Map.copyOf(properties);
    jvmOptions = List.copyOf(jvmOptions);
    plugins = List.copyOf(plugins);
  }

  /**
   * Returns the defaults for a group.
   *
   * @param group the Connect cluster
   * @return settings with a heap of 768 MB
   */
  public static WorkerSettings of(String group) {
    return new WorkerSettings(group, Map.of(), List.of(DEFAULT_HEAP), List.of());
  }

  /**
   * Adds a worker property.
   *
   * @param key its name
   * @param value its value
   * @return new settings
   */
  public WorkerSettings with(String key, String value) {
    Map<String, String> more = new LinkedHashMap<>(properties);
    more.put(key, value);
    return new WorkerSettings(group, more, jvmOptions, plugins);
  }

  /**
   * Adds a JVM option; a later heap size replaces an earlier one.
   *
   * @param option such as {@code -Xmx256m}
   * @return new settings
   */
  public WorkerSettings withJvmOption(String option) {
    List<String> more = new ArrayList<>(jvmOptions);
    more.add(option);
    return new WorkerSettings(group, properties, more, plugins);
  }

  /**
   * Adds a plugin beside ours.
   *
   * @param folder a folder of jars, which is copied into {@code plugin.path} under its own name
   * @return new settings
   */
  public WorkerSettings withPlugin(Path folder) {
    List<Path> more = new ArrayList<>(plugins);
    more.add(folder);
    return new WorkerSettings(group, properties, jvmOptions, more);
  }

  /**
   * Asks for the exactly-once mode of source connectors.
   *
   * @return new settings
   */
  public WorkerSettings exactlyOnce() {
    return with("exactly.once.source.support", "enabled");
  }

  /**
   * Returns the whole worker configuration.
   *
   * @param bootstrap the Kafka broker as the worker reaches it
   * @param pluginPath the folder of plugins as the worker sees it
   * @param listener host:port that its REST interface binds
   * @param advertisedHost the name under which the other workers of the group reach it
   */
  Map<String, String> worker(
      String bootstrap, String pluginPath, String listener, String advertisedHost) {
    Map<String, String> worker = new LinkedHashMap<>();
    worker.put("bootstrap.servers", bootstrap);
    worker.put("group.id", group);
    worker.put("config.storage.topic", group + "-configs");
    worker.put("offset.storage.topic", group + "-offsets");
    worker.put("status.storage.topic", group + "-status");
    worker.put("config.storage.replication.factor", "1");
    worker.put("offset.storage.replication.factor", "1");
    worker.put("status.storage.replication.factor", "1");
    worker.put("offset.storage.partitions", "5");
    worker.put("status.storage.partitions", "1");
    worker.put("key.converter", "org.apache.kafka.connect.storage.StringConverter");
    worker.put("value.converter", "org.apache.kafka.connect.storage.StringConverter");
    worker.put("plugin.path", pluginPath);
    worker.put("plugin.discovery", "service_load");
    worker.put("listeners", "http://" + listener);
    worker.put("rest.advertised.host.name", advertisedHost);
    // The defaults make a test wait a minute for a commit and five for a lost worker's tasks.
    worker.put("offset.flush.interval.ms", "500");
    worker.put("scheduled.rebalance.max.delay.ms", "1000");
    worker.put("session.timeout.ms", "6000");
    worker.put("heartbeat.interval.ms", "1000");
    worker.putAll(properties);
    return worker;
  }

  static String lines(Map<String, String> properties) {
    StringBuilder lines = new StringBuilder();
    properties.forEach(
        (key, value) ->
            lines.append(key).append('=').append(value.replace("\\", "\\\\")).append('\n'));
    return lines.toString();
  }
}
