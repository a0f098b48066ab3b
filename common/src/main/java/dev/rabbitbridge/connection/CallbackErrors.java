// SPDX-License-Identifier: Apache-2.0
package dev.rabbitbridge.connection;

import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import com.rabbitmq.client.impl.ForgivingExceptionHandler;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What is thrown on the client's threads. A callback of ours that throws is a bug, and may have
 * lost a word of the broker: the connection is given up, so that everything in flight on it counts
 * as unknown.
 */
final class CallbackErrors extends ForgivingExceptionHandler {
  private static final Logger LOG = LoggerFactory.getLogger(CallbackErrors.class);

  private final BrokerConnection connection;

  CallbackErrors(BrokerConnection connection) {
    this.connection = connection;
  }

  @Override
  protected void handleChannelKiller(Channel channel, Throwable exception, String what) {
    giveUp(exception, what);
  }

  @Override
  protected void handleConnectionKiller(Connection client, Throwable exception, String what) {
    giveUp(exception, what);
  }

  @Override
  protected void log(String message, Throwable e) {
    // What ends a connection is told by whoever loses it, with what follows from it.
    LOG.debug("{}: {}", connection.name(), message, e);
  }

  private void giveUp(Throwable exception, String what) {
    LOG.error("{}: {} threw; giving up the connection", connection.name(), what, exception);
    connection.abort();
  }
}
