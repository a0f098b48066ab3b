// SPDX-License-Identifier: Apache-2.0
package dev.rabbitbridge.harness.bench;

import com.rabbitmq.client.AMQP;
import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import com.rabbitmq.client.DefaultConsumer;
import com.rabbitmq.client.Envelope;
import java.io.IOException;
import java.util.concurrent.TimeoutException;

/** The limit of a consumer: manual acks of so many at a time, and nothing else. In this JVM. */
final class BareConsumer implements Run {
  static final int ACK_EVERY = 100;

  private final Connection connection;
  private volatile long arrived;

  BareConsumer(Lab lab, String queue, int prefetch) throws IOException, TimeoutException {
    connection = Client.connect(lab.broker(), null, "bare consumer");
    Channel channel = connection.createChannel();
    channel.basicQos(prefetch);
    channel.basicConsume(
        queue,
        false,
        new DefaultConsumer(channel) {
          @Override
          public void handleDelivery(
              String consumer, Envelope envelope, AMQP.BasicProperties properties, byte[] body)
              throws IOException {
            long tag = envelope.getDeliveryTag();
            if (tag % ACK_EVERY == 0) {
              channel.basicAck(tag, true);
            }
            arrived = tag;
          }
        });
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
  public void close() {
    connection.abort(5000);
  }
}
