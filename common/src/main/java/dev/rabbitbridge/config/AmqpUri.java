// SPDX-License-Identifier: Apache-2.0
package dev.rabbitbridge.config;

import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The parts of {@code amqp://user:password@host:port/vhost}.
 *
 * <p>Read here and not by the client, which decodes a virtual host twice, decodes bytes outside
 * ASCII wrongly, and connects to localhost when it does not understand the host.
 *
 * @see <a href="https://www.rabbitmq.com/docs/uri-spec">RabbitMQ URI Specification</a>
 */
record AmqpUri(
    boolean tls,
    String host,
    int port,
    @Nullable String username,
    @Nullable String password,
    @Nullable String virtualHost) {
  private static final Pattern FORM =
      Pattern.compile(
          "(?<scheme>amqps?)://((?<user>[^:@/?#]*)(:(?<password>[^@/?#]*))?@)?"
              + "(?<host>\\[[0-9a-fA-F:.%]+]|[^\\s,:@/?#\\[\\]]+)(:(?<port>[0-9]{1,5}))?"
              + "(/(?<vhost>[^/?#]*))?(?<query>\\?.*)?",
          Pattern.CASE_INSENSITIVE);
  private static final String WANTED =
      "must be amqp://user:password@host:port/vhost or amqps://..., with special characters"
          + " percent-encoded";

  /** Throws what is wrong, never quoting the text: it holds a password. */
  static AmqpUri parse(String text) {
    Matcher uri = FORM.matcher(text.trim());
    if (!uri.matches()) {
      throw new InvalidSetting(ConnectionConfig.URI_CONFIG, WANTED);
    }
    if (uri.group("query") != null) {
      throw new InvalidSetting(
          ConnectionConfig.URI_CONFIG, "takes no parameters after ?; use the other settings");
    }
    boolean tls = "amqps".equalsIgnoreCase(uri.group("scheme"));
    int port =
        uri.group("port") == null ? TlsConfig.amqpPort(tls) : Integer.parseInt(uri.group("port"));
    if (port < 1 || port > 65535) {
      throw new InvalidSetting(ConnectionConfig.URI_CONFIG, "has a port that is not 1 to 65535");
    }
    return new AmqpUri(
        tls,
        uri.group("host"),
        port,
        decoded(uri.group("user")),
        decoded(uri.group("password")),
        decoded(uri.group("vhost")));
  }

  private static @Nullable String decoded(@Nullable String part) {
    if (part == null) {
      return null;
    }
    try {
      // A plus sign is a plus sign here, not the space of an HTML form.
      return URLDecoder.decode(part.replace("+", "%2B"), StandardCharsets.UTF_8);
    } catch (IllegalArgumentException e) {
      throw new InvalidSetting(ConnectionConfig.URI_CONFIG, WANTED);
    }
  }

  /** Leaves out what must not be shown. */
  @Override
  public String toString() {
    return (tls ? "amqps://" : "amqp://") + host + ":" + port;
  }
}
