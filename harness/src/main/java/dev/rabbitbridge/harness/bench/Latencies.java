// SPDX-License-Identifier: Apache-2.0
package dev.rabbitbridge.harness.bench;

import com.rabbitmq.client.AMQP;
import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import com.rabbitmq.client.DefaultConsumer;
import com.rabbitmq.client.Envelope;
import com.rabbitmq.client.MessageProperties;
import dev.rabbitbridge.harness.rabbitmq.QueueKind;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.HdrHistogram.Histogram;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.ByteArraySerializer;

/**
 * Sends at a fixed rate and measures when each message arrives on the other side. A message carries
 * the time at which it was due, so that a sender that was held up does not hide it.
 */
final class Latencies {
  private static final int SIZE = 1000;
  private static final int WINDOW = 5000;
  private static final String LINGER_MS = "1";
  private static final long WARM_UP_SECONDS = 5;
  private static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(10);
  private static final long HIGHEST = TimeUnit.MINUTES.toNanos(2);

  private final Lab lab;
  private final Connectors connectors;
  private final int seconds;

  Latencies(Lab lab, Connectors connectors, int seconds) {
    this.lab = lab;
    this.connectors = connectors;
    this.seconds = seconds;
  }

  /** What was measured, in nanoseconds. */
  record Result(Histogram histogram, long lost, double perSecond) {
    List<String> row(String name, int rate) {
      return List.of(
          name,
          String.format(Locale.ROOT, "%,d", rate),
          millis(histogram.getValueAtPercentile(50)),
          millis(histogram.getValueAtPercentile(99)),
          millis(histogram.getValueAtPercentile(99.9)),
          millis(histogram.getMaxValue()),
          Long.toString(lost));
    }

    private static String millis(long nanos) {
      return String.format(Locale.ROOT, "%.1f", nanos / 1e6);
    }
  }

  /** Sends through the sink, or the source, at a rate. */
  Result measure(boolean sink, int rate) throws Exception {
    Load load = new Load(QueueKind.QUORUM, SIZE, WINDOW, 1);
    Place place = new Place(load, lab.emptyTopic(), lab.queue(load.kind()));
    String connector = lab.name("connector");
    try (Connection connection = Client.connect(lab.broker(), null, "latency")) {
      Arrivals arrivals = new Arrivals();
      lab.plant()
          .start(
              connector,
              sink
                  ? connectors.sinkConfig(place, null, Map.of())
                  : connectors.sourceConfig(
                      place, place.queue(), Map.of("producer.override.linger.ms", LINGER_MS)));
      lab.plant().rest().awaitRunning(connector, 1);
      long due = (WARM_UP_SECONDS + seconds) * rate;
      Channel channel = connection.createChannel();
      if (sink) {
        receiveFromQueue(channel, place.queue(), arrivals);
        try (KafkaProducer<byte[], byte[]> producer = producer()) {
          arrivals.begin();
          send(due, rate, body -> produce(producer, place.topic(), body));
          arrivals.await(due, () -> {});
        }
      } else {
        channel.confirmSelect();
        try (KafkaConsumer<byte[], byte[]> consumer = consumer(place.topic())) {
          arrivals.begin();
          Thread sender =
              new Thread(
                  () ->
                      send(
                          due,
                          rate,
                          body ->
                              channel.basicPublish(
                                  "",
                                  place.queue(),
                                  MessageProperties.MINIMAL_PERSISTENT_BASIC,
                                  body)),
                  "sender");
          sender.setDaemon(true);
          sender.start();
          arrivals.await(
              due,
              () ->
                  consumer
                      .poll(Duration.ofMillis(10))
                      .forEach(record -> arrivals.arrived(record.value())));
        }
      }
      return new Result(arrivals.histogram, due - arrivals.count, arrivals.perSecond());
    } finally {
      lab.plant().rest().delete(connector);
      lab.deleteQueue(place.queue());
      lab.kafka().deleteTopics(List.of(place.topic()));
    }
  }

  private static void receiveFromQueue(Channel channel, String queue, Arrivals arrivals)
      throws Exception {
    channel.basicConsume(
        queue,
        true,
        new DefaultConsumer(channel) {
          @Override
          public void handleDelivery(
              String tag, Envelope envelope, AMQP.BasicProperties properties, byte[] body) {
            arrivals.arrived(body);
          }
        });
  }

  private static void produce(KafkaProducer<byte[], byte[]> producer, String topic, byte[] body) {
    var unused = producer.send(new ProducerRecord<>(topic, body));
  }

  /** Waits for company less than the 5 ms that are the default of Kafka 4. */
  private KafkaProducer<byte[], byte[]> producer() {
    return new KafkaProducer<>(
        Map.of("bootstrap.servers", lab.harness().kafka().bootstrap(), "linger.ms", LINGER_MS),
        new ByteArraySerializer(),
        new ByteArraySerializer());
  }

  private KafkaConsumer<byte[], byte[]> consumer(String topic) {
    KafkaConsumer<byte[], byte[]> consumer =
        new KafkaConsumer<>(
            Map.of("bootstrap.servers", lab.harness().kafka().bootstrap()),
            new ByteArrayDeserializer(),
            new ByteArrayDeserializer());
    TopicPartition only = new TopicPartition(topic, 0);
    consumer.assign(List.of(only));
    consumer.seekToBeginning(List.of(only));
    return consumer;
  }

  /** Sends each message when it is due, those that are late at once. */
  private static void send(long count, int rate, Sender sender) {
    long begin = System.nanoTime();
    try {
      for (long i = 0; i < count; i++) {
        long due = begin + i * 1_000_000_000L / rate;
        for (long left = due - System.nanoTime(); left > 0; left = due - System.nanoTime()) {
          LockSupport.parkNanos(left);
        }
        sender.send(ByteBuffer.allocate(SIZE).putLong(due).array());
      }
    } catch (java.io.IOException e) {
      throw new java.io.UncheckedIOException(e);
    }
  }

  private interface Sender {
    void send(byte[] body) throws java.io.IOException;
  }

  /** Counts what arrives; one thread records, another waits. */
  private static final class Arrivals {
    final Histogram histogram = new Histogram(HIGHEST, 3);
    volatile long count;
    private volatile long measureFrom;
    private volatile long first;
    private volatile long last;

    /** How many came in a second, from the first one on. */
    double perSecond() {
      return last == first ? 0 : (count - 1) * 1e9 / (last - first);
    }

    void begin() {
      measureFrom = System.nanoTime() + WARM_UP_SECONDS * 1_000_000_000L;
    }

    // One thread calls it.
    @SuppressWarnings("NonAtomicVolatileUpdate")
    void arrived(byte[] body) {
      long due = ByteBuffer.wrap(body).getLong();
      last = System.nanoTime();
      if (count == 0) {
        first = last;
      }
      if (due - measureFrom >= 0) {
        histogram.recordValue(Math.min(HIGHEST, Math.max(0, last - due)));
      }
      count++;
    }

    void await(long wanted, Runnable receive) {
      long last = count;
      long moved = System.nanoTime();
      while (count < wanted && System.nanoTime() - moved < PATIENCE_NANOS) {
        receive.run();
        if (count > last) {
          last = count;
          moved = System.nanoTime();
        }
        LockSupport.parkNanos(1_000_000);
      }
    }
  }
}
