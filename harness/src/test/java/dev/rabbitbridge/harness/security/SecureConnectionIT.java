// SPDX-License-Identifier: Apache-2.0
package dev.rabbitbridge.harness.security;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import dev.rabbitbridge.harness.Scenario;
import dev.rabbitbridge.harness.connect.Worker;
import dev.rabbitbridge.harness.connect.WorkerSettings;
import dev.rabbitbridge.harness.node.FreePorts;
import dev.rabbitbridge.harness.rabbitmq.Management;
import dev.rabbitbridge.harness.rabbitmq.QueueKind;
import dev.rabbitbridge.tls.Certificates;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

class SecureConnectionIT {
  @RegisterExtension final Scenario scenario = new Scenario();

  private SecureBroker broker;
  private String queue;

  @BeforeEach
  void prepare() {
    broker = SecureBroker.of(scenario);
    queue = scenario.name("queue");
    broker.rabbitMQ().management().declareQueue(queue, QueueKind.CLASSIC, Map.of());
  }

  @Test
  void everyWayToTrustAndToProveOneselfWorks() { // F85
    List<Map<String, String>> ways = ways();

    ways.forEach(way -> Tasks.publishOne(sink(way)));

    assertThat(broker.ready(queue)).isEqualTo(ways.size());
  }

  private List<Map<String, String>> ways() {
    Certificates certificates = broker.certificates();
    String authority = certificates.file("trusted.pem", certificates.authorityPem()).toString();
    Path both =
        certificates.file(
            "bridge.pem", certificates.keyPem("bridge") + certificates.chainPem("bridge"));
    List<Map<String, String>> ways = new ArrayList<>();
    ways.add(broker.trusting());
    ways.add(broker.mutual());
    for (String version : List.of("TLSv1.2", "TLSv1.3")) {
      ways.add(with(broker.trusting(), Map.of("rabbitmq.ssl.enabled.protocols", version)));
    }
    Map<String, String> files = withoutStores(broker.mutual());
    files.put("rabbitmq.ssl.truststore.type", "PEM");
    files.put("rabbitmq.ssl.truststore.location", authority);
    files.put("rabbitmq.ssl.keystore.type", "PEM");
    files.put("rabbitmq.ssl.keystore.location", both.toString());
    ways.add(files);
    Map<String, String> inline = withoutStores(broker.mutual());
    inline.put("rabbitmq.https.ssl.truststore.type", "PEM");
    inline.put("rabbitmq.https.ssl.truststore.certificates", certificates.authorityPem());
    inline.put("rabbitmq.https.ssl.keystore.type", "PEM");
    inline.put("rabbitmq.https.ssl.keystore.key", certificates.keyPem("bridge"));
    inline.put("rabbitmq.https.ssl.keystore.certificate.chain", certificates.chainPem("bridge"));
    ways.add(inline);
    Map<String, String> external =
        with(broker.mutual(), Map.of("rabbitmq.sasl.mechanism", "EXTERNAL"));
    external.remove("rabbitmq.username");
    external.remove("rabbitmq.password");
    ways.add(external);
    Map<String, String> uri = broker.trusting();
    uri.keySet()
        .removeAll(
            List.of(
                "rabbitmq.host",
                "rabbitmq.port",
                "rabbitmq.username",
                "rabbitmq.password",
                "rabbitmq.security.protocol"));
    uri.put("rabbitmq.uri", "amqps://guest:guest@localhost:" + broker.port() + "/%2f");
    ways.add(uri);
    ways.add(
        with(
            broker.trusting(),
            Map.of(
                "rabbitmq.host", "127.0.0.1",
                "rabbitmq.ssl.endpoint.identification.algorithm", "")));
    return ways;
  }

  @Test
  void aWorkerThatTrustsTheAuthorityNeedsNoSetting() { // F85
    Path store = broker.certificates().trustStore("JKS");
    Worker worker =
        scenario.newWorker(
            WorkerSettings.of(scenario.name("trusting"))
                .withJvmOption("-Djavax.net.ssl.trustStore=" + store));
    String topic = scenario.topic(1);
    Map<String, String> jvmTrust = broker.trusting();
    jvmTrust.remove("rabbitmq.ssl.truststore.location");
    jvmTrust.remove("rabbitmq.ssl.truststore.password");
    scenario.kafka().client().produce(topic, List.of("one"));
    worker.rest().put("sink", with(scenario.sink(topic, queue), jvmTrust));

    await().until(() -> broker.ready(queue) == 1);
  }

  @Test
  void rabbitMqShowsWhoIsConnectedWhateverThePasswordAndVirtualHost() {
    String odd = "p:@/?#%20+&é\"\\ 🐇";
    Management vhost = broker.rabbitMQ().management().in("v/%2f é");
    vhost.createVhost();
    scenario.atEnd(vhost::deleteVhost);
    vhost.createUser("us:er", odd);
    vhost.grant("us:er", ".*", ".*", ".*");
    vhost.declareQueue(queue, QueueKind.CLASSIC, Map.of());
    Map<String, String> settings = broker.trusting();
    settings.put("rabbitmq.virtual.host", "v/%2f é");
    settings.put("rabbitmq.username", "us:er");
    settings.put("rabbitmq.password", odd);
    String connector = scenario.running(with(scenario.source(queue, scenario.topic(1)), settings));

    await().until(() -> vhost.connections().size() == 1);
    JsonNode properties = vhost.connections().get(0).path("client_properties");
    assertThat(properties.path("connection_name").asText()).isEqualTo(connector + "-0");
    assertThat(properties.path("product").asText()).isEqualTo("rabbitbridge");
    assertThat(properties.path("version").asText()).isNotEmpty();
    assertThat(properties.path("connector").asText()).isEqualTo(connector);
    assertThat(properties.path("task").asText()).isEqualTo("0");
  }

  @Test
  void anyCharactersInAUriAndAnyAddressLeadToTheBroker() {
    String odd = "p/%:@?#&+ü é🐇";
    String name = "v/%:@ ü " + scenario.name("vhost");
    Management vhost = broker.rabbitMQ().management().in(name);
    vhost.createVhost();
    scenario.atEnd(vhost::deleteVhost);
    String user = scenario.name("us:er@ü");
    vhost.createUser(user, odd);
    vhost.grant(user, ".*", ".*", ".*");
    vhost.declareQueue(queue, QueueKind.CLASSIC, Map.of());
    Map<String, String> uri = trust();
    uri.put(
        "rabbitmq.uri",
        "amqps://%s:%s@localhost:%d/%s"
            .formatted(encoded(user), encoded(odd), broker.port(), encoded(name)));
    Map<String, String> addresses = trust();
    addresses.put("rabbitmq.security.protocol", "SSL");
    addresses.put(
        "rabbitmq.addresses",
        "localhost:%d,localhost:%d".formatted(FreePorts.next(), broker.port()));
    addresses.put("rabbitmq.username", user);
    addresses.put("rabbitmq.password", odd);
    addresses.put("rabbitmq.virtual.host", name);
    String in = scenario.topic(1);
    String out = scenario.topic(1);
    scenario.running(with(withoutBroker(scenario.sink(in, queue)), addresses));
    scenario.running(with(withoutBroker(scenario.source(queue, out)), uri));

    scenario.kafka().client().produce(in, List.of("one"));
    await().until(() -> scenario.kafka().client().values(out).equals(List.of("one")));
    broker.rabbitMQ().closeConnections();
    scenario.kafka().client().produce(in, List.of("two"));
    await().until(() -> scenario.kafka().client().values(out).contains("two"));
  }

  private Map<String, String> trust() {
    Map<String, String> trust = broker.trusting();
    trust.keySet().removeIf(key -> !key.startsWith("rabbitmq.ssl."));
    return trust;
  }

  private static String encoded(String text) {
    return URLEncoder.encode(text, StandardCharsets.UTF_8).replace("+", "%20");
  }

  private static Map<String, String> withoutBroker(Map<String, String> settings) {
    settings.keySet().removeIf(SecureConnectionIT::isAddress);
    return settings;
  }

  private Map<String, String> sink(Map<String, String> settings) {
    return with(scenario.sink("topic", queue), settings);
  }

  private static Map<String, String> withoutStores(Map<String, String> settings) {
    settings.keySet().removeIf(key -> key.contains("store."));
    return settings;
  }

  private static Map<String, String> with(Map<String, String> some, Map<String, String> more) {
    Map<String, String> all = new HashMap<>(some);
    // What the scenario says of its own broker does not hold here.
    all.keySet().removeIf(key -> more.containsKey("rabbitmq.uri") && isAddress(key));
    all.putAll(more);
    return all;
  }

  private static boolean isAddress(String key) {
    return List.of("rabbitmq.host", "rabbitmq.port", "rabbitmq.username", "rabbitmq.password")
        .contains(key);
  }
}
