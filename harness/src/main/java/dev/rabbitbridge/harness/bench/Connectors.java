// SPDX-License-Identifier: Apache-2.0
package dev.rabbitbridge.harness.bench;

import dev.rabbitbridge.harness.node.Endpoint;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;

/** The connectors that are measured: ours, those that do nothing, and those of others. */
final class Connectors {
  /**
   * What any source needs to be fast: Kafka Connect lets its producer send one request at a time,
   * which by default carries 16 KiB of a partition.
   */
  static final int BATCH_BYTES = 256 * 1024;

  private static final String BATCH_SIZE = "producer.override.batch.size";
  private static final String PREFETCH = "rabbitmq.prefetch.count";
  private static final String ACK_BATCH = "rabbitmq.ack.batch.size";
  static final String SINK = "dev.rabbitbridge.sink.RabbitMQSinkConnector";
  static final String SOURCE = "dev.rabbitbridge.source.RabbitMQSourceConnector";

  private final Lab lab;

  Connectors(Lab lab) {
    this.lab = lab;
  }

  Contender sink() {
    return sink("sink", null, Map.of());
  }

  /** Our sink with settings of its own, through a proxy if one is given. */
  Contender sink(String name, @Nullable Endpoint through, Map<String, String> more) {
    return contender(name, place -> into(place, sinkConfig(place, through, more)));
  }

  Map<String, String> sinkConfig(
      Place place, @Nullable Endpoint through, Map<String, String> more) {
    Map<String, String> config = plain(SINK);
    config.putAll(lab.connection(through));
    config.put("topics", place.topic());
    config.put("rabbitmq.exchange", "");
    config.put("rabbitmq.routing.key", place.queue());
    config.put("rabbitmq.publish.max.in.flight", Integer.toString(place.load().window()));
    config.putAll(more);
    return config;
  }

  /** What Kafka Connect costs without any sink. */
  Contender noOpSink() {
    return contender(
        "no-op sink",
        place -> {
          Map<String, String> config = plain(FloorPlugin.SINK);
          config.put("topics", place.topic());
          String name = lab.name("connector");
          return new ConnectorRun(
              lab.plant(),
              name,
              config,
              () -> (long) lab.plant().metric("sink-task-metrics", name, "sink-record-send-total"));
        });
  }

  Contender source() {
    return source("source", Map.of());
  }

  /** Our source with settings of its own. */
  Contender source(String name, Map<String, String> more) {
    return contender(name, place -> outOf(place, sourceConfig(place, place.queue(), more)));
  }

  /** Our source as somebody has it who has tuned nothing. */
  Contender sourceAsItComes() {
    return contender(
        "nothing tuned",
        place -> {
          Map<String, String> config = sourceConfig(place, place.queue(), Map.of());
          config.keySet().removeAll(Set.of(PREFETCH, ACK_BATCH, BATCH_SIZE));
          return outOf(place, config);
        });
  }

  /** Our source, whose producer sends so much at a time. */
  Contender source(int batchBytes) {
    return source(
        "batches of " + batchBytes / 1024 + " KiB",
        Map.of(BATCH_SIZE, Integer.toString(batchBytes)));
  }

  Map<String, String> sourceConfig(Place place, String queues, Map<String, String> more) {
    Map<String, String> config = plain(SOURCE);
    config.putAll(lab.connection(null));
    config.put("rabbitmq.queue", queues);
    config.put("kafka.topic", place.topic());
    config.put(PREFETCH, Integer.toString(place.load().window()));
    config.put(ACK_BATCH, Integer.toString(BareConsumer.ACK_EVERY));
    config.put(BATCH_SIZE, Integer.toString(BATCH_BYTES));
    config.put("key.converter", "org.apache.kafka.connect.storage.StringConverter");
    config.putAll(more);
    return config;
  }

  /** What Kafka Connect costs without any source. */
  Contender memorySource() {
    return contender(
        "in-memory source",
        place -> {
          Map<String, String> config = plain(FloorPlugin.SOURCE);
          config.put(BATCH_SIZE, Integer.toString(BATCH_BYTES));
          config.put("topic", place.topic());
          config.put("records", Integer.toString(place.load().messages()));
          config.put("size", Integer.toString(place.load().size()));
          return outOf(place, config);
        });
  }

  /** Another connector as a sink. */
  Contender peerSink(Peer peer, Path json) {
    return contender(peer.name(), place -> into(place, Peer.config(json, values(place))));
  }

  /** Another connector as a source. */
  Contender peerSource(Peer peer, Path json) {
    return contender(peer.name(), place -> outOf(place, Peer.config(json, values(place))));
  }

  private Map<String, String> values(Place place) {
    Map<String, String> values = new HashMap<>();
    values.put("host", lab.broker().amqpFromWorker().host());
    values.put("port", Integer.toString(lab.broker().amqpFromWorker().port()));
    values.put("username", lab.broker().username());
    values.put("password", lab.broker().password());
    values.put("vhost", lab.broker().management().vhost());
    values.put("queue", place.queue());
    values.put("topic", place.topic());
    values.put("window", Integer.toString(place.load().window()));
    values.put("prefetch", Integer.toString(place.load().window()));
    return values;
  }

  private Run into(Place place, Map<String, String> config) {
    return run(config, () -> lab.ready(place.queue()));
  }

  private Run outOf(Place place, Map<String, String> config) {
    return run(config, () -> lab.records(place.topic()));
  }

  private Run run(Map<String, String> config, Callable<Long> arrived) {
    return new ConnectorRun(lab.plant(), lab.name("connector"), config, arrived);
  }

  private static Map<String, String> plain(String type) {
    Map<String, String> config = new HashMap<>();
    config.put("connector.class", type);
    config.put("tasks.max", "1");
    config.put("key.converter", Lab.BYTES);
    config.put("value.converter", Lab.BYTES);
    return config;
  }

  static Contender contender(String name, Beginning beginning) {
    return new Contender() {
      @Override
      public String name() {
        return name;
      }

      @Override
      public Run begin(Place place) throws Exception {
        return beginning.begin(place);
      }
    };
  }

  /** Begins a run. */
  interface Beginning {
    Run begin(Place place) throws Exception;
  }
}
