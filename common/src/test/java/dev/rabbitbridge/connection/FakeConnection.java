// SPDX-License-Identifier: Apache-2.0
package dev.rabbitbridge.connection;

import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import java.lang.reflect.Proxy;
import java.time.Duration;

/** A connection to nowhere, with one channel that a test provides. */
public final class FakeConnection {
  private FakeConnection() {}

  /** Returns an open connection whose only channel is this one. */
  public static BrokerConnection with(Channel channel) {
    BrokerConnection connection = new BrokerConnection("fake", Duration.ofSeconds(1), () -> {});
    connection.attach(
        (Connection)
            Proxy.newProxyInstance(
                FakeConnection.class.getClassLoader(),
                new Class<?>[] {Connection.class},
                (proxy, method, arguments) ->
                    switch (method.getName()) {
                      case "createChannel" -> channel;
                      case "isOpen" -> true;
                      default -> null;
                    }));
    return connection;
  }
}
