// SPDX-License-Identifier: Apache-2.0
package dev.rabbitbridge.config;

import com.rabbitmq.client.Address;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import org.apache.kafka.common.config.AbstractConfig;
import org.apache.kafka.common.config.ConfigDef;
import org.apache.kafka.common.config.ConfigException;
import org.apache.kafka.common.config.ConfigValue;
import org.apache.kafka.common.config.types.Password;
import org.jspecify.annotations.Nullable;

/**
 * The part of a connector's configuration that says how to reach RabbitMQ: what its keys mean to a
 * task.
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

  /** Largest message that is accepted from the broker. */
  public static final String MAX_INBOUND_CONFIG = "rabbitmq.max.inbound.message.size";

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

  /**
   * Names that other connectors have for settings of this one; a name that ends in a dot stands for
   * all below it.
   */
  public static final Map<String, String> ALIASES = Map.of("rabbitmq.https.ssl.", "rabbitmq.ssl.");

  private static final Set<String> REPLACED_BY_URI =
      Set.of(
          HOST_CONFIG,
          PORT_CONFIG,
          ADDRESSES_CONFIG,
          USERNAME_CONFIG,
          PASSWORD_CONFIG,
          VIRTUAL_HOST_CONFIG);

  private final AbstractConfig config;
  private final @Nullable AmqpUri uri;

  /**
   * Reads the connection settings out of a connector's configuration.
   *
   * @param config a configuration whose definition went through {@link #addTo}
   * @throws ConfigException if the URI is not one
   */
  public ConnectionConfig(AbstractConfig config) {
    this.config = config;
    Password given = config.getPassword(URI_CONFIG);
    this.uri = given == null ? null : AmqpUri.parse(given.value());
  }

  /**
   * Adds the connection keys to a definition.
   *
   * @param def the connector's definition; changed
   * @return the same definition
   */
  public static ConfigDef addTo(ConfigDef def) {
    ConnectionKeys.addTo(def);
    TlsConfig.addTo(def);
    return LoginConfig.addTo(def);
  }

  /**
   * Checks the rules between connection keys. Reads the files that they name, and touches no
   * network.
   *
   * @param values the parsed values by key; errors are added to them
   */
  public static void checkRules(Map<String, ConfigValue> values) {
    ConfigValue uri = values.get(URI_CONFIG);
    if (uri.value() instanceof Password given) {
      checkUri(given, values);
    }
    if (TlsConfig.isOn(parsed(values))) {
      TlsConfig.checkRules(TlsConfig.PREFIX, values);
    }
    LoginConfig.checkRules(values);
    ConfigValue first = values.get(RECONNECT_BACKOFF_CONFIG);
    ConfigValue longest = values.get(RECONNECT_BACKOFF_MAX_CONFIG);
    if (first.value() instanceof Long from && longest.value() instanceof Long to && from > to) {
      longest.addErrorMessage("must not be less than " + RECONNECT_BACKOFF_CONFIG);
    }
  }

  private static void checkUri(Password given, Map<String, ConfigValue> values) {
    try {
      ConfigValue protocol = values.get(TlsConfig.SECURITY_PROTOCOL_CONFIG);
      if (!AmqpUri.parse(given.value()).tls() && TlsConfig.saysSsl(parsed(values))) {
        protocol.addErrorMessage("is SSL, but " + URI_CONFIG + " says amqp://; make that amqps://");
      }
    } catch (InvalidSetting e) {
      values.get(URI_CONFIG).addErrorMessage(e.problem());
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

  static Map<String, Object> parsed(Map<String, ConfigValue> values) {
    Map<String, Object> parsed = new HashMap<>();
    values.forEach((key, value) -> parsed.put(key, value.value()));
    return parsed;
  }

  /** Tells whether there is a URI and it asks for TLS; what is wrong with it is said elsewhere. */
  static boolean uriSaysTls(Map<String, ?> parsed) {
    return parsed.get(URI_CONFIG) instanceof Password uri
        && uri.value().toLowerCase(Locale.ROOT).startsWith("amqps:");
  }

  /**
   * Returns the nodes to connect to.
   *
   * @return at least one
   */
  public List<Address> addresses() {
    if (uri != null) {
      return List.of(new Address(uri.host(), uri.port()));
    }
    List<String> addresses = config.getList(ADDRESSES_CONFIG);
    if (!addresses.isEmpty()) {
      return addresses.stream().map(Address::parseAddress).toList();
    }
    Integer port = config.getInt(PORT_CONFIG);
    return List.of(
        new Address(
            config.getString(HOST_CONFIG), port == null ? TlsConfig.amqpPort(isTls()) : port));
  }

  /**
   * Tells whether one URI says where the broker is and how to log in.
   *
   * @return false when host, port and the like say it
   */
  public boolean isUri() {
    return uri != null;
  }

  /**
   * Returns the user.
   *
   * @return never null
   */
  public String username() {
    String fromUri = uri == null ? null : uri.username();
    return fromUri == null ? config.getString(USERNAME_CONFIG) : fromUri;
  }

  /**
   * Returns the user's password.
   *
   * @return never null; its text is only for the login
   */
  public Password password() {
    String fromUri = uri == null ? null : uri.password();
    return fromUri == null ? config.getPassword(PASSWORD_CONFIG) : new Password(fromUri);
  }

  /**
   * Returns the virtual host.
   *
   * @return never null
   */
  public String virtualHost() {
    String fromUri = uri == null ? null : uri.virtualHost();
    return fromUri == null ? config.getString(VIRTUAL_HOST_CONFIG) : fromUri;
  }

  /**
   * Tells whether the connection uses TLS.
   *
   * @return false for a connection that anybody on the way can read
   */
  public boolean isTls() {
    return TlsConfig.isOn(config.values());
  }

  /**
   * Returns how TLS is set up.
   *
   * @return of meaning only if {@link #isTls()}
   */
  public TlsConfig tls() {
    return TlsConfig.of(config.values(), TlsConfig.PREFIX);
  }

  /**
   * Returns how to log in.
   *
   * @return never null
   */
  public LoginConfig login() {
    return new LoginConfig(config);
  }

  /**
   * Says what is allowed but hardly meant.
   *
   * @return one sentence for each, to be logged at WARN once
   */
  public List<String> warnings() {
    List<String> warnings = new ArrayList<>();
    if (isTls() && !tls().checksHostName()) {
      warnings.add(
          "rabbitmq.ssl.endpoint.identification.algorithm is empty: any holder of a trusted"
              + " certificate can pose as the broker");
    }
    if (!isTls()) {
      config.originals().keySet().stream()
          .filter(key -> key.startsWith(TlsConfig.PREFIX + "ssl."))
          .sorted()
          .map(key -> key + " has no effect without " + TlsConfig.SECURITY_PROTOCOL_CONFIG + "=SSL")
          .forEach(warnings::add);
    }
    if (login().mechanism() == LoginConfig.Mechanism.OAUTH2
        && "http".equalsIgnoreCase(login().tokenEndpoint().getScheme())) {
      warnings.add(
          LoginConfig.TOKEN_ENDPOINT_CONFIG
              + " is not https: secret and tokens can be read on the way");
    }
    return warnings;
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
}
