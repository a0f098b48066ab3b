// SPDX-License-Identifier: Apache-2.0
package dev.rabbitbridge.harness.security;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.sun.management.UnixOperatingSystemMXBean;
import dev.rabbitbridge.harness.Scenario;
import dev.rabbitbridge.harness.connect.ConnectRest;
import dev.rabbitbridge.harness.connect.RestException;
import dev.rabbitbridge.harness.node.Endpoint;
import dev.rabbitbridge.harness.proxy.TcpProxy;
import dev.rabbitbridge.harness.rabbitmq.Management;
import dev.rabbitbridge.harness.rabbitmq.QueueKind;
import java.io.IOException;
import java.io.InputStream;
import java.lang.management.ManagementFactory;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class RefusalIT {
  private static final int RESTARTS = 30;
  private static final String SECRET = "s3cret-marker";
  private static final String QUEUE = "refusals";

  @RegisterExtension final Scenario scenario = new Scenario();

  private SecureBroker broker;

  @BeforeEach
  void prepare() {
    broker = SecureBroker.of(scenario);
    broker.rabbitMQ().management().declareQueue(QUEUE, QueueKind.CLASSIC, Map.of());
    broker.rabbitMQ().management().createUser("powerless", SECRET);
    broker.rabbitMQ().management().grant("powerless", "", "", "");
  }

  private enum Mistake {
    WRONG_PASSWORD,
    UNKNOWN_VIRTUAL_HOST,
    NO_PERMISSION,
    UNKNOWN_AUTHORITY,
    OTHER_HOST_NAME,
    NO_CLIENT_CERTIFICATE,
    MISSING_KEY_STORE,
    MISSING_TRUST_STORE,
    WRONG_KEY_STORE_PASSWORD,
    WRONG_TRUST_STORE_PASSWORD,
    WRONG_STORE_TYPE,
    PORT_OF_SOMETHING_ELSE,
    TLS_ON_A_PLAIN_PORT,
    NO_TLS_ON_A_TLS_PORT
  }

  @ParameterizedTest
  @EnumSource
  void aMistakeIsSaidInASentenceAndLeavesNothingBehind(Mistake mistake) throws Exception {
    // F84, F85, F87
    Map<String, String> settings = settings(mistake);
    settings.put("rabbitmq.port", Integer.toString(port(mistake)));
    long files = openFiles();

    for (int i = 0; i < RESTARTS; i++) {
      String sentence = Tasks.complaint(i % 2 == 0 ? sink(settings) : source(settings));
      assertThat(sentence)
          .containsAnyOf(named(mistake))
          .doesNotContain(SECRET, "failed: dev.rabbitbridge")
          .hasLineCount(1);
    }

    await().untilAsserted(() -> assertThat(Tasks.threads()).isEmpty());
    await().untilAsserted(() -> assertThat(openFiles()).isLessThan(files + RESTARTS / 3));
    assertThat(broker.rabbitMQ().management().connections()).isEmpty();
  }

  /** Files and sockets of this JVM, where the tasks are. */
  private static long openFiles() {
    return ManagementFactory.getPlatformMXBean(UnixOperatingSystemMXBean.class)
        .getOpenFileDescriptorCount();
  }

  private int port(Mistake mistake) throws IOException {
    return switch (mistake) {
      case NO_CLIENT_CERTIFICATE -> broker.strictPort();
      case TLS_ON_A_PLAIN_PORT -> broker.plainPort();
      case PORT_OF_SOMETHING_ELSE ->
          server(
              socket -> {
                socket.getOutputStream().write("SSH-2.0-OpenSSH_9.2p1\r\n".getBytes(US_ASCII));
                socket.getInputStream().readAllBytes();
              });
      default -> broker.port();
    };
  }

  private Map<String, String> settings(Mistake mistake) {
    Map<String, String> settings = broker.trusting();
    settings.put("rabbitmq.shutdown.timeout.ms", "200");
    String trust = "rabbitmq.ssl.truststore.";
    String key = "rabbitmq.ssl.keystore.";
    switch (mistake) {
      case WRONG_PASSWORD -> settings.put("rabbitmq.password", SECRET);
      case UNKNOWN_VIRTUAL_HOST -> settings.put("rabbitmq.virtual.host", "nowhere");
      case NO_PERMISSION -> {
        settings.put("rabbitmq.username", "powerless");
        settings.put("rabbitmq.password", SECRET);
      }
      case UNKNOWN_AUTHORITY -> settings.keySet().removeIf(name -> name.startsWith(trust));
      case OTHER_HOST_NAME -> settings.put("rabbitmq.host", "127.0.0.1");
      case MISSING_KEY_STORE -> {
        settings.put(key + "location", "/no/such/file");
        settings.put(key + "password", SECRET);
      }
      case MISSING_TRUST_STORE -> settings.put(trust + "location", "/no/such/file");
      case WRONG_KEY_STORE_PASSWORD -> {
        settings.putAll(broker.mutual());
        settings.put(key + "password", SECRET);
      }
      case WRONG_TRUST_STORE_PASSWORD -> settings.put(trust + "password", SECRET);
      case WRONG_STORE_TYPE -> settings.put(trust + "type", "PKCS11");
      case PORT_OF_SOMETHING_ELSE, NO_TLS_ON_A_TLS_PORT ->
          settings.put("rabbitmq.security.protocol", "PLAINTEXT");
      case NO_CLIENT_CERTIFICATE, TLS_ON_A_PLAIN_PORT -> {}
    }
    return settings;
  }

  private static String[] named(Mistake mistake) {
    return switch (mistake) {
      case WRONG_PASSWORD -> new String[] {"rabbitmq.password"};
      case UNKNOWN_VIRTUAL_HOST -> new String[] {"rabbitmq.virtual.host"};
      case NO_PERMISSION -> new String[] {"rabbitmq.username", "rabbitmq.exchange"};
      case UNKNOWN_AUTHORITY, MISSING_TRUST_STORE ->
          new String[] {"rabbitmq.ssl.truststore.location"};
      case OTHER_HOST_NAME -> new String[] {"rabbitmq.host"};
      // With TLS 1.3 RabbitMQ may be gone before its reason is read.
      case NO_CLIENT_CERTIFICATE, MISSING_KEY_STORE ->
          new String[] {"rabbitmq.ssl.keystore.location"};
      case WRONG_KEY_STORE_PASSWORD -> new String[] {"rabbitmq.ssl.keystore.password"};
      case WRONG_TRUST_STORE_PASSWORD -> new String[] {"rabbitmq.ssl.truststore.password"};
      case WRONG_STORE_TYPE -> new String[] {"rabbitmq.ssl.truststore.type"};
      case PORT_OF_SOMETHING_ELSE -> new String[] {"rabbitmq.port"};
      case TLS_ON_A_PLAIN_PORT, NO_TLS_ON_A_TLS_PORT -> new String[] {"rabbitmq.security.protocol"};
    };
  }

  @Test
  void theTraceOfATaskThatCannotStartBeginsWithTheSentence() { // F87
    Map<String, String> settings = with(broker.trusting(), "rabbitmq.password", SECRET);
    for (Map<String, String> config : List.of(sink(settings), source(settings))) {
      String connector = scenario.put(config);

      assertThat(scenario.worker().rest().awaitFailed(connector).lines().findFirst())
          .hasValueSatisfying(
              first ->
                  assertThat(first)
                      .startsWith("org.apache.kafka.connect.errors.ConnectException: RB-C02: ")
                      .contains("Check rabbitmq.username and rabbitmq.password.")
                      .doesNotContain(SECRET));
    }
  }

  @Test
  void aWorkerIsLeftAsItWasByThirtyRestarts() { // F87
    String connector = scenario.put(source(with(broker.trusting(), "rabbitmq.password", SECRET)));
    ConnectRest rest = scenario.worker().rest();
    rest.awaitFailed(connector);
    long refused = refusedLogins();
    double threads = workerThreads();

    for (int i = 1; i <= RESTARTS; i++) {
      long wanted = refused + i;
      rest.restart(connector);
      await().until(() -> refusedLogins() >= wanted);
    }
    rest.awaitFailed(connector);

    assertThat(refusedLogins()).as("one attempt for each start").isEqualTo(refused + RESTARTS);
    await().untilAsserted(() -> assertThat(workerThreads()).isLessThan(threads + 10));
    assertThat(broker.rabbitMQ().management().connections()).isEmpty();
  }

  @Test
  void aMissingClientCertificateFailsTheTask() { // F85
    Map<String, String> settings =
        with(broker.trusting(), "rabbitmq.port", Integer.toString(broker.strictPort()));
    for (Map<String, String> config : List.of(sink(settings), source(settings))) {
      String connector = scenario.put(config);

      await()
          .atMost(Duration.ofSeconds(30))
          .untilAsserted(
              () ->
                  assertThat(scenario.worker().rest().status(connector).toString())
                      .contains("RB-C11")
                      .contains("Check rabbitmq.ssl.keystore.location"));
    }
  }

  private double workerThreads() {
    return scenario.worker().jmx().number("java.lang:type=Threading", "ThreadCount");
  }

  @Test
  void aPortThatSaysNothingIsWarnedOfAndTriedAgainAndLeavesNothingBehind() throws Exception { // F87
    int silent = server(socket -> socket.getInputStream().readAllBytes());
    TcpProxy way = proxy(silent);
    Map<String, String> settings =
        with(broker.trusting(), "rabbitmq.port", Integer.toString(way.endpoint().port()));
    settings.put("rabbitmq.handshake.timeout.ms", "300");
    String connector = scenario.running(source(settings));

    await()
        .atMost(Duration.ofSeconds(30))
        .until(
            () ->
                !scenario
                    .worker()
                    .logLines("WARN.*" + connector + ".*check that rabbitmq.port is that of AMQP")
                    .isEmpty());
    await().until(() -> way.accepted() > 2);
    scenario.worker().rest().awaitRunning(connector, 1);
    scenario.worker().rest().stop(connector);
    await().until(() -> way.open() == 0);

    for (int i = 0; i < RESTARTS; i++) {
      Map<String, String> config = i % 2 == 0 ? sink(settings) : source(settings);
      int before = way.accepted();
      Tasks.runUntil(config, () -> way.accepted() > before);
    }
    await().untilAsserted(() -> assertThat(Tasks.threads()).isEmpty());
    await().untilAsserted(() -> assertThat(way.open()).isZero());
  }

  @Test
  void aBrokerThatClosesTheSocketDuringTheLoginIsTriedUntilItIsUp() throws Exception { // F87
    AtomicInteger logins = new AtomicInteger();
    int starting =
        server(
            socket -> {
              socket.getInputStream().readNBytes(8);
              if (logins.incrementAndGet() > 8) {
                pass(socket);
              }
            });
    Map<String, String> settings = with(broker.trusting(), "rabbitmq.host", "127.0.0.1");
    settings.put("rabbitmq.security.protocol", "PLAINTEXT");
    settings.put("rabbitmq.port", Integer.toString(starting));
    settings.put("rabbitmq.reconnect.backoff.ms", "50");
    settings.put("rabbitmq.reconnect.backoff.max.ms", "50");

    Tasks.publishOne(sink(settings));

    assertThat(logins).hasValueGreaterThan(8);
  }

  @Test
  void aPasswordThatIsChangedMeanwhileIsTriedAFewTimes() { // F87
    String user = scenario.name("user");
    broker.rabbitMQ().management().createUser(user, "first");
    broker.rabbitMQ().management().grant(user, ".*", ".*", ".*");
    Map<String, String> settings = with(broker.trusting(), "rabbitmq.username", user);
    settings.put("rabbitmq.password", "first");
    settings.put("rabbitmq.reconnect.backoff.ms", "50");
    String connector = scenario.running(source(settings));
    await().until(() -> broker.rabbitMQ().management().connections().size() == 1);
    broker.rabbitMQ().management().createUser(user, "second");
    long before = refusedLogins();
    broker.rabbitMQ().closeConnections();

    assertThat(scenario.worker().rest().awaitFailed(connector)).contains("rabbitmq.password");
    assertThat(refusedLogins() - before).isBetween(2L, 6L);
  }

  @Test
  void aLimitOnConnectionsIsWaitedForUntilThereIsRoom() {
    Management management = broker.rabbitMQ().management();
    String user = scenario.name("user");
    management.createUser(user, SECRET);
    management.grant(user, ".*", ".*", ".*");
    management.limitConnections(user, 0);
    Map<String, String> settings = with(broker.trusting(), "rabbitmq.username", user);
    settings.put("rabbitmq.password", SECRET);
    settings.put("rabbitmq.reconnect.backoff.max.ms", "1000");
    for (Map<String, String> config : List.of(sink(settings), source(settings))) {
      String connector = scenario.running(config);
      await()
          .until(
              () ->
                  !scenario
                      .worker()
                      .logLines("WARN.*" + connector + ".*user connection limit")
                      .isEmpty());
    }
    assertThat(management.connections()).isEmpty();

    management.limitConnections(user, -1);

    await().until(() -> management.connections().size() == 2);
  }

  private long refusedLogins() {
    return broker
        .rabbitMQ()
        .log()
        .lines()
        .filter(line -> line.contains("PLAIN login refused"))
        .count();
  }

  @Test
  void aStoreThatIsMissingIsRefusedAndOneThatWentMissingFailsTheTask() throws Exception { // F85
    Map<String, String> missing =
        with(broker.trusting(), "rabbitmq.ssl.truststore.location", "/no/such/file");
    assertThatThrownBy(() -> scenario.put(sink(missing)))
        .isInstanceOf(RestException.class)
        .hasMessageContaining("rabbitmq.ssl.truststore.location")
        .hasMessageContaining("/no/such/file");
    Map<String, String> wrong = with(broker.trusting(), "rabbitmq.ssl.truststore.password", SECRET);
    assertThatThrownBy(() -> scenario.put(source(wrong)))
        .isInstanceOf(RestException.class)
        .hasMessageContaining("rabbitmq.ssl.truststore.password")
        .hasMessageNotContaining(SECRET);

    Path store = broker.certificates().file("vanishing.pem", broker.certificates().authorityPem());
    Map<String, String> vanishing = broker.trusting();
    vanishing.remove("rabbitmq.ssl.truststore.password");
    vanishing.put("rabbitmq.ssl.truststore.location", store.toString());
    vanishing.put("rabbitmq.ssl.truststore.type", "PEM");
    String connector = scenario.running(source(vanishing));
    Files.delete(store);
    scenario.worker().rest().restart(connector);

    assertThat(scenario.worker().rest().awaitFailed(connector))
        .contains("rabbitmq.ssl.truststore.location names a file that this worker cannot read");
  }

  private TcpProxy proxy(int port) {
    return scenario.atEnd(new TcpProxy(new Endpoint("127.0.0.1", port), "127.0.0.1", "localhost"));
  }

  /** Serves one connection after the other and closes each when its talk is over. */
  private int server(Talk talk) throws IOException {
    ServerSocket server = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
    scenario.atEnd(server);
    start(
        () -> {
          while (!server.isClosed()) {
            try (Socket socket = server.accept()) {
              talk.with(socket);
            } catch (IOException e) {
              // The client hangs up when it has seen enough.
            }
          }
        });
    return server.getLocalPort();
  }

  private void pass(Socket client) throws IOException {
    try (Socket server = new Socket(InetAddress.getLoopbackAddress(), broker.plainPort())) {
      server.getOutputStream().write(new byte[] {'A', 'M', 'Q', 'P', 0, 0, 9, 1});
      InputStream answers = server.getInputStream();
      start(
          () -> {
            try {
              answers.transferTo(client.getOutputStream());
            } catch (IOException e) {
              // The other direction ends it.
            }
          });
      client.getInputStream().transferTo(server.getOutputStream());
    }
  }

  private static void start(Runnable talk) {
    Thread thread = new Thread(talk, "strange-server");
    thread.setDaemon(true);
    thread.start();
  }

  private static Map<String, String> with(Map<String, String> some, String key, String value) {
    Map<String, String> settings = new HashMap<>(some);
    settings.put(key, value);
    return settings;
  }

  private Map<String, String> sink(Map<String, String> settings) {
    Map<String, String> config = new HashMap<>(scenario.sink("refusals", QUEUE));
    config.putAll(settings);
    return config;
  }

  private Map<String, String> source(Map<String, String> settings) {
    Map<String, String> config = new HashMap<>(scenario.source(QUEUE, "refusals"));
    config.putAll(settings);
    return config;
  }

  private interface Talk {
    void with(Socket socket) throws IOException;
  }
}
