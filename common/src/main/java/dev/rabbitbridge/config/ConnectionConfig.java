// SPDX-License-Identifier: Apache-2.0
package dev.rabbitbridge.config;

import static org.apache.kafka.common.config.ConfigDef.Importance.HIGH;
import static org.apache.kafka.common.config.ConfigDef.Importance.LOW;
import static org.apache.kafka.common.config.ConfigDef.Importance.MEDIUM;
import static org.apache.kafka.common.config.ConfigDef.Range.atLeast;
import static org.apache.kafka.common.config.ConfigDef.Range.between;

import com.rabbitmq.client.AMQP;
import com.rabbitmq.client.Address;
import com.rabbitmq.client.ConnectionFactory;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.kafka.common.config.AbstractConfig;
import org.apache.kafka.common.config.ConfigDef;
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

  /**
   * Names that other connectors have for settings of this one; a name that ends in a dot stands for
   * all below it.
   */
  public static final Map<String, String> ALIASES = Map.of("rabbitmq.https.ssl.", "rabbitmq.ssl.");

  private static final String GROUP = "Connection";
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
    addConnectionTo(def);
    TlsConfig.addTo(def);
    return LoginConfig.addTo(def);
  }

  private static void addConnectionTo(ConfigDef def) {
    int order = 0;
    def.define(
            HOST_CONFIG,
            Type.STRING,
            "localhost",
            new HostName(),
            HIGH,
            "Host name or address of the RabbitMQ broker.",
            GROUP,
            ++order,
            Width.MEDIUM,
            "Host")
        .define(
            PORT_CONFIG,
            Type.INT,
            null,
            orUnset(between(1, 65535)),
            HIGH,
            "Port of the RabbitMQ broker. Default is 5672, and 5671 with TLS.",
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
            "The broker as amqp://user:password@host:port/vhost, or amqps:// for TLS, with special characters percent-encoded. Excludes host, port, addresses, user name, password and virtual host.",
            GROUP,
            ++order,
            Width.LONG,
            "URI")
        .define(
            HEARTBEAT_CONFIG,
            Type.INT,
            60,
            between(0, 65535),
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
            new FrameSize(),
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

  private static ConfigDef.Validator orUnset(ConfigDef.Validator validator) {
    return ConfigDef.LambdaValidator.with(
        (name, value) -> {
          if (value != null) {
            validator.ensureValid(name, value);
          }
        },
        validator::toString);
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

  private static final class HostName implements ConfigDef.Validator {
    private static final Pattern NAME =
        Pattern.compile("\\[?[0-9a-fA-F:.%]+]?|[^\\s,:@/?#\\[\\]]+");

    @Override
    public void ensureValid(String name, @Nullable Object value) {
      if (value == null || !NAME.matcher((String) value).matches()) {
        throw new ConfigException(name, value, "must be a host name or address, without a port");
      }
    }

    @Override
    public String toString() {
      return "host name or address";
    }
  }

  /** The protocol's own lower limit; a broker refuses less. */
  private static final class FrameSize implements ConfigDef.Validator {
    @Override
    public void ensureValid(String name, @Nullable Object value) {
      if (!(value instanceof Integer size) || (size != 0 && size < AMQP.FRAME_MIN_SIZE)) {
        throw new ConfigException(name, value, "must be 0, or at least " + AMQP.FRAME_MIN_SIZE);
      }
    }

    @Override
    public String toString() {
      return "0 or at least " + AMQP.FRAME_MIN_SIZE;
    }
  }

  private static final class AddressList implements ConfigDef.Validator {
    private static final Pattern ADDRESS =
        Pattern.compile("(\\[[0-9a-fA-F:.%]+]|[^\\s,:@/?#\\[\\]]+):([0-9]{1,5})");

    @Override
    public void ensureValid(String name, @Nullable Object value) {
      if (!(value instanceof List<?> addresses)) {
        throw new ConfigException(name, value, "must be a list");
      }
      for (Object address : addresses) {
        Matcher parts = ADDRESS.matcher((String) address);
        if (!parts.matches() || !isPort(Integer.parseInt(parts.group(2)))) {
          throw new ConfigException(name, address, "must be host:port");
        }
      }
    }

    private static boolean isPort(int port) {
      return port >= 1 && port <= 65535;
    }

    @Override
    public String toString() {
      return "host:port,host:port,...";
    }
  }
}
