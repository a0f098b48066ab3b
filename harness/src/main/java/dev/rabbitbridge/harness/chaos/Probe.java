// SPDX-License-Identifier: Apache-2.0
package dev.rabbitbridge.harness.chaos;

import com.rabbitmq.client.AlreadyClosedException;
import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import com.rabbitmq.client.ConnectionFactory;
import java.io.IOException;
import java.net.URI;
import java.security.GeneralSecurityException;
import java.util.concurrent.TimeoutException;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A connection of the test's own that is opened again when it breaks, and waits for nothing longer
 * than two seconds. For one thread, except {@link #close}.
 */
final class Probe implements AutoCloseable {
  private static final int PATIENCE_MS = 2000;

  private final Supplier<URI> broker;
  private final boolean confirms;
  private @Nullable Connection connection;
  private @Nullable Channel channel;

  Probe(Supplier<URI> broker, boolean confirms) {
    this.broker = broker;
    this.confirms = confirms;
  }

  /** Returns an open channel. */
  synchronized Channel channel() throws IOException, TimeoutException {
    Channel last = channel;
    if (last != null && last.isOpen()) {
      return last;
    }
    close();
    try {
      ConnectionFactory factory = new ConnectionFactory();
      factory.setUri(broker.get());
      factory.setAutomaticRecoveryEnabled(false);
      factory.setConnectionTimeout(PATIENCE_MS);
      factory.setHandshakeTimeout(PATIENCE_MS);
      factory.setChannelRpcTimeout(PATIENCE_MS);
      Connection opened = factory.newConnection("chaos");
      connection = opened;
      Channel fresh = opened.createChannel();
      if (confirms) {
        fresh.confirmSelect();
      }
      channel = fresh;
      return fresh;
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException(e);
    }
  }

  /** Counts the ready messages of a queue. */
  int ready(String queue) throws IOException, TimeoutException {
    try {
      return channel().queueDeclarePassive(queue).getMessageCount();
    } catch (IOException | AlreadyClosedException e) {
      close();
      throw e;
    }
  }

  @Override
  public synchronized void close() {
    Connection last = connection;
    connection = null;
    channel = null;
    if (last != null) {
      last.abort(1000);
    }
  }
}
