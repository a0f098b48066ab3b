// SPDX-License-Identifier: Apache-2.0
package dev.rabbitbridge.config;

import static org.apache.kafka.common.config.ConfigDef.Importance.HIGH;
import static org.apache.kafka.common.config.ConfigDef.Importance.LOW;
import static org.apache.kafka.common.config.ConfigDef.Importance.MEDIUM;
import static org.apache.kafka.common.config.ConfigDef.Range.atLeast;
import static org.apache.kafka.common.config.ConfigDef.Range.between;

import com.rabbitmq.client.Address;
import com.rabbitmq.client.ConnectionFactory;
import java.net.URISyntaxException;
import java.security.GeneralSecurityException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.kafka.common.config.AbstractConfig;
import org.apache.kafka.common.config.ConfigDef;
import org.apache.kafka.common.config.ConfigDef.NonEmptyString;
import org.apache.kafka.common.config.ConfigDef.Type;
import org.apache.kafka.common.config.ConfigDef.Width;
import org.apache.kafka.common.config.ConfigException;
import org.apache.kafka.common.config.ConfigValue;
import org.apache.kafka.common.config.types.Password;
import org.jspecify.annotations.Nullable;

/**
 * The part of a connector's configuration that says how to reach RabbitMQ.
 *
 * <p>Immutable; safe for use by any thread.
 */
public final class ConnectionConfig {
  /** Host name of the one broker. */
  public static final String HOST_CONFIG = "rabbitmq.host";

  /** Port of the one broker. */
  public static final String PORT_CONFIG = "rabbitmq.port";

  /** Several nodes of one cluster, instead of host and port. */
  public static final String ADDRESSES_CONFIG = "rabbitmq.addresses";

  /** User name. */
  public static final String USERNAME_CONFIG = "rabbitmq.username";

  /** Password of the user. */
  public static final String PASSWORD_CONFIG = "rabbitmq.password";

  /** Virtual host. */
  public static final String VIRTUAL_HOST_CONFIG = "rabbitmq.virtual.host";

  /** All of the above in one. */
  public static final String URI_CONFIG = "rabbitmq.uri";

  static final String HEARTBEAT_CONFIG = "rabbitmq.requested.heartbeat.seconds";
  static final String CONNECTION_TIMEOUT_CONFIG = "rabbitmq.connection.timeout.ms";
  static final String HANDSHAKE_TIMEOUT_CONFIG = "rabbitmq.handshake.timeout.ms";
  static final String SHUTDOWN_TIMEOUT_CONFIG = "rabbitmq.shutdown.timeout.ms";
  static final String CHANNEL_MAX_CONFIG = "rabbitmq.requested.channel.max";
  static final String FRAME_MAX_CONFIG = "rabbitmq.requested.frame.max";
  static final String MAX_INBOUND_CONFIG = "rabbitmq.max.inbound.message.size";
  static final String CONNECTION_NAME_CONFIG = "rabbitmq.connection.name";
  static final String RECONNECT_BACKOFF_CONFIG = "rabbitmq.reconnect.backoff.ms";
  static final String RECONNECT_BACKOFF_MAX_CONFIG = "rabbitmq.reconnect.backoff.max.ms";

  /** How long a task keeps trying to reach the broker. */
  public static final String UNAVAILABLE_TIMEOUT_CONFIG = "rabbitmq.unavailable.timeout.ms";

  /**
   * Keys of other connectors' connection settings that mean nothing here: this plugin owns
   * recovery.
   */
  public static final Set<String> IGNORED_KEYS =
      Set.of(
          "rabbitmq.automatic.recovery.enabled",
          "rabbitmq.topology.recovery.enabled",
          "rabbitmq.network.recovery.interval.ms",
          "confluent.");

  private static final String GROUP = "Connection";
  private static final int AMQP_PORT = 5672;
  private static final Set<String> REPLACED_BY_URI =
      Set.of(
          HOST_CONFIG,
          PORT_CONFIG,
          ADDRESSES_CONFIG,
          USERNAME_CONFIG,
          PASSWORD_CONFIG,
          VIRTUAL_HOST_CONFIG);

  private final AbstractConfig config;

  /**
   * Reads the connection settings out of a connector's configuration.
   *
   * @param config a configuration whose definition went through {@link #addTo}
   */
  public ConnectionConfig(AbstractConfig config) {
    this.config = config;
  }

  /**
   * Adds the connection keys to a definition.
   *
   * @param def the connector's definition; changed
   * @return the same definition
   */
  public static ConfigDef addTo(ConfigDef def) {
    int order = 0;
    return def.define(
            HOST_CONFIG,
            Type.STRING,
            "localhost",
            new NonEmptyString(),
            HIGH,
            "Host name or address of the RabbitMQ broker.",
            GROUP,
            ++order,
            Width.MEDIUM,
            "Host")
        .define(
            PORT_CONFIG,
            Type.INT,
            AMQP_PORT,
            between(1, 65535),
            HIGH,
            "Port of the RabbitMQ broker.",
            GROUP,
            ++order,
            Width.SHORT,
            "Port")
        .define(
            ADDRESSES_CONFIG,
            Type.LIST,
            "",
            new AddressList(),
            HIGH,
            "Nodes of one RabbitMQ cluster as host:port, separated by commas. Replaces host and port. Tried in random order, the next one on failure.",
            GROUP,
            ++order,
            Width.LONG,
            "Addresses")
        .define(
            USERNAME_CONFIG,
            Type.STRING,
            ConnectionFactory.DEFAULT_USER,
            HIGH,
            "User that the connector logs in as.",
            GROUP,
            ++order,
            Width.MEDIUM,
            "User name")
        .define(
            PASSWORD_CONFIG,
            Type.PASSWORD,
            ConnectionFactory.DEFAULT_PASS,
            HIGH,
            "Password of the user.",
            GROUP,
            ++order,
            Width.MEDIUM,
            "Password")
        .define(
            VIRTUAL_HOST_CONFIG,
            Type.STRING,
            ConnectionFactory.DEFAULT_VHOST,
            HIGH,
            "Virtual host to connect to, as RabbitMQ shows it.",
            GROUP,
            ++order,
            Width.MEDIUM,
            "Virtual host")
        .define(
            URI_CONFIG,
            Type.PASSWORD,
            null,
            MEDIUM,
            "The broker as amqp://user:password@host:port/vhost. Excludes host, port, addresses, user name, password and virtual host.",
            GROUP,
            ++order,
            Width.LONG,
            "URI")
        .define(
            HEARTBEAT_CONFIG,
            Type.INT,
            60,
            atLeast(0),
            MEDIUM,
            "Heartbeat asked of the broker, in seconds. A peer that is silent for two of them counts as gone. 0 asks for none.",
            GROUP,
            ++order,
            Width.SHORT,
            "Heartbeat (s)")
        .define(
            CONNECTION_TIMEOUT_CONFIG,
            Type.INT,
            60_000,
            atLeast(0),
            MEDIUM,
            "Longest wait for the TCP connection, in milliseconds; 0 for none.",
            GROUP,
            ++order,
            Width.SHORT,
            "Connection timeout (ms)")
        .define(
            HANDSHAKE_TIMEOUT_CONFIG,
            Type.INT,
            10_000,
            atLeast(1),
            LOW,
            "Longest wait for the AMQP handshake, in milliseconds.",
            GROUP,
            ++order,
            Width.SHORT,
            "Handshake timeout (ms)")
        .define(
            SHUTDOWN_TIMEOUT_CONFIG,
            Type.INT,
            10_000,
            atLeast(0),
            LOW,
            "Longest wait at the end of a task for what is still outstanding, in milliseconds. What is not done by then is done again by the next task.",
            GROUP,
            ++order,
            Width.SHORT,
            "Shutdown timeout (ms)")
        .define(
            CHANNEL_MAX_CONFIG,
            Type.INT,
            2047,
            between(0, 65535),
            LOW,
            "Highest channel number asked of the broker; 0 for no limit of our own.",
            GROUP,
            ++order,
            Width.SHORT,
            "Channel max")
        .define(
            FRAME_MAX_CONFIG,
            Type.INT,
            0,
            atLeast(0),
            LOW,
            "Largest frame asked of the broker, in bytes; 0 takes the broker's.",
            GROUP,
            ++order,
            Width.SHORT,
            "Frame max")
        .define(
            MAX_INBOUND_CONFIG,
            Type.INT,
            128 * 1024 * 1024,
            atLeast(1),
            LOW,
            "Largest message that is accepted from the broker, in bytes. A larger one ends the connection.",
            GROUP,
            ++order,
            Width.SHORT,
            "Max inbound message size")
        .define(
            CONNECTION_NAME_CONFIG,
            Type.STRING,
            null,
            LOW,
            "Name of the connection in RabbitMQ's management page. Default is the connector's name and the task's number.",
            GROUP,
            ++order,
            Width.MEDIUM,
            "Connection name")
        .define(
            RECONNECT_BACKOFF_CONFIG,
            Type.LONG,
            500L,
            atLeast(1),
            LOW,
            "Wait before the first attempt to reconnect, in milliseconds; doubles with each.",
            GROUP,
            ++order,
            Width.SHORT,
            "Reconnect back-off (ms)")
        .define(
            RECONNECT_BACKOFF_MAX_CONFIG,
            Type.LONG,
            30_000L,
            atLeast(1),
            LOW,
            "Longest wait between two attempts to reconnect, in milliseconds.",
            GROUP,
            ++order,
            Width.SHORT,
            "Reconnect back-off max (ms)")
        .define(
            UNAVAILABLE_TIMEOUT_CONFIG,
            Type.LONG,
            -1L,
            atLeast(-1),
            MEDIUM,
            "How long a task keeps trying to reach the broker before it fails, in milliseconds; -1 for ever.",
            GROUP,
            ++order,
            Width.SHORT,
            "Unavailable timeout (ms)");
  }

  /**
   * Checks the rules between connection keys.
   *
   * @param values the parsed values by key; errors are added to them
   */
  public static void checkRules(Map<String, ConfigValue> values) {
    ConfigValue uri = values.get(URI_CONFIG);
    if (uri.value() instanceof Password given) {
      String problem = uriProblem(given);
      if (problem != null) {
        uri.addErrorMessage(problem);
      }
      // A value equal to its default cannot be told from one that is not set; both mean the same
      // here.
      ConfigDef defaults = addTo(new ConfigDef());
      for (String replaced : REPLACED_BY_URI) {
        ConfigValue value = values.get(replaced);
        Object unset = defaults.configKeys().get(replaced).defaultValue;
        if (value.value() != null && !value.value().equals(unset)) {
          value.addErrorMessage("is part of " + URI_CONFIG + ", which is set as well; remove one");
        }
      }
    }
  }

  private static @Nullable String uriProblem(Password uri) {
    try {
      new ConnectionFactory().setUri(uri.value());
      return null;
    } catch (URISyntaxException | GeneralSecurityException | RuntimeException e) {
      // The message could quote the URI, and with it the password.
      return "is not a URI of the form amqp://user:password@host:port/vhost; percent-encode special characters";
    }
  }

  /**
   * Returns the nodes to connect to.
   *
   * @return at least one; empty only when {@link #uri()} says it
   */
  public List<Address> addresses() {
    List<String> addresses = config.getList(ADDRESSES_CONFIG);
    if (!addresses.isEmpty()) {
      return addresses.stream().map(Address::parseAddress).toList();
    }
    return List.of(new Address(config.getString(HOST_CONFIG), config.getInt(PORT_CONFIG)));
  }

  /**
   * Returns the URI that says all at once.
   *
   * @return null when host, port and the like say it
   */
  public @Nullable Password uri() {
    return config.getPassword(URI_CONFIG);
  }

  /**
   * Returns the user.
   *
   * @return never null
   */
  public String username() {
    return config.getString(USERNAME_CONFIG);
  }

  /**
   * Returns the user's password.
   *
   * @return never null; its text is only for the login
   */
  public Password password() {
    return config.getPassword(PASSWORD_CONFIG);
  }

  /**
   * Returns the virtual host.
   *
   * @return never null
   */
  public String virtualHost() {
    return config.getString(VIRTUAL_HOST_CONFIG);
  }

  /**
   * Returns the heartbeat to ask for.
   *
   * @return zero for none
   */
  public Duration heartbeat() {
    return Duration.ofSeconds(config.getInt(HEARTBEAT_CONFIG));
  }

  /**
   * Returns the longest wait for the TCP connection.
   *
   * @return zero for no limit
   */
  public Duration connectionTimeout() {
    return Duration.ofMillis(config.getInt(CONNECTION_TIMEOUT_CONFIG));
  }

  /**
   * Returns the longest wait for the AMQP handshake.
   *
   * @return more than zero
   */
  public Duration handshakeTimeout() {
    return Duration.ofMillis(config.getInt(HANDSHAKE_TIMEOUT_CONFIG));
  }

  /**
   * Returns the longest wait for outstanding work at the end of a task.
   *
   * @return zero for none
   */
  public Duration shutdownTimeout() {
    return Duration.ofMillis(config.getInt(SHUTDOWN_TIMEOUT_CONFIG));
  }

  /**
   * Returns the highest channel number to ask for.
   *
   * @return 0 for no limit
   */
  public int channelMax() {
    return config.getInt(CHANNEL_MAX_CONFIG);
  }

  /**
   * Returns the largest frame to ask for, in bytes.
   *
   * @return 0 for the broker's choice
   */
  public int frameMax() {
    return config.getInt(FRAME_MAX_CONFIG);
  }

  /**
   * Returns the largest message body to accept, in bytes.
   *
   * @return more than zero
   */
  public int maxInboundMessageSize() {
    return config.getInt(MAX_INBOUND_CONFIG);
  }

  /**
   * Returns the name that the user gave the connections.
   *
   * @return null for the default
   */
  public @Nullable String connectionName() {
    return config.getString(CONNECTION_NAME_CONFIG);
  }

  /**
   * Returns the wait before the first attempt to reconnect.
   *
   * @return more than zero
   */
  public Duration reconnectBackoff() {
    return Duration.ofMillis(config.getLong(RECONNECT_BACKOFF_CONFIG));
  }

  /**
   * Returns the longest wait between two attempts to reconnect.
   *
   * @return more than zero
   */
  public Duration reconnectBackoffMax() {
    return Duration.ofMillis(config.getLong(RECONNECT_BACKOFF_MAX_CONFIG));
  }

  /**
   * Returns how long a task keeps trying before it fails.
   *
   * @return null for ever
   */
  public @Nullable Duration unavailableTimeout() {
    long millis = config.getLong(UNAVAILABLE_TIMEOUT_CONFIG);
    return millis < 0 ? null : Duration.ofMillis(millis);
  }

  private static final class AddressList implements ConfigDef.Validator {
    @Override
    public void ensureValid(String name, @Nullable Object value) {
      for (Object address : (List<?>) value) {
        int port;
        try {
          port = Address.parseAddress((String) address).getPort();
        } catch (IllegalArgumentException e) {
          port = 0;
        }
        if (port < 1 || port > 65535) {
          throw new ConfigException(name, address, "must be host:port");
        }
      }
    }

    @Override
    public String toString() {
      return "host:port,host:port,...";
    }
  }
}
