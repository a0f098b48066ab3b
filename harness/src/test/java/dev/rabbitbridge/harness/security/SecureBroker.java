// SPDX-License-Identifier: Apache-2.0
package dev.rabbitbridge.harness.security;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.rabbitbridge.harness.Harness;
import dev.rabbitbridge.harness.Mode;
import dev.rabbitbridge.harness.Scenario;
import dev.rabbitbridge.harness.node.FreePorts;
import dev.rabbitbridge.harness.rabbitmq.Amqp;
import dev.rabbitbridge.harness.rabbitmq.RabbitMQ;
import dev.rabbitbridge.tls.Certificates;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.WeakHashMap;

/**
 * One more broker of the harness, with two TLS ports: one takes clients without a certificate, one
 * does not. Its certificate is for localhost, the client's for the user {@code bridge}. It also
 * accepts the tokens of {@link TokenEndpoint}. Started by the first test that asks for it.
 */
final class SecureBroker {
  private static final Map<Harness, SecureBroker> STARTED = new WeakHashMap<>();

  private final Certificates certificates;
  private final RabbitMQ rabbitMQ;
  private final int port;
  private final int strictPort;

  private SecureBroker(Harness harness) {
    Path folder = folder(harness, "certificates");
    certificates = new Certificates(folder).sign("server", "localhost").sign("bridge", "bridge");
    port = FreePorts.next();
    strictPort = FreePorts.next();
    Path authority = certificates.file("authority.pem", certificates.authorityPem());
    Path certificate = certificates.file("server.pem", certificates.chainPem("server"));
    Path key = certificates.file("server.key", certificates.keyPem("server"));
    Path tokens = certificates.file("tokens.pem", TokenEndpoint.publicKeyPem());
    rabbitMQ =
        harness.newRabbitMQ(
            "secure",
            """
            listeners.ssl.local = 127.0.0.1:%d
            ssl_options.cacertfile = %s
            ssl_options.certfile = %s
            ssl_options.keyfile = %s
            ssl_options.verify = verify_peer
            ssl_options.fail_if_no_peer_cert = false
            auth_mechanisms.1 = PLAIN
            auth_mechanisms.2 = EXTERNAL
            ssl_cert_login_from = common_name
            auth_backends.1 = internal
            auth_backends.2 = rabbit_auth_backend_oauth2
            auth_oauth2.resource_server_id = rabbitmq
            auth_oauth2.default_key = test
            auth_oauth2.signing_keys.test = %s
            """
                .formatted(port, authority, certificate, key, tokens));
    rabbitMQ.ctl(
        "eval",
        """
        rabbit_networking:start_ssl_listener({"127.0.0.1", %d},
          [{cacertfile, "%s"}, {certfile, "%s"}, {keyfile, "%s"},
           {verify, verify_peer}, {fail_if_no_peer_cert, true}], 2).
        """
            .formatted(strictPort, authority, certificate, key));
    rabbitMQ.management().createUser("bridge", "unused");
    rabbitMQ.management().grant("bridge", ".*", ".*", ".*");
  }

  /** Local servers alone: the certificates are files that worker and broker have to see. */
  static SecureBroker of(Scenario scenario) {
    assumeTrue(Mode.chosen() == Mode.LOCAL, "needs workers that see this machine's files");
    synchronized (STARTED) {
      return STARTED.computeIfAbsent(scenario.harness(), SecureBroker::new);
    }
  }

  private static Path folder(Harness harness, String name) {
    try {
      return Files.createDirectories(harness.folder().resolve(name));
    } catch (IOException e) {
      throw new java.io.UncheckedIOException(e);
    }
  }

  RabbitMQ rabbitMQ() {
    return rabbitMQ;
  }

  Certificates certificates() {
    return certificates;
  }

  int plainPort() {
    return rabbitMQ.amqp().port();
  }

  /** The port for clients with and without certificates. */
  int port() {
    return port;
  }

  /** The port that asks for a certificate. */
  int strictPort() {
    return strictPort;
  }

  /** Settings of a login with TLS, user and password, trusting the authority. */
  Map<String, String> trusting() {
    Map<String, String> settings = new HashMap<>();
    settings.put("rabbitmq.host", "localhost");
    settings.put("rabbitmq.port", Integer.toString(port));
    settings.put("rabbitmq.username", rabbitMQ.username());
    settings.put("rabbitmq.password", rabbitMQ.password());
    settings.put("rabbitmq.security.protocol", "SSL");
    settings.put("rabbitmq.ssl.truststore.location", certificates.trustStore("JKS").toString());
    settings.put("rabbitmq.ssl.truststore.password", Certificates.PASSWORD);
    return settings;
  }

  /** The client's certificate in addition. */
  Map<String, String> mutual() {
    Map<String, String> settings = trusting();
    settings.put("rabbitmq.port", Integer.toString(strictPort));
    settings.put(
        "rabbitmq.ssl.keystore.location", certificates.keyStore("bridge", "PKCS12").toString());
    settings.put("rabbitmq.ssl.keystore.password", Certificates.PASSWORD);
    settings.put("rabbitmq.ssl.keystore.type", "PKCS12");
    return settings;
  }

  /** Messages of a queue, after it has as many. */
  long ready(String queue) {
    try (Amqp amqp = rabbitMQ.connect()) {
      return amqp.ready(queue);
    }
  }
}
