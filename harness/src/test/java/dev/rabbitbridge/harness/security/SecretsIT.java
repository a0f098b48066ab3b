// SPDX-License-Identifier: Apache-2.0
package dev.rabbitbridge.harness.security;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.rabbitbridge.harness.Scenario;
import dev.rabbitbridge.harness.connect.ConnectRest;
import dev.rabbitbridge.harness.connect.RestException;
import dev.rabbitbridge.harness.connect.Worker;
import dev.rabbitbridge.harness.connect.WorkerSettings;
import dev.rabbitbridge.harness.node.FreePorts;
import dev.rabbitbridge.harness.rabbitmq.QueueKind;
import dev.rabbitbridge.tls.Certificates;
import java.io.IOException;
import java.io.Writer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Base64;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import org.awaitility.core.ConditionFactory;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Secrets, looked for wherever a worker at TRACE and RabbitMQ show something. */
class SecretsIT {
  private static final String LOGIN = "l0gin-marker";
  private static final String WRONG = "wr0ng-marker";
  private static final String TRUST = "rabbitmq.ssl.truststore.";
  private static final String KEY = "rabbitmq.ssl.keystore.";

  @RegisterExtension final Scenario scenario = new Scenario();

  private final Map<String, String> shown = new LinkedHashMap<>();
  private SecureBroker broker;
  private TokenEndpoint tokens;
  private Worker worker;
  private ConnectRest rest;
  private Path file;
  private String user;
  private String in;
  private String out;
  private String queue;

  @BeforeEach
  void prepare() throws IOException {
    broker = SecureBroker.of(scenario);
    tokens = scenario.atEnd(new TokenEndpoint());
    tokens.lifeSeconds(5);
    user = scenario.name("user");
    broker.rabbitMQ().management().createUser(user, LOGIN);
    broker.rabbitMQ().management().grant(user, ".*", ".*", ".*");
    in = scenario.topic(1);
    out = scenario.topic(1);
    queue = scenario.name("queue");
    broker.rabbitMQ().management().declareQueue(queue, QueueKind.CLASSIC, Map.of());
    file = secrets();
    worker =
        scenario.newWorker(
            WorkerSettings.of(scenario.name("secrets"))
                .with("config.providers", "file")
                .with(
                    "config.providers.file.class",
                    "org.apache.kafka.common.config.provider.FileConfigProvider"));
    rest = worker.rest();
    rest.logLevel("root", "TRACE");
    // What they are sent and send, byte by byte: there secrets are for who sends them.
    rest.logLevel("org.eclipse.jetty", "INFO");
    for (String ours : List.of("dev.rabbitbridge", "com.rabbitmq", "org.apache.kafka.common")) {
      rest.logLevel(ours, "TRACE");
    }
    rest.logLevel("org.apache.kafka.common.config.AbstractConfig", "TRACE");
  }

  private Path secrets() throws IOException {
    Certificates certificates = broker.certificates();
    Properties secrets = new Properties();
    secrets.setProperty("login", LOGIN);
    secrets.setProperty("wrong", WRONG);
    secrets.setProperty("store", Certificates.PASSWORD);
    secrets.setProperty("client", TokenEndpoint.SECRET);
    secrets.setProperty("key", certificates.keyPem("bridge"));
    secrets.setProperty("chain", certificates.chainPem("bridge"));
    secrets.setProperty("uri", "amqps://" + user + ":" + LOGIN + "@localhost:" + broker.port());
    Path properties = scenario.harness().folder().resolve(scenario.name("secrets"));
    try (Writer writer = Files.newBufferedWriter(properties)) {
      secrets.store(writer, null);
    }
    return properties;
  }

  private String reference(String secret) {
    return "${file:" + file + ":" + secret + "}";
  }

  @Test
  void noSecretIsShownAnywhere() { // F82
    put("byPassword", sink(stores(login("login"))));
    put("byToken", source(token("client")));
    put("byUri", sink(uri()));
    put("wrongPassword", source(stores(login("wrong"))));
    put("wrongToken", sink(token("wrong")));
    Map<String, String> away = stores(login("login"));
    away.put("rabbitmq.port", Integer.toString(FreePorts.next()));
    put("away", source(away));
    Map<String, String> wrongStore = sink(stores(login("login")));
    wrongStore.put(KEY + "password", reference("wrong"));
    shown.put("validate", rest.validate(wrongStore).answer().toString());
    assertThat(shown.get("validate")).contains("is not the password of");
    assertThatThrownBy(() -> rest.put("wrongStore", wrongStore))
        .isInstanceOf(RestException.class)
        .satisfies(e -> shown.put("refused", e.getMessage()));

    scenario.kafka().client().produce(in, List.of("one"));
    // Both sinks write it to the one queue.
    soon().until(() -> scenario.kafka().client().values(out).size() == 2);
    rest.restart("byPassword");
    rest.awaitFailed("wrongPassword");
    rest.restart("wrongPassword");
    rest.awaitFailed("wrongPassword");
    rest.awaitFailed("wrongToken");
    soon().until(() -> !worker.logLines("WARN.*away.*no connection to RabbitMQ").isEmpty());
    int first = tokens.issued().size();
    soon().until(() -> tokens.issued().size() > first + 1);
    rest.awaitRunning("byPassword", 1);
    soon().until(() -> broker.rabbitMQ().management().connections().size() == 3);

    look();
    assertThat(shown.get("log")).contains(" TRACE ").contains("[hidden]");
    assertThat(shown.get("/connectors/byPassword/config")).contains("${file:");
    shown.forEach((where, text) -> secretsOf().forEach(secret -> isNotIn(secret, where, text)));
  }

  @Test
  void whatIsWrittenIntoTheConfigurationIsShownNowhereElse() { // F82
    Map<String, String> inline = stores(login("login"));
    inline.replaceAll((key, value) -> value.startsWith("${") ? inline(value) : value);
    put("inline", source(inline));
    Map<String, String> wrong = new HashMap<>(inline);
    wrong.put("rabbitmq.password", WRONG);
    put("wrong", sink(wrong));
    shown.put("validate", rest.validate(sink(wrong)).answer().toString());
    rest.awaitRunning("inline", 1);
    rest.awaitFailed("wrong");
    soon().until(() -> broker.rabbitMQ().management().connections().size() == 1);

    look();
    // Connect gives back what it was given.
    shown.keySet().removeIf(path -> path.startsWith("/connectors/") && !path.endsWith("/status"));
    shown.forEach((where, text) -> secretsOf().forEach(secret -> isNotIn(secret, where, text)));
  }

  private String inline(String reference) {
    return reference.endsWith(":login}") ? LOGIN : Certificates.PASSWORD;
  }

  /** A worker at TRACE is slow. */
  private static ConditionFactory soon() {
    return await().atMost(Duration.ofSeconds(60));
  }

  private void put(String connector, Map<String, String> config) {
    rest.put(connector, config);
    scenario.atEnd(() -> rest.delete(connector));
  }

  /** Collects all that can be seen from outside. */
  private void look() {
    for (String connector : rest.connectors()) {
      for (String path : List.of("", "/config", "/status", "/tasks", "/topics")) {
        String whole = "/connectors/" + connector + path;
        shown.put(whole, rest.get(whole).toString());
      }
    }
    shown.put("/connectors", rest.get("/connectors?expand=status&expand=info").toString());
    if (!shown.get("/connectors").contains("${file:")) {
      shown.remove("/connectors");
    }
    shown.put("MBeans", worker.jmx().everything());
    shown.put("connections", broker.rabbitMQ().management().connections().toString());
    shown.put("channels", broker.rabbitMQ().management().channels().toString());
    shown.put("log", worker.log());
    assertThat(shown.get("MBeans")).contains("type=plugins").contains("kafka.connect");
    assertThat(shown.get("connections")).contains("client_properties");
  }

  private List<String> secretsOf() {
    List<String> secrets =
        new ArrayList<>(List.of(LOGIN, WRONG, Certificates.PASSWORD, TokenEndpoint.SECRET));
    String basic = TokenEndpoint.CLIENT + ":" + TokenEndpoint.SECRET;
    secrets.add(Base64.getEncoder().encodeToString(basic.getBytes(UTF_8)));
    // The second line: the first is the same for all keys.
    secrets.add(broker.certificates().keyPem("bridge").lines().skip(2).findFirst().orElseThrow());
    tokens.issued().forEach(token -> secrets.add(token.substring(token.lastIndexOf('.') + 1)));
    return secrets;
  }

  private static void isNotIn(String secret, String where, String text) {
    assertThat(text.lines().filter(line -> line.contains(secret)).limit(3))
        .as("%s in %s", secret, where)
        .isEmpty();
  }

  private Map<String, String> login(String password) {
    Map<String, String> settings = broker.mutual();
    settings.put("rabbitmq.username", user);
    settings.put("rabbitmq.password", reference(password));
    return settings;
  }

  private Map<String, String> stores(Map<String, String> settings) {
    settings.put(TRUST + "password", reference("store"));
    settings.put(KEY + "password", reference("store"));
    return settings;
  }

  private Map<String, String> uri() {
    Map<String, String> settings = stores(broker.mutual());
    settings
        .keySet()
        .removeAll(
            List.of("rabbitmq.host", "rabbitmq.port", "rabbitmq.username", "rabbitmq.password"));
    settings.put("rabbitmq.uri", reference("uri"));
    return settings;
  }

  /** A token over a connection that shows a certificate whose key is in the configuration. */
  private Map<String, String> token(String secret) {
    Map<String, String> settings = stores(broker.mutual());
    settings.keySet().removeIf(key -> key.startsWith(KEY));
    settings.keySet().removeAll(List.of("rabbitmq.username", "rabbitmq.password"));
    settings.put(KEY + "type", "PEM");
    settings.put(KEY + "key", reference("key"));
    settings.put(KEY + "certificate.chain", reference("chain"));
    settings.putAll(tokens.settings());
    settings.put("rabbitmq.oauth2.client.secret", reference(secret));
    return settings;
  }

  private Map<String, String> sink(Map<String, String> settings) {
    return with(scenario.sink(in, queue), settings);
  }

  private Map<String, String> source(Map<String, String> settings) {
    return with(scenario.source(queue, out), settings);
  }

  private static Map<String, String> with(Map<String, String> some, Map<String, String> settings) {
    Map<String, String> all = new HashMap<>(some);
    all.keySet()
        .removeAll(
            List.of("rabbitmq.host", "rabbitmq.port", "rabbitmq.username", "rabbitmq.password"));
    all.putAll(settings);
    return all;
  }
}
