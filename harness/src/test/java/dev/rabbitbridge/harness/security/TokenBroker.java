// SPDX-License-Identifier: Apache-2.0
package dev.rabbitbridge.harness.security;

import dev.rabbitbridge.harness.Harness;
import dev.rabbitbridge.harness.Mode;
import dev.rabbitbridge.harness.Scenario;
import dev.rabbitbridge.harness.node.Endpoint;
import dev.rabbitbridge.harness.rabbitmq.Amqp;
import dev.rabbitbridge.harness.rabbitmq.RabbitMQ;
import java.util.Map;
import java.util.WeakHashMap;

/**
 * A broker that takes the tokens of {@link TokenEndpoint}: the {@link SecureBroker} where it can be
 * had, else one in a container, without TLS.
 */
final class TokenBroker {
  private static final Map<Harness, RabbitMQ> IN_CONTAINERS = new WeakHashMap<>();

  private final RabbitMQ rabbitMQ;
  private final Map<String, String> settings;

  private TokenBroker(RabbitMQ rabbitMQ, Map<String, String> settings) {
    this.rabbitMQ = rabbitMQ;
    this.settings = settings;
  }

  static TokenBroker of(Scenario scenario) {
    if (Mode.chosen() == Mode.LOCAL) {
      SecureBroker secure = SecureBroker.of(scenario);
      Map<String, String> settings = secure.trusting();
      settings
          .keySet()
          .removeIf(key -> key.endsWith("username") || key.equals("rabbitmq.password"));
      return new TokenBroker(secure.rabbitMQ(), settings);
    }
    synchronized (IN_CONTAINERS) {
      RabbitMQ broker = IN_CONTAINERS.computeIfAbsent(scenario.harness(), TokenBroker::inContainer);
      Endpoint address = broker.amqpFromWorker();
      return new TokenBroker(
          broker,
          Map.of(
              "rabbitmq.host", address.host(), "rabbitmq.port", Integer.toString(address.port())));
    }
  }

  private static RabbitMQ inContainer(Harness harness) {
    RabbitMQ broker =
        harness.newRabbitMQ(
            "tokens",
            """
            auth_backends.1 = internal
            auth_backends.2 = rabbit_auth_backend_oauth2
            auth_oauth2.resource_server_id = rabbitmq
            auth_oauth2.default_key = test
            """);
    broker.ctl("add_signing_key", "test", "--pem=" + TokenEndpoint.publicKeyPem());
    return broker;
  }

  RabbitMQ rabbitMQ() {
    return rabbitMQ;
  }

  /** Where it is and whom to trust there, without a login. */
  Map<String, String> settings() {
    return settings;
  }

  long ready(String queue) {
    try (Amqp amqp = rabbitMQ.connect()) {
      return amqp.ready(queue);
    }
  }
}
