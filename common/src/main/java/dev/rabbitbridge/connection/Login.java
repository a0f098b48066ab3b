// SPDX-License-Identifier: Apache-2.0
package dev.rabbitbridge.connection;

import com.rabbitmq.client.ConnectionFactory;
import com.rabbitmq.client.DefaultSaslConfig;
import com.rabbitmq.client.SaslConfig;
import dev.rabbitbridge.config.ConnectionConfig;
import dev.rabbitbridge.config.LoginConfig;
import java.io.IOException;
import org.apache.kafka.common.config.ConfigException;

/** Proves to the broker, for one connection, who the connector is. */
interface Login extends AutoCloseable {

  /**
   * Chooses the way that is configured.
   *
   * @param dropConnection called when the login no longer holds
   */
  static Login create(ConnectionConfig config, String connectionName, Runnable dropConnection) {
    return switch (config.login().mechanism()) {
      case PLAIN ->
          factory -> {
            factory.setUsername(config.username());
            factory.setPassword(config.password().value());
          };
      case EXTERNAL -> factory -> factory.setSaslConfig(external());
      case OAUTH2 -> new TokenLogin(config, connectionName, dropConnection);
    };
  }

  /** The client would answer with an IOException like that of a broker that went away. */
  private static SaslConfig external() {
    return offered -> {
      var mechanism = DefaultSaslConfig.EXTERNAL.getSaslMechanism(offered);
      if (mechanism == null) {
        throw new ConfigException(
            LoginConfig.MECHANISM_CONFIG
                + " is EXTERNAL, which this broker does not offer to TLS clients with a certificate: it offers "
                + String.join(", ", offered)
                + "; enable its plugin rabbitmq_auth_mechanism_ssl");
      }
      return mechanism;
    };
  }

  /** Called once, before the connection is made. */
  void applyTo(ConnectionFactory factory) throws IOException;

  /** Called at the connection's end, at least once; returns at once. */
  @Override
  default void close() {}
}
