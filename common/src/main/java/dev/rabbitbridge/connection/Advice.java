// SPDX-License-Identifier: Apache-2.0
package dev.rabbitbridge.connection;

import com.rabbitmq.client.AMQP;
import com.rabbitmq.client.AuthenticationFailureException;
import com.rabbitmq.client.PossibleAuthenticationFailureException;
import com.rabbitmq.client.ShutdownSignalException;
import dev.rabbitbridge.config.ConnectionConfig;
import dev.rabbitbridge.config.LoginConfig;
import dev.rabbitbridge.config.TlsConfig;
import dev.rabbitbridge.failure.Failure;
import dev.rabbitbridge.failure.Fault;
import dev.rabbitbridge.failure.Stage;
import java.io.EOFException;
import java.net.ConnectException;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.net.UnknownHostException;
import java.security.GeneralSecurityException;
import java.security.InvalidAlgorithmParameterException;
import java.security.cert.CertPathBuilderException;
import java.security.cert.CertPathValidatorException;
import java.security.cert.CertificateException;
import java.security.cert.CertificateExpiredException;
import java.util.concurrent.TimeoutException;
import javax.net.ssl.SSLException;
import javax.net.ssl.SSLHandshakeException;
import org.apache.kafka.common.config.ConfigException;
import org.jspecify.annotations.Nullable;

/**
 * Says to a person what RabbitMQ refused and which setting to look at.
 *
 * @param fault what is wrong
 * @param sentence one sentence or two about it
 */
record Advice(Fault fault, String sentence) {

  /** For a failure that waiting does not mend. */
  static Advice of(Failure failure, ConnectionConfig config) {
    ConfigException setting = find(failure.cause(), ConfigException.class);
    if (setting != null) {
      boolean token = setting instanceof TokenLogin.NoToken;
      return new Advice(token ? Fault.TOKEN_ENDPOINT : Fault.SETTING, setting.getMessage());
    }
    Advice advice = advice(failure, config);
    return new Advice(
        advice.fault,
        "RabbitMQ at "
            + config.addresses()
            + " refused the connection: "
            + withoutFullStop(failure.toString())
            + ". "
            + advice.sentence);
  }

  /** RabbitMQ ends some of its reasons with a full stop and some not. */
  private static String withoutFullStop(String reason) {
    return reason.endsWith(".") ? reason.substring(0, reason.length() - 1) : reason;
  }

  /** The failure, and what to look at if it does not go away by itself. */
  static String withHint(Failure failure, ConnectionConfig config, Stage stage) {
    Throwable cause = failure.cause();
    if (cause instanceof UnknownHostException) {
      return failure + "; if it stays so, check " + where(config, ConnectionConfig.HOST_CONFIG);
    }
    if (stage == Stage.START && isOfHandshake(cause)) {
      return failure
          + "; if it stays so, check that "
          + where(config, ConnectionConfig.PORT_CONFIG)
          + " is that of AMQP, and "
          + TlsConfig.SECURITY_PROTOCOL_CONFIG
          + (config.isTls()
              ? ", and rabbitmq.ssl.keystore.location if a client certificate is asked for"
              : "");
    }
    return failure.toString();
  }

  /** What a peer does that is not what the settings say, and a broker that is going down too. */
  private static boolean isOfHandshake(@Nullable Throwable cause) {
    return cause instanceof TimeoutException
        || cause instanceof SocketTimeoutException
        || cause instanceof PossibleAuthenticationFailureException
        || cause instanceof EOFException
        || cause instanceof SSLException
        || (cause instanceof SocketException && !(cause instanceof ConnectException));
  }

  private static String where(ConnectionConfig config, String setting) {
    return config.isUri() ? ConnectionConfig.URI_CONFIG : setting;
  }

  private static Advice advice(Failure failure, ConnectionConfig config) {
    Throwable cause = failure.cause();
    if (cause instanceof AuthenticationFailureException) {
      return onLogin(config);
    }
    if (cause instanceof ShutdownSignalException signal
        && signal.getReason() instanceof AMQP.Channel.Close) {
      return new Advice(Fault.CHANNEL, onChannel(failure.replyCode()));
    }
    if (failure.replyCode() == AMQP.NOT_ALLOWED || failure.replyCode() == AMQP.ACCESS_REFUSED) {
      return new Advice(
          Fault.VIRTUAL_HOST,
          "Check "
              + where(config, ConnectionConfig.VIRTUAL_HOST_CONFIG)
              + " and the user's permissions on that virtual host.");
    }
    SSLException tls = find(cause, SSLException.class);
    return tls == null
        ? new Advice(
            Fault.PROTOCOL,
            "Check that "
                + where(config, ConnectionConfig.PORT_CONFIG)
                + " is that of AMQP 0-9-1, and "
                + TlsConfig.SECURITY_PROTOCOL_CONFIG
                + " (a TLS port needs SSL).")
        : onTls(tls, config);
  }

  private static Advice onLogin(ConnectionConfig config) {
    return switch (config.login().mechanism()) {
      case PLAIN ->
          new Advice(
              Fault.PASSWORD,
              "Check "
                  + where(
                      config,
                      ConnectionConfig.USERNAME_CONFIG + " and " + ConnectionConfig.PASSWORD_CONFIG)
                  + ".");
      case EXTERNAL ->
          new Advice(
              Fault.CERTIFICATE_LOGIN,
              "Check that RabbitMQ has a user with the name in the certificate of"
                  + " rabbitmq.ssl.keystore.location, or "
                  + LoginConfig.MECHANISM_CONFIG
                  + ".");
      case OAUTH2 ->
          new Advice(
              Fault.TOKEN,
              "Check that RabbitMQ accepts the tokens of "
                  + LoginConfig.TOKEN_ENDPOINT_CONFIG
                  + ": issuer, audience and "
                  + LoginConfig.SCOPE_CONFIG
                  + ".");
    };
  }

  private static String onChannel(int replyCode) {
    return switch (replyCode) {
      case AMQP.ACCESS_REFUSED ->
          "Give the user of " + ConnectionConfig.USERNAME_CONFIG + " that permission.";
      case AMQP.NOT_FOUND -> "Create it, or set rabbitmq.topology=declare.";
      case AMQP.PRECONDITION_FAILED ->
          "Check rabbitmq.topology and what is declared in RabbitMQ already.";
      default -> "Check what the connector is to use in RabbitMQ.";
    };
  }

  private static Advice onTls(SSLException error, ConnectionConfig config) {
    if (find(error, CertificateExpiredException.class) != null) {
      return new Advice(
          Fault.TLS_EXPIRED,
          "The certificate of RabbitMQ, or of one who signed it, is out of date.");
    }
    if (find(error, CertPathBuilderException.class) != null
        || find(error, CertPathValidatorException.class) != null
        || find(error, InvalidAlgorithmParameterException.class) != null) {
      return new Advice(
          Fault.TLS_AUTHORITY,
          "Check that the authority that signed RabbitMQ's certificate is in"
              + " rabbitmq.ssl.truststore.location.");
    }
    if (find(error, CertificateException.class) != null) {
      return new Advice(
          Fault.TLS_HOST,
          "Check that "
              + where(config, ConnectionConfig.HOST_CONFIG)
              + " is a name in RabbitMQ's certificate"
              + " (rabbitmq.ssl.endpoint.identification.algorithm is what asks for that).");
    }
    if (error instanceof SSLHandshakeException
        || find(error, GeneralSecurityException.class) != null) {
      return new Advice(
          Fault.TLS_HANDSHAKE,
          "Check rabbitmq.ssl.keystore.location, if RabbitMQ asks for a client certificate, and"
              + " rabbitmq.ssl.enabled.protocols.");
    }
    return new Advice(
        Fault.PROTOCOL,
        "Check that "
            + where(config, ConnectionConfig.PORT_CONFIG)
            + " is that of AMQP with TLS, and "
            + TlsConfig.SECURITY_PROTOCOL_CONFIG
            + ".");
  }

  private static <T extends Throwable> @Nullable T find(@Nullable Throwable error, Class<T> type) {
    for (Throwable t = error; t != null; t = t.getCause()) {
      if (type.isInstance(t)) {
        return type.cast(t);
      }
    }
    return null;
  }
}
