// SPDX-License-Identifier: Apache-2.0
package dev.rabbitbridge.harness.demo;

import com.fasterxml.jackson.core.type.TypeReference;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.rabbitbridge.harness.Checkout;
import dev.rabbitbridge.harness.Harness;
import dev.rabbitbridge.harness.connect.ConnectRest;
import dev.rabbitbridge.harness.kafka.KafkaClient;
import dev.rabbitbridge.harness.rabbitmq.Amqp;
import dev.rabbitbridge.harness.rabbitmq.Message;
import dev.rabbitbridge.harness.rabbitmq.QueueKind;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.BitSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.ProducerRecord;

/**
 * The way of the orders: topic, sink, quorum queue, source, another topic. When half of them are
 * back, RabbitMQ is killed with SIGKILL and started again, while everything else goes on.
 */
final class Journey {
  private static final String ORDERS = "orders";
  private static final String BACK = "orders-back";
  private static final String DEAD = "orders-dead";
  private static final String SINK = "orders-sink";
  private static final String SOURCE = "orders-source";
  private static final int PARTITIONS = 3;
  private static final Duration STUCK = Duration.ofSeconds(90);
  private static final Duration SETTLE = Duration.ofSeconds(2);
  private static final Duration TICK = Duration.ofMillis(200);

  private final Harness harness;
  private final int records;
  private final BitSet sent = new BitSet();
  private final Progress progress;
  private long lastInQueue;
  private volatile String state = "";

  Journey(Harness harness, int records) {
    this.harness = harness;
    this.records = records;
    this.progress = new Progress(System.out, Boolean.getBoolean("terminal"), records);
  }

  Tally run() throws IOException, InterruptedException {
    System.out.println(
        "Starting RabbitMQ, Kafka and a Connect worker with the packaged plugin ...");
    harness.start();
    System.out.printf(
        "RabbitMQ %s, Kafka and Connect %s, Java %s.%n",
        harness.rabbitMQ().management().version(), rest().version(), Runtime.version());
    prepare();
    System.out.printf("Sending %,d orders through both connectors ...%n", records);
    Thread producer = new Thread(this::produce, "producer");
    producer.setDaemon(true);
    producer.start();
    boolean arrived = watch();
    progress.end();
    return tally(arrived);
  }

  /** Leaves a broker that is not the harness's own as it was. */
  void cleanUp() {
    rest().delete(SINK);
    rest().delete(SOURCE);
    harness.rabbitMQ().management().deleteQueue(ORDERS);
  }

  private void prepare() throws IOException {
    if (harness.rabbitMQ().management().hasQueue(ORDERS)) {
      throw new IllegalStateException(
          "The broker has a queue named "
              + ORDERS
              + " already: delete it, so that the demo does not mix with what is in it");
    }
    kafka().createTopic(ORDERS, PARTITIONS);
    kafka().createTopic(BACK, PARTITIONS);
    kafka().createTopic(DEAD, 1);
    harness.rabbitMQ().management().declareQueue(ORDERS, QueueKind.QUORUM, Map.of());
    rest().put(SINK, connector(SINK));
    rest().put(SOURCE, connector(SOURCE));
    rest().awaitRunning(SINK, 1);
    rest().awaitRunning(SOURCE, 1);
  }

  private Map<String, String> connector(String name) throws IOException {
    Path file = Checkout.root().resolve("docker/connectors/" + name + ".json");
    Map<String, String> config =
        new HashMap<>(new ObjectMapper().readValue(file.toFile(), new TypeReference<>() {}));
    config.put("rabbitmq.host", harness.rabbitMQ().amqpFromWorker().host());
    config.put("rabbitmq.port", Integer.toString(harness.rabbitMQ().amqpFromWorker().port()));
    config.put("rabbitmq.username", harness.rabbitMQ().username());
    config.put("rabbitmq.password", harness.rabbitMQ().password());
    config.put("rabbitmq.virtual.host", harness.rabbitMQ().management().vhost());
    return config;
  }

  private void produce() {
    for (int id = 0; id < records && !harness.isClosed(); id++) {
      try {
        send(id);
      } catch (RuntimeException e) {
        if (!harness.isClosed()) {
          throw e;
        }
      }
    }
  }

  private void send(int order) {
    var unused =
        kafka()
            .producer()
            .send(
                new ProducerRecord<>(ORDERS, Orders.order(order)),
                (metadata, failure) -> {
                  if (failure == null) {
                    acked(order);
                  }
                });
  }

  private synchronized void acked(int order) {
    sent.set(order);
  }

  private synchronized BitSet sent() {
    return (BitSet) sent.clone();
  }

  /** Returns whether all is through, or nothing has moved for too long. */
  private boolean watch() throws InterruptedException {
    Snapshot last = snapshot();
    long moved = System.nanoTime();
    Thread fault = new Thread(this::killAndRestart, "fault");
    fault.setDaemon(true);
    while (true) {
      TimeUnit.NANOSECONDS.sleep(TICK.toNanos());
      // Few orders can all be back before a slow RabbitMQ says that it has started.
      boolean faultIsOver = fault.getState() == Thread.State.TERMINATED;
      Snapshot now = snapshot();
      progress.show(now, state);
      if (!now.equals(last)) {
        moved = System.nanoTime();
        last = now;
      }
      if (fault.getState() == Thread.State.NEW && now.back() >= records / 2) {
        fault.start();
      }
      Duration still = Duration.ofNanos(System.nanoTime() - moved);
      if (faultIsOver && isThrough(now) && still.compareTo(SETTLE) > 0) {
        return true;
      }
      if (still.compareTo(STUCK) > 0) {
        return false;
      }
    }
  }

  private boolean isThrough(Snapshot now) {
    return now.sent() == records
        && now.confirmed() == records
        && now.back() >= records
        && now.inQueue() == 0;
  }

  private void killAndRestart() {
    try {
      harness.rabbitMQ().kill();
      state = "(RabbitMQ killed)";
      harness.rabbitMQ().start();
      state = "(RabbitMQ killed and restarted)";
    } catch (UnsupportedOperationException e) {
      state = "(the broker at RABBITMQ_URI is not killed)";
    } catch (RuntimeException e) {
      state = "(RabbitMQ does not come back: " + e.getMessage() + ")";
    }
  }

  private Snapshot snapshot() {
    try {
      lastInQueue = Math.max(0, harness.rabbitMQ().management().counts(ORDERS).total());
    } catch (RuntimeException e) {
      // Killed, and not up yet.
    }
    return new Snapshot(
        sent().cardinality(), committed(), lastInQueue, sum(kafka().endOffsets(BACK)));
  }

  private long committed() {
    return sum(kafka().committedBySink(SINK));
  }

  private Tally tally(boolean arrived) {
    Found inQueue = Found.in(List.of());
    if (!arrived) {
      rest().stop(SOURCE);
      rest().stop(SINK);
      try (Amqp amqp = harness.rabbitMQ().connect()) {
        inQueue = Found.in(amqp.drain(ORDERS).stream().map(Message::body).toList());
      }
    }
    return Tally.of(sent(), committed(), inQueue, Found.in(values(DEAD)), Found.in(values(BACK)));
  }

  private List<byte[]> values(String topic) {
    return kafka().read(topic).stream().map(ConsumerRecord::value).toList();
  }

  private static long sum(Map<?, Long> offsets) {
    return offsets.values().stream().mapToLong(Long::longValue).sum();
  }

  private KafkaClient kafka() {
    return harness.kafka().client();
  }

  private ConnectRest rest() {
    return harness.worker().rest();
  }
}
