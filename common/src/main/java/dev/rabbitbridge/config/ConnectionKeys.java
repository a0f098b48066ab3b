// SPDX-License-Identifier: Apache-2.0
package dev.rabbitbridge.config;

import static dev.rabbitbridge.config.ConnectionConfig.ADDRESSES_CONFIG;
import static dev.rabbitbridge.config.ConnectionConfig.CHANNEL_MAX_CONFIG;
import static dev.rabbitbridge.config.ConnectionConfig.CONNECTION_NAME_CONFIG;
import static dev.rabbitbridge.config.ConnectionConfig.CONNECTION_TIMEOUT_CONFIG;
import static dev.rabbitbridge.config.ConnectionConfig.FRAME_MAX_CONFIG;
import static dev.rabbitbridge.config.ConnectionConfig.HANDSHAKE_TIMEOUT_CONFIG;
import static dev.rabbitbridge.config.ConnectionConfig.HEARTBEAT_CONFIG;
import static dev.rabbitbridge.config.ConnectionConfig.HOST_CONFIG;
import static dev.rabbitbridge.config.ConnectionConfig.MAX_INBOUND_CONFIG;
import static dev.rabbitbridge.config.ConnectionConfig.PASSWORD_CONFIG;
import static dev.rabbitbridge.config.ConnectionConfig.PORT_CONFIG;
import static dev.rabbitbridge.config.ConnectionConfig.RECONNECT_BACKOFF_CONFIG;
import static dev.rabbitbridge.config.ConnectionConfig.RECONNECT_BACKOFF_MAX_CONFIG;
import static dev.rabbitbridge.config.ConnectionConfig.SHUTDOWN_TIMEOUT_CONFIG;
import static dev.rabbitbridge.config.ConnectionConfig.UNAVAILABLE_TIMEOUT_CONFIG;
import static dev.rabbitbridge.config.ConnectionConfig.URI_CONFIG;
import static dev.rabbitbridge.config.ConnectionConfig.USERNAME_CONFIG;
import static dev.rabbitbridge.config.ConnectionConfig.VIRTUAL_HOST_CONFIG;
import static org.apache.kafka.common.config.ConfigDef.Importance.HIGH;
import static org.apache.kafka.common.config.ConfigDef.Importance.LOW;
import static org.apache.kafka.common.config.ConfigDef.Importance.MEDIUM;
import static org.apache.kafka.common.config.ConfigDef.Range.atLeast;
import static org.apache.kafka.common.config.ConfigDef.Range.between;

import com.rabbitmq.client.AMQP;
import com.rabbitmq.client.ConnectionFactory;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.kafka.common.config.ConfigDef;
import org.apache.kafka.common.config.ConfigDef.Type;
import org.apache.kafka.common.config.ConfigDef.Width;
import org.apache.kafka.common.config.ConfigException;
import org.jspecify.annotations.Nullable;

/** The connection's keys as people meet them: type, default, what is valid, and what it does. */
final class ConnectionKeys {
  private static final String GROUP = "Connection";

  private ConnectionKeys() {}

  static void addTo(ConfigDef def) {
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
