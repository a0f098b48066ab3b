// SPDX-License-Identifier: Apache-2.0
package dev.rabbitbridge.config;

import static org.apache.kafka.common.config.ConfigDef.Importance.MEDIUM;

import java.net.URI;
import java.net.URISyntaxException;
import java.util.List;
import java.util.Map;
import javax.net.ssl.SSLContext;
import org.apache.kafka.common.config.AbstractConfig;
import org.apache.kafka.common.config.ConfigDef;
import org.apache.kafka.common.config.ConfigDef.Type;
import org.apache.kafka.common.config.ConfigDef.Width;
import org.apache.kafka.common.config.ConfigException;
import org.apache.kafka.common.config.ConfigValue;
import org.apache.kafka.common.config.types.Password;
import org.jspecify.annotations.Nullable;

/**
 * How the connector proves to RabbitMQ who it is.
 *
 * <p>Immutable; safe for use by any thread.
 */
public final class LoginConfig {
  /** How to log in. */
  public static final String MECHANISM_CONFIG = "rabbitmq.sasl.mechanism";

  /** Where tokens come from. */
  public static final String TOKEN_ENDPOINT_CONFIG = "rabbitmq.oauth2.token.endpoint.uri";

  /** User of the token endpoint. */
  public static final String CLIENT_ID_CONFIG = "rabbitmq.oauth2.client.id";

  /** Secret of that user. */
  public static final String CLIENT_SECRET_CONFIG = "rabbitmq.oauth2.client.secret";

  /** What the token should allow. */
  public static final String SCOPE_CONFIG = "rabbitmq.oauth2.scope";

  /** Prefix of the settings that say which token endpoint to trust. */
  public static final String OAUTH2_TLS_PREFIX = "rabbitmq.oauth2.";

  private static final String GROUP = "Login";
  private static final List<String> NEEDED_FOR_OAUTH2 =
      List.of(TOKEN_ENDPOINT_CONFIG, CLIENT_ID_CONFIG, CLIENT_SECRET_CONFIG);

  private static final int LARGEST_PORT = 65535;

  private static final Choice<Mechanism> MECHANISMS = Choice.ofCapitals(Mechanism.class);

  private final AbstractConfig config;

  LoginConfig(AbstractConfig config) {
    this.config = config;
  }

  static ConfigDef addTo(ConfigDef def) {
    Suggestions withOAuth2 = new Suggestions(List.of(), LoginConfig::isOAuth2);
    int order = 0;
    def.define(
            MECHANISM_CONFIG,
            Type.STRING,
            Mechanism.PLAIN.name(),
            MECHANISMS,
            MEDIUM,
            "PLAIN logs in with user name and password, EXTERNAL with the client certificate of the TLS connection, OAUTH2 with a token that is fetched from a token endpoint and refreshed before it expires.",
            GROUP,
            ++order,
            Width.SHORT,
            "Mechanism",
            MECHANISMS)
        .define(
            TOKEN_ENDPOINT_CONFIG,
            Type.STRING,
            null,
            MEDIUM,
            "Where tokens are fetched from with the OAuth 2 client credentials grant: an https URI, http only for tests.",
            GROUP,
            ++order,
            Width.LONG,
            "OAuth 2 token endpoint",
            withOAuth2)
        .define(
            CLIENT_ID_CONFIG,
            Type.STRING,
            null,
            MEDIUM,
            "Client that the token endpoint knows the connector as.",
            GROUP,
            ++order,
            Width.MEDIUM,
            "OAuth 2 client",
            withOAuth2)
        .define(
            CLIENT_SECRET_CONFIG,
            Type.PASSWORD,
            null,
            MEDIUM,
            "Secret of that client.",
            GROUP,
            ++order,
            Width.MEDIUM,
            "OAuth 2 client secret",
            withOAuth2)
        .define(
            SCOPE_CONFIG,
            Type.STRING,
            null,
            MEDIUM,
            "Scopes asked of the token endpoint, separated by spaces. Empty leaves it to the endpoint.",
            GROUP,
            ++order,
            Width.LONG,
            "OAuth 2 scopes",
            withOAuth2);
    TlsConfig.addTrustTo(def, OAUTH2_TLS_PREFIX, GROUP, ++order, LoginConfig::isOAuth2);
    return def;
  }

  private static boolean isOAuth2(Map<String, ?> parsed) {
    return is(Mechanism.OAUTH2, parsed.get(MECHANISM_CONFIG));
  }

  private static boolean is(Mechanism mechanism, @Nullable Object written) {
    return mechanism.name().equalsIgnoreCase(String.valueOf(written));
  }

  static void checkRules(Map<String, ConfigValue> values) {
    ConfigValue mechanism = values.get(MECHANISM_CONFIG);
    if (is(Mechanism.OAUTH2, mechanism.value())) {
      for (String needed : NEEDED_FOR_OAUTH2) {
        if (isEmpty(values.get(needed).value())) {
          values.get(needed).addErrorMessage("is needed for " + MECHANISM_CONFIG + "=OAUTH2");
        }
      }
      ConfigValue endpoint = values.get(TOKEN_ENDPOINT_CONFIG);
      if (!isEmpty(endpoint.value()) && !isHttp(endpoint.value().toString())) {
        endpoint.addErrorMessage("must be https://host/path, without user or password");
      }
      TlsConfig.checkRules(OAUTH2_TLS_PREFIX, values);
    } else if (NEEDED_FOR_OAUTH2.stream().anyMatch(key -> !isEmpty(values.get(key).value()))) {
      mechanism.addErrorMessage("must be OAUTH2, because rabbitmq.oauth2 settings are there");
    }
    if (is(Mechanism.EXTERNAL, mechanism.value())) {
      Map<String, Object> parsed = ConnectionConfig.parsed(values);
      if (!TlsConfig.isOn(parsed)) {
        mechanism.addErrorMessage(
            "EXTERNAL needs "
                + TlsConfig.SECURITY_PROTOCOL_CONFIG
                + "=SSL: it logs in by certificate");
      } else if (!TlsConfig.of(parsed, TlsConfig.PREFIX).hasClientCertificate()) {
        mechanism.addErrorMessage(
            "EXTERNAL needs a client certificate: rabbitmq.ssl.keystore.location or rabbitmq.ssl.keystore.key");
      }
    }
  }

  private static boolean isEmpty(@Nullable Object value) {
    return value == null
        || (value instanceof Password password ? password.value() : value.toString()).isEmpty();
  }

  private static boolean isHttp(String text) {
    try {
      URI uri = new URI(text);
      return ("https".equalsIgnoreCase(uri.getScheme()) || "http".equalsIgnoreCase(uri.getScheme()))
          && uri.getHost() != null
          && uri.getPort() <= LARGEST_PORT
          && uri.getRawUserInfo() == null;
    } catch (URISyntaxException e) {
      return false;
    }
  }

  /**
   * Returns how to log in.
   *
   * @return never null
   */
  public Mechanism mechanism() {
    return MECHANISMS.parse(config.getString(MECHANISM_CONFIG));
  }

  /**
   * Returns the token endpoint.
   *
   * @return an http or https URI; only with {@link Mechanism#OAUTH2}
   */
  public URI tokenEndpoint() {
    return URI.create(config.getString(TOKEN_ENDPOINT_CONFIG));
  }

  /**
   * Returns the client that the token endpoint knows.
   *
   * @return never null with {@link Mechanism#OAUTH2}
   */
  public String clientId() {
    return config.getString(CLIENT_ID_CONFIG);
  }

  /**
   * Returns the secret of that client.
   *
   * @return never null with {@link Mechanism#OAUTH2}; its text is only for the token endpoint
   */
  public Password clientSecret() {
    return config.getPassword(CLIENT_SECRET_CONFIG);
  }

  /**
   * Returns the scopes to ask for.
   *
   * @return null for the endpoint's choice
   */
  public @Nullable String scope() {
    return config.getString(SCOPE_CONFIG);
  }

  /**
   * Makes the context for the connection to the token endpoint.
   *
   * @return a new context; without a trust store it has the JVM's own trust
   * @throws ConfigException naming the setting that is wrong
   */
  public SSLContext tokenEndpointTls() {
    return TlsConfig.of(config.values(), OAUTH2_TLS_PREFIX).context();
  }

  /** Ways to log in. */
  public enum Mechanism {
    /** User name and password. */
    PLAIN,
    /** The client certificate of the TLS connection. */
    EXTERNAL,
    /** A token that expires and is refreshed. */
    OAUTH2
  }
}
