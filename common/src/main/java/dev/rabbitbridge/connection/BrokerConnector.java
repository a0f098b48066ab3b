// SPDX-License-Identifier: Apache-2.0
package dev.rabbitbridge.connection;

import com.rabbitmq.client.ConnectionFactory;
import dev.rabbitbridge.config.ConnectionConfig;
import dev.rabbitbridge.config.PluginVersion;
import java.io.IOException;
import java.net.URISyntaxException;
import java.security.GeneralSecurityException;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.kafka.common.config.ConfigException;
import org.apache.kafka.common.config.types.Password;

/**
 * Opens connections with a task's settings, one attempt at a time.
 *
 * <p>The client's own recovery is off: it would hide that publish sequence numbers and delivery
 * tags start again, and it recovers connections but not channels. Every connection made here is
 * therefore a new one, and every channel a new epoch.
 *
 * <p>Immutable; any thread may call it.
 */
public final class BrokerConnector {
  private final ConnectionConfig config;
  private final String connectorName;
  private final String taskId;

  /**
   * Creates a connector for one task.
   *
   * @param config where and how to connect
   * @param connectorName the Kafka Connect connector, shown to RabbitMQ's operators
   * @param taskId the task within it, shown to RabbitMQ's operators
   */
  public BrokerConnector(ConnectionConfig config, String connectorName, String taskId) {
    this.config = config;
    this.connectorName = connectorName;
    this.taskId = taskId;
  }

  /**
   * Makes one attempt to connect; tries the addresses in random order.
   *
   * @param stateChanged called on the connection's thread when it is lost, blocked or unblocked;
   *     must return at once and not throw
   * @return an open connection, to be closed by the caller
   * @throws IOException if no address could be reached, or the broker refused
   * @throws TimeoutException if the handshake did not end in time
   */
  public BrokerConnection connect(Runnable stateChanged) throws IOException, TimeoutException {
    BrokerConnection connection =
        new BrokerConnection(name(), config.shutdownTimeout(), stateChanged);
    ConnectionFactory factory = factory();
    factory.setExceptionHandler(new CallbackErrors(connection));
    factory.setSocketConfigurator(factory.getSocketConfigurator().andThen(connection::remember));
    connection.attach(
        config.uri() == null
            ? factory.newConnection(config.addresses(), name())
            : factory.newConnection(name()));
    return connection;
  }

  /**
   * Returns the name that RabbitMQ's management page shows.
   *
   * @return the configured name, or connector and task
   */
  public String name() {
    return config.connectionName() == null ? connectorName + "-" + taskId : config.connectionName();
  }

  private ConnectionFactory factory() {
    ConnectionFactory factory = new ConnectionFactory();
    Password uri = config.uri();
    if (uri == null) {
      factory.setUsername(config.username());
      factory.setPassword(config.password().value());
      factory.setVirtualHost(config.virtualHost());
    } else {
      try {
        factory.setUri(uri.value());
      } catch (URISyntaxException | GeneralSecurityException e) {
        // No cause: its message could quote the URI, and with it the password.
        throw new ConfigException(ConnectionConfig.URI_CONFIG + " is not a valid AMQP URI");
      }
    }
    factory.setAutomaticRecoveryEnabled(false);
    factory.setTopologyRecoveryEnabled(false);
    factory.setRequestedHeartbeat((int) config.heartbeat().toSeconds());
    factory.setConnectionTimeout((int) config.connectionTimeout().toMillis());
    factory.setHandshakeTimeout((int) config.handshakeTimeout().toMillis());
    factory.setShutdownTimeout((int) config.shutdownTimeout().toMillis());
    factory.setRequestedChannelMax(config.channelMax());
    factory.setRequestedFrameMax(config.frameMax());
    factory.setMaxInboundMessageBodySize(config.maxInboundMessageSize());
    factory.setChannelShouldCheckRpcResponseType(true);
    factory.setThreadFactory(daemons("rabbitmq-" + name()));
    Map<String, Object> properties = new HashMap<>(factory.getClientProperties());
    properties.put("product", "rabbitbridge");
    properties.put("version", PluginVersion.get());
    properties.put("connector", connectorName);
    properties.put("task", taskId);
    factory.setClientProperties(properties);
    return factory;
  }

  private static ThreadFactory daemons(String name) {
    AtomicInteger number = new AtomicInteger();
    return task -> {
      Thread thread = new Thread(task, name + "-" + number.incrementAndGet());
      thread.setDaemon(true);
      return thread;
    };
  }
}
