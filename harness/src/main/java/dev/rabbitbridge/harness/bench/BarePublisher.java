// SPDX-License-Identifier: Apache-2.0
package dev.rabbitbridge.harness.bench;

import com.rabbitmq.client.AMQP.BasicProperties;
import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import com.rabbitmq.client.MessageProperties;
import dev.rabbitbridge.harness.node.Endpoint;
import java.io.IOException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/**
 * The limit: a loop around {@code basicPublish} with asynchronous confirms and a window, and
 * nothing else. In this JVM.
 */
final class BarePublisher implements Run {
  private static final BasicProperties PLAIN = MessageProperties.MINIMAL_PERSISTENT_BASIC;

  private final Connection connection;
  private final Thread loop;
  private final CountDownLatch confirmed = new CountDownLatch(1);
  private final int messages;
  private volatile long arrived;
  private volatile @Nullable Throwable failure;

  BarePublisher(Lab lab, String queue, Load load) throws IOException, TimeoutException {
    this(lab, null, queue, load, false);
  }

  BarePublisher(Lab lab, @Nullable Endpoint through, String queue, Load load, boolean ids)
      throws IOException, TimeoutException {
    messages = load.messages();
    connection = Client.connect(lab.broker(), through, "bare publisher");
    Channel channel = connection.createChannel();
    channel.confirmSelect();
    Semaphore window = new Semaphore(load.window());
    long[] last = new long[1];
    channel.addConfirmListener(
        (tag, multiple) -> {
          // Only on the connection's thread; a broker that is well confirms each once.
          int count = multiple ? (int) (tag - last[0]) : 1;
          last[0] = multiple ? tag : last[0] + 1;
          window.release(count);
          arrived = last[0];
          if (last[0] == messages) {
            confirmed.countDown();
          }
        },
        (tag, multiple) -> fail(new IllegalStateException("nacked: " + tag)));
    loop =
        new Thread(() -> publish(channel, queue, ids, new byte[load.size()], window), "bare-loop");
    loop.setDaemon(true);
    loop.start();
  }

  private void publish(Channel channel, String queue, boolean ids, byte[] body, Semaphore window) {
    try {
      for (int i = 0; i < messages; i++) {
        window.acquire();
        BasicProperties properties =
            ids ? PLAIN.builder().messageId(Integer.toString(i)).build() : PLAIN;
        channel.basicPublish("", queue, properties, body);
      }
      // What an ended thread has allocated is forgotten.
      new CountDownLatch(1).await();
    } catch (IOException | RuntimeException e) {
      fail(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private void fail(Throwable why) {
    failure = why;
    confirmed.countDown();
  }

  void awaitAll() throws InterruptedException {
    if (!confirmed.await(10, TimeUnit.MINUTES)) {
      throw new IllegalStateException("not confirmed in ten minutes");
    }
    check();
  }

  @Override
  public long arrived() {
    return arrived;
  }

  @Override
  public Usage usage() {
    return Usage.ofThisJvm();
  }

  @Override
  public void check() {
    if (failure != null) {
      throw new IllegalStateException("the bare publisher failed", failure);
    }
  }

  @Override
  public void close() {
    loop.interrupt();
    connection.abort(5000);
  }
}
