// SPDX-License-Identifier: Apache-2.0
package dev.rabbitbridge.source;

import static org.assertj.core.api.Assertions.assertThat;

import com.rabbitmq.client.AMQP.BasicProperties;
import com.rabbitmq.client.Envelope;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.Tuple;

/**
 * Drives the window between a broker that redelivers what it has no ack for and a Kafka with
 * transactions, through any order of events, and counts what Kafka has at the end.
 */
class SettledWindowPropertyTest {
  private static final int PREFETCH = 4;
  private static final int SLOT = 4;
  private static final int FORGOTTEN_ACKS = 12;
  // Half of the smallest window that will do holds two prefetches and what a killed broker brings
  // back; the rest of it is the other half and the slot that is being filled.
  private static final int SLOTS = 11;

  enum Step {
    DELIVER,
    POLL,
    COMMIT,
    ACK,
    ACK_LOST,
    CHANNEL_LOST,
    BROKER_KILLED,
    CRASH,
    CRASH_AFTER_COMMIT
  }

  @Provide
  Arbitrary<List<Step>> steps() {
    return Arbitraries.frequencyOf(
            Tuple.of(40, Arbitraries.just(Step.DELIVER)),
            Tuple.of(40, Arbitraries.just(Step.POLL)),
            Tuple.of(20, Arbitraries.just(Step.COMMIT)),
            Tuple.of(10, Arbitraries.just(Step.ACK)),
            Tuple.of(5, Arbitraries.just(Step.ACK_LOST)),
            Tuple.of(5, Arbitraries.just(Step.CHANNEL_LOST)),
            Tuple.of(3, Arbitraries.just(Step.BROKER_KILLED)),
            Tuple.of(3, Arbitraries.just(Step.CRASH)),
            Tuple.of(3, Arbitraries.just(Step.CRASH_AFTER_COMMIT)))
        .list()
        .ofMinSize(20)
        .ofMaxSize(600);
  }

  @Property(tries = 2000)
  void eachMessageIsProducedOnce(@ForAll("steps") List<Step> steps) {
    World world = new World(200);
    for (Step step : steps) {
      switch (step) {
        case DELIVER -> world.deliver();
        case POLL -> world.poll();
        case COMMIT -> world.commit(true);
        case ACK -> world.ack();
        case ACK_LOST -> {
          world.acknowledger.take(world.epoch);
          world.loseChannel();
        }
        case CHANNEL_LOST -> world.loseChannel();
        case BROKER_KILLED -> world.killBroker();
        case CRASH -> world.crash();
        case CRASH_AFTER_COMMIT -> {
          world.commit(false);
          world.crash();
        }
      }
    }
    world.drain();
    assertThat(world.kafka.stream().filter(Message::hasId).toList())
        .containsExactlyInAnyOrderElementsOf(world.records().filter(Message::hasId).toList());
    assertThat(world.kafka).containsAll(world.records().toList());
  }

  /** A message. Two of them share each message-id, but a few have none. */
  private record Message(int number) {
    boolean hasId() {
      return number % 11 != 5;
    }

    /** Some can become no record. */
    boolean isConvertible() {
      return number % 13 != 6;
    }

    BasicProperties properties() {
      return new BasicProperties.Builder().messageId(hasId() ? "id-" + number / 2 : null).build();
    }

    byte[] body() {
      return Integer.toString(number).getBytes(StandardCharsets.UTF_8);
    }

    static Message of(Delivery delivery) {
      return new Message(Integer.parseInt(new String(delivery.body(), StandardCharsets.UTF_8)));
    }
  }

  /** A message as RabbitMQ keeps it. */
  private record Queued(Message message, boolean redelivered) {}

  private record Handed(Delivery delivery, SourceOffsets.Place place) {}

  private static final class World {
    final List<Message> published;
    final Deque<Queued> queue = new ArrayDeque<>();
    final TreeMap<Long, Message> unacked = new TreeMap<>();
    final Deque<Message> acked = new ArrayDeque<>(); // of late
    final List<Message> kafka = new ArrayList<>();
    final Map<Map<String, String>, Map<String, ?>> stored = new HashMap<>();
    final List<Handed> transaction = new ArrayList<>();
    final Deque<Delivery> inbox = new ArrayDeque<>();
    Acknowledger acknowledger = newAcknowledger();
    SettledWindow window = newWindow();
    int epoch = acknowledger.beginEpoch();
    long tag;

    World(int messages) {
      published = IntStream.range(0, messages).mapToObj(Message::new).toList();
      published.forEach(message -> queue.add(new Queued(message, false)));
    }

    Stream<Message> records() {
      return published.stream().filter(Message::isConvertible);
    }

    private SettledWindow newWindow() {
      return new SettledWindow(
          SLOTS, SLOT, SourceOffsets.partition("q", null), slots -> stored.values());
    }

    private static Acknowledger newAcknowledger() {
      return new Acknowledger(
          "q", 1, Duration.ZERO, new SourceMetrics("orders", "0"), System::nanoTime);
    }

    boolean deliver() {
      if (queue.isEmpty() || unacked.size() == PREFETCH) {
        return false;
      }
      Queued next = queue.remove();
      Message message = next.message;
      unacked.put(++tag, message);
      inbox.add(
          acknowledger.delivered(
              epoch,
              "consumer",
              new Envelope(tag, next.redelivered, "", "q"),
              message.properties(),
              message.body()));
      return true;
    }

    /** What the session does with a delivery. */
    boolean poll() {
      Delivery delivery = inbox.poll();
      if (delivery == null) {
        return false;
      }
      delivery.identify();
      switch (window.admit(delivery)) {
        case PRODUCE -> {
          SourceOffsets.Place place = window.placeOf(delivery);
          if (!Message.of(delivery).isConvertible()) {
            acknowledger.reject(delivery);
            return true;
          }
          assertThat(acknowledger.handOut(delivery, 1)).isTrue();
          window.handedOut(delivery);
          transaction.add(new Handed(delivery, place));
        }
        case ACK -> acknowledger.ack(delivery);
        case WAIT -> {}
      }
      return true;
    }

    void commit(boolean heard) {
      for (Handed handed : transaction) {
        kafka.add(Message.of(handed.delivery));
        stored.put(handed.place.partition(), Map.copyOf(handed.place.offset()));
      }
      if (heard) {
        for (Handed handed : transaction) {
          window.settled(handed.delivery).forEach(acknowledger::ack);
          acknowledger.ack(handed.delivery);
        }
      }
      transaction.clear();
    }

    void ack() {
      for (Acknowledger.Word word : acknowledger.take(epoch)) {
        Map<Long, Message> settled = unacked.headMap(word.tag(), true);
        settled.values().stream().filter(Message::isConvertible).forEach(acked::addLast);
        settled.clear();
      }
      while (acked.size() > FORGOTTEN_ACKS) {
        acked.removeFirst();
      }
    }

    /** A classic queue forgets its last acks then, and takes everything for redelivered. */
    void killBroker() {
      loseChannel();
      while (!acked.isEmpty()) {
        queue.addFirst(new Queued(acked.removeLast(), true));
      }
      List<Queued> left = List.copyOf(queue);
      queue.clear();
      left.forEach(one -> queue.add(new Queued(one.message, true)));
    }

    void loseChannel() {
      unacked
          .descendingMap()
          .values()
          .forEach(message -> queue.addFirst(new Queued(message, true)));
      unacked.clear();
      tag = 0;
      epoch = acknowledger.beginEpoch();
      inbox.clear();
    }

    void crash() {
      transaction.clear();
      acknowledger = newAcknowledger();
      window = newWindow();
      loseChannel();
    }

    void drain() {
      for (int round = 0; round < 10 * published.size() && !isDone(); round++) {
        deliver();
        poll();
        commit(true);
        ack();
      }
      assertThat(isDone()).isTrue();
    }

    private boolean isDone() {
      return queue.isEmpty() && unacked.isEmpty();
    }
  }
}
