// SPDX-License-Identifier: Apache-2.0
package dev.rabbitbridge.source;

import com.rabbitmq.client.AMQP.BasicProperties;
import com.rabbitmq.client.Channel;
import com.rabbitmq.client.DefaultConsumer;
import com.rabbitmq.client.Envelope;
import dev.rabbitbridge.connection.BrokerConnection;
import java.io.IOException;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Finds out where a stream ends, by reading its last chunk. */
final class StreamEnd {
  private static final Logger LOG = LoggerFactory.getLogger(StreamEnd.class);
  private static final int PREFETCH = 100;
  private static final long SILENCE_MS = 1000;
  private static final Duration LONGEST = Duration.ofSeconds(5);

  private StreamEnd() {}

  /**
   * Reads the last chunk on a channel of its own.
   *
   * @param arguments of the consumer that gets nothing: a filter leaves out messages here, too
   * @param awaited reading ends when this offset is found
   * @return what was read; null when RabbitMQ counts messages but delivers none now
   */
  static @Nullable Tail find(
      BrokerConnection connection, String stream, Map<String, Object> arguments, long awaited)
      throws IOException, InterruptedException {
    Map<String, Object> fromLast = new HashMap<>(arguments);
    fromLast.put("x-stream-offset", "last");
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
          fromLast,
          new DefaultConsumer(channel) {
            @Override
            public void handleDelivery(
                String tag, Envelope envelope, BasicProperties properties, byte[] body) {
              offsets.add((Long) properties.getHeaders().get("x-stream-offset"));
            }
          });
      Long first = null;
      Long last = null;
      long tag = 0;
      // One that is written to all the time never falls silent.
      long deadline = System.nanoTime() + LONGEST.toNanos();
      Long next = offsets.poll(SILENCE_MS, TimeUnit.MILLISECONDS);
      while (next != null) {
        first = first == null ? next : first;
        last = next;
        boolean enough = last >= awaited || System.nanoTime() - deadline > 0;
        channel.basicAck(++tag, false);
        next = enough ? null : offsets.poll(SILENCE_MS, TimeUnit.MILLISECONDS);
      }
      if (last == null) {
        return empty ? Tail.EMPTY : null;
      }
      return new Tail(first, last);
    } finally {
      close(channel);
    }
  }

  /**
   * The end of a stream.
   *
   * @param first the first offset of the last chunk
   * @param last the last offset that was read of it, and of what came meanwhile
   */
  record Tail(long first, long last) {
    static final Tail EMPTY = new Tail(0, -1);
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
