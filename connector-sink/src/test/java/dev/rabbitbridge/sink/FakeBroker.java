// SPDX-License-Identifier: Apache-2.0
package dev.rabbitbridge.sink;

import com.rabbitmq.client.AMQP;
import com.rabbitmq.client.ShutdownSignalException;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** A broker whose words the test speaks, in any order. */
final class FakeBroker implements PublishChannel.Opener {
  final List<Fake> channels = new CopyOnWriteArrayList<>();
  volatile @Nullable Exception refusal;

  /** Messages that make the broker close the channel when it gets to them. */
  volatile Predicate<Message> poison = message -> false;

  volatile int poisonCode = 406;

  /** Whether each publish is confirmed at once. */
  volatile boolean confirmsAtOnce;

  @Override
  public PublishChannel open(int epoch, PublishChannel.Words words) throws Exception {
    Exception refused = refusal;
    if (refused != null) {
      throw refused;
    }
    Fake channel = new Fake(epoch, words);
    channels.add(channel);
    return channel;
  }

  Fake channel() {
    return channels.get(channels.size() - 1);
  }

  /** All that was ever published, in order. */
  List<String> bodies() {
    List<String> bodies = new ArrayList<>();
    channels.forEach(
        channel ->
            channel.published.forEach(
                m -> bodies.add(new String(m.body(), java.nio.charset.StandardCharsets.UTF_8))));
    return bodies;
  }

  final class Fake implements PublishChannel {
    final List<Message> published = new CopyOnWriteArrayList<>();
    private final int epoch;
    private final PublishChannel.Words words;
    private volatile boolean open = true;
    volatile boolean blocked;

    /** How often somebody looked whether it is blocked. */
    final AtomicInteger asked = new AtomicInteger();

    volatile long unblockedAt = System.nanoTime() - 1_000_000_000_000L;
    volatile long blockedNanos;
    volatile int frameMax = 131_072;
    volatile @Nullable RuntimeException clientError;

    Fake(int epoch, PublishChannel.Words words) {
      this.epoch = epoch;
      this.words = words;
    }

    @Override
    public long nextPublishSeqNo() {
      return published.size() + 1L;
    }

    @Override
    public void publish(Message message) throws IOException {
      if (!open) {
        throw new IOException("closed");
      }
      published.add(message);
      RuntimeException error = clientError;
      if (error != null) {
        clientError = null;
        throw error;
      }
      if (poison.test(message)) {
        closedByBroker(poisonCode);
      } else if (confirmsAtOnce) {
        confirm(published.size(), false);
      }
    }

    void confirm(long number, boolean multiple) {
      words.confirmed(epoch, number, multiple);
    }

    void nack(long number, boolean multiple) {
      words.nacked(epoch, number, multiple);
    }

    /** Returns a message as unroutable; its confirm is the test's to send. */
    void giveBack(long number) {
      Object id =
          published.get((int) number - 1).properties().getHeaders().get(RecordEncoder.ID_HEADER);
      words.returned(epoch, id, "312 NO_ROUTE");
    }

    void cut() {
      open = false;
      words.lost(epoch, new ShutdownSignalException(true, false, null, null));
    }

    void closedByBroker(int code) {
      open = false;
      var close =
          new AMQP.Channel.Close.Builder()
              .replyCode(code)
              .replyText("refused")
              .classId(60)
              .methodId(40)
              .build();
      words.lost(epoch, new ShutdownSignalException(false, false, close, null));
    }

    void setBlocked(boolean blocked) {
      this.blocked = blocked;
      if (!blocked) {
        unblockedAt = System.nanoTime();
      }
      words.stateChanged();
    }

    @Override
    public boolean isBlocked() {
      asked.incrementAndGet();
      return blocked;
    }

    @Override
    public long unblockedAt() {
      return unblockedAt;
    }

    @Override
    public long blockedNanos() {
      return blockedNanos;
    }

    @Override
    public int frameMax() {
      return frameMax;
    }

    @Override
    public void abort() {
      open = false;
    }

    @Override
    public void close() {
      open = false;
    }
  }
}
