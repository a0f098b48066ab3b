// SPDX-License-Identifier: Apache-2.0
package dev.rabbitbridge.harness.chaos;

import java.util.HashMap;
import java.util.Map;

/**
 * One connector under load, with the books of what goes through it. Begun once, and closed in the
 * order {@link #endLoad}, {@link #account}, {@link #close}.
 */
abstract class Flow implements AutoCloseable {
  final Books books;
  final Progress progress;
  final Rig rig;
  final Side side;
  final String connector;

  Flow(Rig rig, Side side) {
    this(rig, side, new Books(), new Progress());
  }

  /** For two connectors in a row, which have their books in common. */
  Flow(Rig rig, Side side, Books books, Progress progress) {
    this.rig = rig;
    this.books = books;
    this.progress = progress;
    this.side = side;
    this.connector = "chaos-" + side + "-" + rig.run;
  }

  /** Makes topics and queues, starts the connector and then the load. */
  abstract void begin();

  /** Stops the producer; what it sent goes on its way. */
  abstract void endLoad();

  /** Returns whether nothing is left in the source. */
  abstract boolean isThrough() throws Exception;

  /** Stops the connector and closes the books. */
  abstract Account account();

  /** Destroys the content of the queues on purpose, and books it. */
  abstract void destroyQueue();

  /** Makes the queues again as they were. */
  abstract void declareQueue();

  /** Returns the connector's settings. */
  Map<String, String> config() {
    Map<String, String> config = new HashMap<>();
    config.put(
        "connector.class",
        side == Side.SINK
            ? "dev.rabbitbridge.sink.RabbitMQSinkConnector"
            : "dev.rabbitbridge.source.RabbitMQSourceConnector");
    config.put("tasks.max", "2");
    config.put("value.converter", "org.apache.kafka.connect.converters.ByteArrayConverter");
    config.putAll(rig.address());
    config.put("rabbitmq.username", rig.user);
    config.put("rabbitmq.password", rig.password());
    config.putAll(settings());
    config.putAll(rig.fault.settings());
    return config;
  }

  /** Returns the settings that this kind of connector needs beyond that. */
  abstract Map<String, String> settings();

  /** Gives the connector its settings, the first time or again. */
  void put() {
    rig.rest().put(connector, config());
  }

  @Override
  public abstract void close();
}
