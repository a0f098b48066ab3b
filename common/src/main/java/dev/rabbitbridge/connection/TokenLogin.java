// SPDX-License-Identifier: Apache-2.0
package dev.rabbitbridge.connection;

import com.rabbitmq.client.ConnectionFactory;
import com.rabbitmq.client.impl.DefaultCredentialsRefreshService.DefaultCredentialsRefreshServiceBuilder;
import com.rabbitmq.client.impl.OAuth2ClientCredentialsGrantCredentialsProvider;
import com.rabbitmq.client.impl.OAuthTokenManagementException;
import dev.rabbitbridge.config.ConnectionConfig;
import dev.rabbitbridge.config.LoginConfig;
import dev.rabbitbridge.failure.ErrorClassifier;
import dev.rabbitbridge.failure.Stage;
import java.io.IOException;
import java.net.HttpURLConnection;
import java.net.URI;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import javax.net.ssl.SSLSocketFactory;
import org.apache.kafka.common.config.ConfigException;
import org.apache.kafka.common.config.SslConfigs;
import org.jspecify.annotations.Nullable;

/**
 * Logs in with a token, and hands the broker a new one before it expires, for as long as the
 * connection lives. Fetching and refreshing is the client library's own; this class adds whose
 * fault an error is.
 */
final class TokenLogin implements Login {
  private static final int OK = 200;
  private static final int TIMED_OUT = 408;
  private static final int TOO_MANY = 429;
  private static final int SERVER_ERROR = 500;

  private final Endpoint endpoint;
  private final ScheduledThreadPoolExecutor refresher;

  TokenLogin(ConnectionConfig config, String connectionName) {
    this.endpoint = new Endpoint(config);
    this.refresher =
        new ScheduledThreadPoolExecutor(
            1,
            task -> {
              Thread thread = new Thread(task, connectionName + "-token");
              thread.setDaemon(true);
              return thread;
            });
  }

  @Override
  public void applyTo(ConnectionFactory factory) throws IOException {
    try {
      // Before there is a socket: the client leaves it open when the token cannot be had.
      endpoint.refresh();
    } catch (TokenRefused e) {
      throw new NoToken(e.getMessage());
    } catch (OAuthTokenManagementException e) {
      throw new IOException(e.getMessage());
    }
    factory.setCredentialsProvider(endpoint);
    factory.setCredentialsRefreshService(
        new DefaultCredentialsRefreshServiceBuilder().scheduler(refresher).build());
  }

  @Override
  public void close() {
    refresher.shutdownNow();
  }

  /** The endpoint gives no token with these settings. */
  static final class NoToken extends ConfigException {
    private static final long serialVersionUID = 1;

    private NoToken(String message) {
      super(message);
    }
  }

  /** The token endpoint. Errors name it without what could be secret in its URI. */
  private static final class Endpoint extends OAuth2ClientCredentialsGrantCredentialsProvider {
    private final URI uri;

    Endpoint(ConnectionConfig config) {
      super(
          config.login().tokenEndpoint().toString(),
          config.login().clientId(),
          config.login().clientSecret().value(),
          "client_credentials",
          parameters(config.login().scope()),
          null,
          tls(config.login()),
          connection -> limit(connection, (int) config.handshakeTimeout().toMillis()));
      this.uri = config.login().tokenEndpoint();
    }

    private static Map<String, String> parameters(@Nullable String scope) {
      Map<String, String> parameters = new HashMap<>();
      if (scope != null && !scope.isEmpty()) {
        parameters.put("scope", scope);
      }
      return parameters;
    }

    private static @Nullable SSLSocketFactory tls(LoginConfig login) {
      return "https".equalsIgnoreCase(login.tokenEndpoint().getScheme())
          ? login.tokenEndpointTls().getSocketFactory()
          : null;
    }

    private static void limit(HttpURLConnection connection, int millis) {
      connection.setConnectTimeout(millis);
      connection.setReadTimeout(millis);
    }

    @Override
    protected Token retrieveToken() {
      try {
        return super.retrieveToken();
      } catch (TokenRefused e) {
        throw e;
      } catch (OAuthTokenManagementException e) {
        Throwable cause = e.getCause() == null ? e : e.getCause();
        if (e.getCause() != null && ErrorClassifier.classify(cause, Stage.START).isFatal()) {
          throw refused(
              "cannot be talked to (" + cause + ")",
              LoginConfig.TOKEN_ENDPOINT_CONFIG
                  + " and, if an authority is not known, "
                  + LoginConfig.OAUTH2_TLS_PREFIX
                  + SslConfigs.SSL_TRUSTSTORE_LOCATION_CONFIG);
        }
        throw new OAuthTokenManagementException(where() + " gave no token: " + cause);
      }
    }

    @Override
    protected void checkResponseCode(int code) {
      if (code == TIMED_OUT || code == TOO_MANY || code >= SERVER_ERROR) {
        throw new OAuthTokenManagementException("HTTP status " + code);
      }
      if (code != OK) {
        throw refused(
            "answered with HTTP status " + code,
            String.join(
                ", ",
                LoginConfig.CLIENT_ID_CONFIG,
                LoginConfig.CLIENT_SECRET_CONFIG,
                LoginConfig.SCOPE_CONFIG,
                LoginConfig.TOKEN_ENDPOINT_CONFIG));
      }
    }

    @Override
    protected void checkContentType(@Nullable String contentType) {
      if (contentType == null || !contentType.toLowerCase(Locale.ROOT).contains("json")) {
        throw refused(
            "answered with " + contentType + " instead of JSON", LoginConfig.TOKEN_ENDPOINT_CONFIG);
      }
    }

    @Override
    protected Token parseToken(String response) {
      try {
        return super.parseToken(response);
      } catch (RuntimeException e) {
        // No cause: its message could quote the token.
        throw refused(
            "answered without access_token and expires_in", LoginConfig.TOKEN_ENDPOINT_CONFIG);
      }
    }

    private TokenRefused refused(String what, String settings) {
      return new TokenRefused(where() + " " + what + ". Check " + settings + ".");
    }

    private String where() {
      return "The OAuth 2 token endpoint "
          + uri.getScheme()
          + "://"
          + uri.getRawAuthority()
          + uri.getRawPath();
    }
  }

  /** Trying again cannot help until a person acts. */
  private static final class TokenRefused extends OAuthTokenManagementException {
    private static final long serialVersionUID = 1;

    TokenRefused(String message) {
      super(message);
    }
  }
}
