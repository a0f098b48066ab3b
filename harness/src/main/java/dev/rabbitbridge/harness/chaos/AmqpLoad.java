// SPDX-License-Identifier: Apache-2.0
package dev.rabbitbridge.harness.chaos;

import com.rabbitmq.client.AMQP;
import com.rabbitmq.client.Channel;
import java.io.IOException;
import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentNavigableMap;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Publishes to RabbitMQ at a constant rate, one lane per queue, and keeps the first two books. A
 * message whose confirm is lost is not published again: nobody promised that it is safe.
 */
final class AmqpLoad implements AutoCloseable {
  private static final Duration TICK = Duration.ofMillis(50);
  private static final Duration LAST_CONFIRMS = Duration.ofSeconds(10);

  private final Books books;
  private final List<String> queues;
  private final Probe broker;
  private final Repeat ticks;
  private ConcurrentNavigableMap<Long, Letter> unconfirmed = new ConcurrentSkipListMap<>();
  private @Nullable Channel channel;
  private volatile boolean paused;
  private int sent;

  /**
   * Starts to publish.
   *
   * @param queues where each lane goes to, through the default exchange
   */
  AmqpLoad(Supplier<URI> broker, Books books, List<String> queues, int perSecond) {
    this.books = books;
    this.queues = List.copyOf(queues);
    this.broker = new Probe(broker, true);
    int perTick = Math.max(1, (int) (perSecond * TICK.toMillis() / 1000));
    ticks = new Repeat("amqp-load", TICK, () -> send(perTick));
  }

  /** Publishes nothing for a while, or goes on. */
  void pause(boolean on) {
    paused = on;
  }

  private void send(int messages) throws IOException, TimeoutException {
    if (paused) {
      return;
    }
    Channel open = broker.channel();
    if (open != channel) {
      listen(open);
      channel = open;
    }
    for (int i = 0; i < messages; i++) {
      int lane = sent % queues.size();
      Letter letter = Letter.of(lane, sent / queues.size());
      sent++;
      books.attempt(letter.lane(), letter.number(), letter.digest());
      unconfirmed.put(open.getNextPublishSeqNo(), letter);
      open.basicPublish("", queues.get(lane), true, properties(letter), letter.body());
    }
  }

  private static AMQP.BasicProperties properties(Letter letter) {
    return new AMQP.BasicProperties.Builder()
        .deliveryMode(2)
        .messageId(letter.lane() + "-" + letter.number())
        .headers(Map.of(Letter.HEADER, letter.header()))
        .build();
  }

  private void listen(Channel open) {
    ConcurrentNavigableMap<Long, Letter> pending = new ConcurrentSkipListMap<>();
    Set<String> returned = ConcurrentHashMap.newKeySet();
    unconfirmed = pending;
    open.addReturnListener(
        back -> returned.add(String.valueOf(back.getProperties().getMessageId())));
    open.addConfirmListener(
        (tag, multiple) -> {
          Map<Long, Letter> done =
              multiple ? pending.headMap(tag, true) : pending.subMap(tag, true, tag, true);
          for (Letter letter : done.values()) {
            if (!returned.contains(letter.lane() + "-" + letter.number())) {
              books.acknowledge(letter.lane(), letter.number());
            }
          }
          done.clear();
        },
        (tag, multiple) -> {
          (multiple ? pending.headMap(tag, true) : pending.subMap(tag, true, tag, true)).clear();
        });
  }

  /** Stops, and waits for the last confirms. */
  @Override
  public void close() {
    ticks.close();
    Map<Long, Letter> pending = unconfirmed;
    Channel last = channel;
    long deadline = System.nanoTime() + LAST_CONFIRMS.toNanos();
    while (last != null && last.isOpen() && !pending.isEmpty() && System.nanoTime() < deadline) {
      try {
        TimeUnit.MILLISECONDS.sleep(20);
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        break;
      }
    }
    broker.close();
  }
}
