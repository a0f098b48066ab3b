// SPDX-License-Identifier: Apache-2.0
package dev.rabbitbridge.source;

import com.rabbitmq.client.AMQP.BasicProperties;
import com.rabbitmq.client.Channel;
import com.rabbitmq.client.DefaultConsumer;
import com.rabbitmq.client.Envelope;
import dev.rabbitbridge.connection.BrokerConnection;
import java.io.IOException;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Finds out whether a stream ends before an offset, by reading its last chunk. */
final class StreamEnd {
  private static final Logger LOG = LoggerFactory.getLogger(StreamEnd.class);
  private static final int PREFETCH = 100;
  private static final long SILENCE_MS = 1000;
  private static final Duration LONGEST = Duration.ofSeconds(5);

  private StreamEnd() {}

  /**
   * Reads the last chunk on a channel of its own.
   *
   * @param awaited reading ends when this offset is found
   * @return the offset of the last message read; -1 when the stream is empty; null when RabbitMQ
   *     counts messages but delivers none now
   */
  static @Nullable Long find(BrokerConnection connection, String stream, long awaited)
      throws IOException, InterruptedException {
    Channel channel = connection.openChannel();
    try {
      boolean empty = channel.queueDeclarePassive(stream).getMessageCount() == 0;
      BlockingQueue<Long> offsets = new LinkedBlockingQueue<>();
      channel.basicQos(PREFETCH);
      channel.basicConsume(
          stream,
          false,
          "",
          false,
          false,
          Map.of("x-stream-offset", "last"),
          new DefaultConsumer(channel) {
            @Override
            public void handleDelivery(
                String tag, Envelope envelope, BasicProperties properties, byte[] body) {
              offsets.add((Long) properties.getHeaders().get("x-stream-offset"));
            }
          });
      Long last = null;
      long tag = 0;
      // One that is written to all the time never falls silent.
      long deadline = System.nanoTime() + LONGEST.toNanos();
      Long next = offsets.poll(SILENCE_MS, TimeUnit.MILLISECONDS);
      while (next != null) {
        last = next;
        boolean enough = last >= awaited || System.nanoTime() - deadline > 0;
        channel.basicAck(++tag, false);
        next = enough ? null : offsets.poll(SILENCE_MS, TimeUnit.MILLISECONDS);
      }
      return last == null && empty ? Long.valueOf(-1) : last;
    } finally {
      close(channel);
    }
  }

  private static void close(Channel channel) throws IOException {
    if (channel.isOpen()) {
      try {
        channel.close();
      } catch (TimeoutException e) {
        LOG.debug("no answer to the close of a channel", e);
      }
    }
  }
}
