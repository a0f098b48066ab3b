// SPDX-License-Identifier: Apache-2.0
package dev.rabbitbridge.sink;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.net.ConnectException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What the writer thread gets to do. */
@Timeout(60)
class OutboxTest {
  private final Outbox outbox =
      new Outbox("orders-0", Records.config(), new SinkMetrics("orders", "0"), System::nanoTime);
  private final InFlight[] batch = new InFlight[64];
  private FakeBroker.Fake channel;

  @BeforeEach
  void open() throws Exception {
    channel = (FakeBroker.Fake) new FakeBroker().open(outbox.epoch(), outbox);
  }

  @Test
  void aRetryThatIsOverdueWhileTheBrokerIsBlockedIsWaitedForWithoutABusyLoop()
      throws Exception { // F39, F51
    publish(1);
    channel.nack(1, false);
    assertThat(outbox.take(channel, batch)).isZero();
    channel.blocked = true;
    CompletableFuture<Integer> taken = CompletableFuture.supplyAsync(this::take);

    await()
        .during(Duration.ofMillis(300))
        .atMost(Duration.ofSeconds(10))
        .until(() -> channel.asked.get() < 10);
    channel.setBlocked(false);

    assertThat(taken.get()).isEqualTo(1);
  }

  @Test
  void theFirstWordOfAChannelIsToldAtOnceAndOnlyOnce() throws Exception { // F50
    publish(3);
    CompletableFuture<Integer> taken = CompletableFuture.supplyAsync(this::take);
    channel.confirm(1, false);
    assertThat(taken.get()).isZero();

    CompletableFuture<Integer> next = CompletableFuture.supplyAsync(this::take);
    channel.confirm(2, false);
    await().until(() -> outbox.pending() == 1);
    outbox.close();
    assertThat(next.get()).isEqualTo(Outbox.OVER);
  }

  @Test
  void lateWordsOfALostChannelSayNothingOfThePresentOne() throws Exception { // F49
    publish(3);
    outbox.lost(outbox.epoch(), new ConnectException("lost"));
    assertThat(outbox.take(channel, batch)).isEqualTo(Outbox.OVER);
    outbox.startOver(null);

    channel.confirm(3, true);
    channel.nack(3, true);

    FakeBroker.Fake second = (FakeBroker.Fake) new FakeBroker().open(outbox.epoch(), outbox);
    assertThat(outbox.take(second, batch)).isEqualTo(3);
  }

  private void publish(int count) throws Exception {
    RecordEncoder encoder = new RecordEncoder(Records.config());
    Deque<InFlight> items = new ArrayDeque<>();
    for (int offset = 0; offset < count; offset++) {
      InFlight item = new InFlight(Records.record(offset), Records.ORDERS);
      item.message = encoder.encode(item.record);
      items.add(item);
    }
    outbox.offer(items, count);
    assertThat(outbox.take(channel, batch)).isEqualTo(count);
    for (int i = 0; i < count; i++) {
      channel.publish(batch[i].message());
    }
  }

  private int take() {
    try {
      return outbox.take(channel, batch);
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }
}
