// SPDX-License-Identifier: Apache-2.0
package dev.rabbitbridge.harness.bench;

import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import com.rabbitmq.client.MessageProperties;
import dev.rabbitbridge.harness.node.Endpoint;
import java.io.IOException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/** AMQP transactions, what publisher confirms are usually compared with. In this JVM. */
final class TransactionPublisher implements Run {
  private final Connection connection;
  private final Thread loop;
  private volatile long arrived;
  private volatile @Nullable Throwable failure;

  TransactionPublisher(Lab lab, @Nullable Endpoint through, Place place, int commitEvery)
      throws IOException, TimeoutException {
    connection = Client.connect(lab.broker(), through, "transactions");
    Channel channel = connection.createChannel();
    channel.txSelect();
    loop = new Thread(() -> publish(channel, place, commitEvery), "transactions");
    loop.setDaemon(true);
    loop.start();
  }

  private void publish(Channel channel, Place place, int commitEvery) {
    byte[] body = new byte[place.load().size()];
    int messages = place.load().messages();
    try {
      for (int i = 1; i <= messages; i++) {
        channel.basicPublish("", place.queue(), MessageProperties.MINIMAL_PERSISTENT_BASIC, body);
        if (i % commitEvery == 0 || i == messages) {
          channel.txCommit();
          arrived = i;
        }
      }
      // What an ended thread has allocated is forgotten.
      new CountDownLatch(1).await();
    } catch (IOException | RuntimeException e) {
      failure = e;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
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
      throw new IllegalStateException("the transactions failed", failure);
    }
  }

  @Override
  public void close() {
    loop.interrupt();
    connection.abort(5000);
  }
}
