// SPDX-License-Identifier: Apache-2.0
package dev.rabbitbridge.connection;

import com.rabbitmq.client.Address;
import com.rabbitmq.client.Connection;
import com.rabbitmq.client.ConnectionFactory;
import com.rabbitmq.client.SocketConfigurators;
import com.rabbitmq.client.impl.FrameHandler;
import com.rabbitmq.client.impl.FrameHandlerFactory;
import dev.rabbitbridge.config.ConnectionConfig;
import dev.rabbitbridge.config.PluginVersion;
import dev.rabbitbridge.config.TlsConfig;
import dev.rabbitbridge.metrics.LogContext;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import javax.net.ssl.SSLSocket;
import org.apache.kafka.common.config.ConfigException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Opens connections with a task's settings, one attempt at a time.
 *
 * <p>The client's own recovery is off: it would hide that publish sequence numbers and delivery
 * tags start again, and it recovers connections but not channels. Every connection made here is
 * therefore a new one, and every channel a new epoch.
 *
 * <p>Thread safe.
 */
public final class BrokerConnector {
  private static final Logger LOG = LoggerFactory.getLogger(BrokerConnector.class);
  // RabbitMQ itself takes up to 65 s to say that a queue has no leader. The client's default of ten
  // minutes would leave a task for so long without a word.
  private static final Duration LONGEST_ANSWER = Duration.ofSeconds(90);

  private final ConnectionConfig config;
  private final String connectorName;
  private final String taskId;
  private final LogContext logContext = LogContext.ofThisThread();
  private final List<Address> addresses; // guarded by this

  /**
   * Creates a connector for one task, and warns of settings that are allowed but hardly meant. The
   * client's threads get the log context of the calling thread.
   *
   * @param config where and how to connect
   * @param connectorName the Kafka Connect connector, shown to RabbitMQ's operators
   * @param taskId the task within it, shown to RabbitMQ's operators
   */
  public BrokerConnector(ConnectionConfig config, String connectorName, String taskId) {
    this.config = config;
    this.connectorName = connectorName;
    this.taskId = taskId;
    this.addresses = new ArrayList<>(config.addresses());
    Collections.shuffle(addresses);
    config.warnings().forEach(warning -> LOG.warn("{}: {}", name(), warning));
  }

  /** What one node cannot do, as when it has no replica of a stream, the next one may. */
  private synchronized List<Address> inTurn() {
    Collections.rotate(addresses, -1);
    return List.copyOf(addresses);
  }

  /**
   * Makes one attempt to connect; tries the addresses in random order, beginning with another one
   * each time. Stores with keys and certificates are read anew, and a token is fetched anew.
   *
   * @param stateChanged called on the connection's thread when it is lost, blocked or unblocked;
   *     must return at once and not throw
   * @return an open connection, to be closed by the caller
   * @throws IOException if no address could be reached, or the broker refused
   * @throws TimeoutException if the handshake did not end in time
   * @throws ConfigException if the settings cannot work, naming the one that is wrong
   */
  public BrokerConnection connect(Runnable stateChanged) throws IOException, TimeoutException {
    BrokerConnection connection =
        new BrokerConnection(name(), config.shutdownTimeout(), stateChanged);
    ConnectionFactory factory = factory(connection);
    factory.setExceptionHandler(new CallbackErrors(connection));
    if (config.isTls()) {
      useTls(factory, config.tls());
    }
    factory.setSocketConfigurator(factory.getSocketConfigurator().andThen(connection::remember));
    Login login = Login.create(config, name(), connection::abort);
    try {
      login.applyTo(factory);
      Connection open = factory.newConnection(inTurn(), name());
      open.addShutdownListener(signal -> login.close());
      connection.attach(open);
      return connection;
    } catch (IOException | TimeoutException | RuntimeException | Error e) {
      // The client closes its socket only after the errors that it expects.
      connection.abort();
      login.close();
      throw e;
    }
  }

  private static void useTls(ConnectionFactory factory, TlsConfig tls) {
    factory.useSslProtocol(tls.context());
    // Ours alone: what the client adds by itself differs between its versions.
    factory.setSocketConfigurator(
        SocketConfigurators.defaultConfigurator()
            .andThen(
                socket -> {
                  SSLSocket secured = (SSLSocket) socket;
                  secured.setSSLParameters(tls.applyTo(secured.getSSLParameters()));
                }));
  }

  /**
   * Returns the name that RabbitMQ's management page shows.
   *
   * @return the configured name, or connector and task
   */
  public String name() {
    return config.connectionName() == null ? connectorName + "-" + taskId : config.connectionName();
  }

  private ConnectionFactory factory(BrokerConnection connection) {
    ConnectionFactory factory =
        new ConnectionFactory() {
          @Override
          protected synchronized FrameHandlerFactory createFrameHandlerFactory()
              throws IOException {
            FrameHandlerFactory client = super.createFrameHandlerFactory();
            return (address, name) -> {
              FrameHandler handler = client.create(address, name);
              connection.shakeHands(config.handshakeTimeout());
              return connection.inBursts(handler);
            };
          }
        };
    factory.setVirtualHost(config.virtualHost());
    factory.setAutomaticRecoveryEnabled(false);
    factory.setTopologyRecoveryEnabled(false);
    factory.setRequestedHeartbeat((int) config.heartbeat().toSeconds());
    factory.setConnectionTimeout((int) config.connectionTimeout().toMillis());
    factory.setHandshakeTimeout((int) config.handshakeTimeout().toMillis());
    factory.setShutdownTimeout((int) config.shutdownTimeout().toMillis());
    factory.setChannelRpcTimeout((int) LONGEST_ANSWER.toMillis());
    factory.setRequestedChannelMax(config.channelMax());
    factory.setRequestedFrameMax(config.frameMax());
    // The client refuses a body of exactly its limit.
    factory.setMaxInboundMessageBodySize(
        (int) Math.min(Integer.MAX_VALUE, config.maxInboundMessageSize() + 1L));
    factory.setChannelShouldCheckRpcResponseType(true);
    factory.setThreadFactory(daemons("rabbitmq-" + name()));
    Map<String, Object> properties = new HashMap<>(factory.getClientProperties());
    properties.put("client", "RabbitMQ Java client " + properties.get("version"));
    properties.put("product", "rabbitbridge");
    properties.put("version", PluginVersion.get());
    properties.put("connector", connectorName);
    properties.put("task", taskId);
    factory.setClientProperties(properties);
    return factory;
  }

  private ThreadFactory daemons(String name) {
    AtomicInteger number = new AtomicInteger();
    return task -> {
      Thread thread = new Thread(logContext.around(task), name + "-" + number.incrementAndGet());
      thread.setDaemon(true);
      return thread;
    };
  }
}
