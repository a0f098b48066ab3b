// SPDX-License-Identifier: Apache-2.0
package dev.rabbitbridge.sink;

import com.rabbitmq.client.Channel;
import com.rabbitmq.client.ConfirmListener;
import com.rabbitmq.client.Return;
import dev.rabbitbridge.connection.BrokerConnection;
import dev.rabbitbridge.connection.BrokerConnector;
import dev.rabbitbridge.connection.Topology;
import java.io.IOException;
import java.util.Map;
import java.util.concurrent.TimeoutException;

/** A channel of RabbitMQ's client on a connection of its own, in confirm mode. */
final class AmqpPublishChannel implements PublishChannel {
  private final BrokerConnection connection;
  private final Channel channel;
  private final boolean mandatory;

  private AmqpPublishChannel(BrokerConnection connection, Channel channel, boolean mandatory) {
    this.connection = connection;
    this.channel = channel;
    this.mandatory = mandatory;
  }

  static PublishChannel open(
      BrokerConnector connector, Topology topology, boolean mandatory, int epoch, Words words)
      throws IOException, TimeoutException {
    BrokerConnection connection = connector.connect(words::stateChanged);
    try {
      topology.ensure(connection);
      Channel channel = connection.openChannel();
      channel.addConfirmListener(new Confirms(epoch, words));
      channel.addReturnListener(
          (Return returned) -> {
            Map<String, Object> headers = returned.getProperties().getHeaders();
            words.returned(
                epoch,
                headers == null ? null : headers.get(RecordEncoder.ID_HEADER),
                returned.getReplyCode() + " " + returned.getReplyText());
          });
      channel.addShutdownListener(cause -> words.lost(epoch, cause));
      channel.confirmSelect();
      return new AmqpPublishChannel(connection, channel, mandatory);
    } catch (IOException | RuntimeException | Error e) {
      connection.close();
      throw e;
    }
  }

  @Override
  public long nextPublishSeqNo() {
    return channel.getNextPublishSeqNo();
  }

  @Override
  public void publish(Message message) throws IOException {
    connection.hold();
    channel.basicPublish(
        message.exchange(), message.routingKey(), mandatory, message.properties(), message.body());
  }

  @Override
  public void flush() throws IOException {
    connection.flush();
  }

  @Override
  public boolean isBlocked() {
    return connection.isBlocked();
  }

  @Override
  public long unblockedAt() {
    return connection.unblockedAt();
  }

  @Override
  public long blockedNanos() {
    return connection.blockedNanos();
  }

  @Override
  public int frameMax() {
    return connection.frameMax();
  }

  @Override
  public void abort() {
    connection.abort();
  }

  @Override
  public void close() {
    connection.close();
  }

  private record Confirms(int epoch, Words words) implements ConfirmListener {
    @Override
    public void handleAck(long deliveryTag, boolean multiple) {
      words.confirmed(epoch, deliveryTag, multiple);
    }

    @Override
    public void handleNack(long deliveryTag, boolean multiple) {
      words.nacked(epoch, deliveryTag, multiple);
    }
  }
}
