// SPDX-License-Identifier: Apache-2.0
package dev.rabbitbridge.connection;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.awaitility.Awaitility.await;

import com.rabbitmq.client.AMQP;
import com.rabbitmq.client.Channel;
import dev.rabbitbridge.config.ConnectionConfig;
import dev.rabbitbridge.failure.ErrorClassifier;
import dev.rabbitbridge.failure.Failure;
import dev.rabbitbridge.failure.FailureKind;
import dev.rabbitbridge.failure.Stage;
import dev.rabbitbridge.tls.Certificates;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyStore;
import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLServerSocket;
import javax.net.ssl.TrustManagerFactory;
import org.apache.kafka.common.config.AbstractConfig;
import org.apache.kafka.common.config.ConfigDef;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

@Timeout(60)
class BrokerConnectorTest {
  @TempDir static Path directory;
  private static Certificates certificates;
  private static SSLContext serverTls;

  @BeforeAll
  static void makeCertificates() throws Exception {
    certificates = new Certificates(directory).sign("server", "localhost").sign("client", "bridge");
    KeyManagerFactory keys = KeyManagerFactory.getInstance("PKIX");
    keys.init(load(certificates.keyStore("server", "PKCS12")), Certificates.PASSWORD.toCharArray());
    TrustManagerFactory trust = TrustManagerFactory.getInstance("PKIX");
    trust.init(load(certificates.trustStore("PKCS12")));
    serverTls = SSLContext.getInstance("TLS");
    serverTls.init(keys.getKeyManagers(), trust.getTrustManagers(), null);
  }

  @ParameterizedTest
  @ValueSource(strings = {"TLSv1.2", "TLSv1.3"})
  void aPrivateAuthorityIsTrusted(String version) throws Exception { // F85
    SSLServerSocket server = tlsServer();
    server.setEnabledProtocols(new String[] {version});
    try (FakeBroker broker = FakeBroker.speakingAmqp(server, "PLAIN");
        BrokerConnection connection = connect(broker, trusting(Map.of()))) {
      connection.openChannel();

      assertThat(connection.isOpen()).isTrue();
    }
  }

  @Test
  void theJvmsOwnTrustIsTheDefault() throws Exception { // F85
    System.setProperty("javax.net.ssl.trustStore", certificates.trustStore("JKS").toString());
    try (FakeBroker broker = FakeBroker.speakingAmqp(tlsServer(), "PLAIN");
        BrokerConnection connection = connect(broker, tls(Map.of()))) {
      assertThat(connection.isOpen()).isTrue();
    } finally {
      System.clearProperty("javax.net.ssl.trustStore");
    }
  }

  @Test
  void anUnknownAuthorityIsRefused() throws Exception { // F84
    try (FakeBroker broker = FakeBroker.speakingAmqp(tlsServer(), "PLAIN")) {
      assertThat(refusal(broker, tls(Map.of()))).contains("rabbitmq.ssl.truststore.location");
    }
  }

  @Test
  void anotherHostNameIsRefusedUnlessItIsNotChecked() throws Exception { // F84
    Map<String, String> otherName = trusting(Map.of(ConnectionConfig.HOST_CONFIG, "127.0.0.1"));
    Map<String, String> unchecked =
        with(otherName, Map.of("rabbitmq.ssl.endpoint.identification.algorithm", ""));
    try (FakeBroker broker = FakeBroker.speakingAmqp(tlsServer(), "PLAIN")) {
      assertThat(refusal(broker, otherName))
          .contains("rabbitmq.host")
          .contains("rabbitmq.ssl.endpoint.identification.algorithm");
      try (BrokerConnection connection = connect(broker, unchecked)) {
        assertThat(connection.isOpen()).isTrue();
      }
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"TLSv1.2", "TLSv1.3"})
  void aMissingClientCertificateIsSaid(String version) throws Exception { // F85
    SSLServerSocket server = tlsServer();
    server.setNeedClientAuth(true);
    server.setEnabledProtocols(new String[] {version});
    try (FakeBroker broker = FakeBroker.speakingAmqp(server, "PLAIN")) {
      assertThat(refusal(broker, trusting(Map.of()))).contains("rabbitmq.ssl.keystore.location");
    }
  }

  @Test
  void aClientCertificateThatIsNotTrustedIsSaid() throws Exception { // F85
    Path elsewhere = Files.createDirectory(directory.resolve("elsewhere"));
    Path stranger =
        new Certificates(elsewhere).sign("client", "bridge").keyStore("client", "PKCS12");
    SSLServerSocket server = tlsServer();
    server.setNeedClientAuth(true);
    try (FakeBroker broker = FakeBroker.speakingAmqp(server, "PLAIN EXTERNAL")) {
      Map<String, String> props =
          with(external(), Map.of("rabbitmq.ssl.keystore.location", stranger.toString()));
      Failure failure = failure(broker, props);

      // The client signs after it has sent its certificate; a server that refuses that at once has
      // closed the socket by then, and its reason is lost. Then it is hinted at.
      assertThat(
              failure.isFatal() ? sentence(failure, broker, props) : hint(failure, broker, props))
          .contains("rabbitmq.ssl.keystore.location");
    }
  }

  @Test
  void aCertificateThatIsAskedForAndNotNeededMayBeMissing() throws Exception {
    SSLServerSocket server = tlsServer();
    server.setWantClientAuth(true);
    try (FakeBroker broker = FakeBroker.speakingAmqp(server, "PLAIN");
        BrokerConnection connection = connect(broker, trusting(Map.of()))) {
      assertThat(connection.isOpen()).isTrue();
    }
  }

  @Test
  void theCertificateLogsInWithoutPassword() throws Exception { // F85
    SSLServerSocket server = tlsServer();
    server.setNeedClientAuth(true);
    try (FakeBroker broker = FakeBroker.speakingAmqp(server, "PLAIN EXTERNAL");
        BrokerConnection connection = connect(broker, external())) {
      AMQP.Connection.StartOk login = broker.logins.get(0);

      assertThat(connection.isOpen()).isTrue();
      assertThat(login.getMechanism()).isEqualTo("EXTERNAL");
      assertThat(login.getResponse().getBytes()).isEmpty();
    }
  }

  @Test
  void aBrokerWithoutTheMechanismIsSaid() throws Exception {
    try (FakeBroker broker = FakeBroker.speakingAmqp(tlsServer(), "PLAIN AMQPLAIN")) {
      assertThat(refusal(broker, external()))
          .startsWith("rabbitmq.sasl.mechanism is EXTERNAL")
          .contains("PLAIN, AMQPLAIN");
    }
  }

  @Test
  void aStoreThatWentMissingIsSaid() throws Exception { // F85
    try (FakeBroker broker = FakeBroker.speakingAmqp(tlsServer(), "PLAIN")) {
      assertThat(refusal(broker, tls(Map.of("rabbitmq.ssl.truststore.location", "/no/such/file"))))
          .startsWith("rabbitmq.ssl.truststore.location ");
    }
  }

  @Test
  void tlsAgainstAPlainPortIsSaid() throws Exception {
    try (FakeBroker broker =
        FakeBroker.doing(
            socket -> {
              // What RabbitMQ does with what is no AMQP header.
              socket.getInputStream().readNBytes(8);
              socket.getOutputStream().write(new byte[] {'A', 'M', 'Q', 'P', 0, 0, 9, 1});
              socket.close();
            })) {
      assertThat(refusal(broker, tls(Map.of())))
          .contains("rabbitmq.port")
          .contains("rabbitmq.security.protocol");
    }
  }

  @Test
  void plainAgainstATlsPortIsSaid() throws Exception {
    try (FakeBroker broker = FakeBroker.speakingAmqp(tlsServer(), "PLAIN")) {
      assertThat(refusal(broker, Map.of()))
          .contains("rabbitmq.port")
          .contains("rabbitmq.security.protocol");
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"HTTP/1.1 400 Bad Request\r\n\r\n", "SSH-2.0-OpenSSH_9.2p1\r\n"})
  void aPortOfSomethingElseIsSaid(String greeting) throws Exception {
    try (FakeBroker broker =
        FakeBroker.doing(
            socket -> {
              socket.getInputStream().readNBytes(8);
              socket.getOutputStream().write(greeting.getBytes(StandardCharsets.US_ASCII));
              socket.close();
            })) {
      assertThat(refusal(broker, Map.of())).contains("rabbitmq.port");
    }
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void aPortThatSaysNothingIsHintedAtWhileItIsTriedAgain(boolean secured) throws Exception {
    CountDownLatch never = new CountDownLatch(1);
    try (FakeBroker broker = FakeBroker.doing(socket -> never.await())) {
      Map<String, String> impatient = Map.of("rabbitmq.handshake.timeout.ms", "400");
      Map<String, String> props = secured ? tls(impatient) : impatient;
      Failure failure = failure(broker, props);

      assertThat(failure.kind()).isEqualTo(FailureKind.TRANSIENT);
      assertThat(hint(failure, broker, props)).contains("rabbitmq.port");
    }
  }

  @Test
  void aPortThatHangsUpIsHintedAtWhileItIsTriedAgain() throws Exception {
    try (FakeBroker broker =
        FakeBroker.doing(
            socket -> {
              socket.getInputStream().readNBytes(8);
              socket.close();
            })) {
      Failure failure = failure(broker, Map.of());

      assertThat(failure.kind()).isEqualTo(FailureKind.TRANSIENT);
      assertThat(hint(failure, broker, Map.of())).contains("rabbitmq.port");
    }
  }

  @Test
  void passwordAndVirtualHostCanHaveAnyCharacters() throws Exception {
    String odd = "p:@/?#%20+&é\"\\ 🐇";
    try (FakeBroker broker = FakeBroker.speakingAmqp(plainServer(), "PLAIN");
        BrokerConnection connection =
            connect(
                broker,
                Map.of(
                    ConnectionConfig.USERNAME_CONFIG, "us:er",
                    ConnectionConfig.PASSWORD_CONFIG, odd,
                    ConnectionConfig.VIRTUAL_HOST_CONFIG, odd))) {
      assertThat(connection.isOpen()).isTrue();
      assertThat(broker.logins.get(0).getResponse().toString()).isEqualTo("\0us:er\0" + odd);
      assertThat(broker.opened.get(0).getVirtualHost()).isEqualTo(odd);
    }
  }

  @Test
  void aUriCanSayAnyCharactersToo() throws Exception {
    String odd = " p:@/?#%20+&é\"\\ 🐇 ";
    String encoded = URLEncoder.encode(odd, StandardCharsets.UTF_8).replace("+", "%20");
    ServerSocket server = tlsServer();
    String uri = "amqps://us%%3aer:%s@localhost:%d/%s";
    Map<String, String> props =
        with(
            trusting(Map.of()),
            Map.of("rabbitmq.uri", uri.formatted(encoded, server.getLocalPort(), encoded)));
    try (FakeBroker broker = FakeBroker.speakingAmqp(server, "PLAIN");
        BrokerConnection connection = connector(props).connect(() -> {})) {
      assertThat(connection.isOpen()).isTrue();
      assertThat(broker.logins.get(0).getResponse().toString()).isEqualTo("\0us:er\0" + odd);
      assertThat(broker.opened.get(0).getVirtualHost()).isEqualTo(odd);
    }
  }

  @Test
  void rabbitMqIsToldWhoConnects() throws Exception {
    try (FakeBroker broker = FakeBroker.speakingAmqp(plainServer(), "PLAIN");
        BrokerConnection connection = connect(broker, Map.of())) {
      Map<String, Object> told = broker.logins.get(0).getClientProperties();

      assertThat(connection.name()).isEqualTo("orders-3");
      assertThat(told.get("connection_name")).hasToString("orders-3");
      assertThat(told.get("product")).hasToString("rabbitbridge");
      assertThat(told.get("version").toString()).matches("[0-9]+\\..*");
      assertThat(told.get("connector")).hasToString("orders");
      assertThat(told.get("task")).hasToString("3");
    }
  }

  @Test
  void whatIsAskedForIsTakenWhereTheBrokerOffersMore() throws Exception {
    try (FakeBroker broker = FakeBroker.speakingAmqp(plainServer(), "PLAIN");
        BrokerConnection connection =
            connect(
                broker,
                Map.of(
                    "rabbitmq.requested.heartbeat.seconds", "7",
                    "rabbitmq.requested.channel.max", "33",
                    "rabbitmq.requested.frame.max", "9000"))) {
      AMQP.Connection.TuneOk tuned = broker.tuned.get(0);

      assertThat(tuned.getHeartbeat()).isEqualTo(7);
      assertThat(tuned.getChannelMax()).isEqualTo(33);
      assertThat(tuned.getFrameMax()).isEqualTo(9000);
      assertThat(connection.frameMax()).isEqualTo(9000);
    }
  }

  // The order of the addresses is random: the dead one comes first about every other time.
  @RepeatedTest(4)
  void anyAddressServesWhileTheOthersAreDown() throws Exception {
    ServerSocket down = plainServer();
    down.close();
    try (FakeBroker broker = FakeBroker.speakingAmqp(plainServer(), "PLAIN")) {
      String both = "localhost:" + down.getLocalPort() + ",localhost:" + broker.port();
      try (BrokerConnection connection =
          connect(broker, Map.of(ConnectionConfig.ADDRESSES_CONFIG, both))) {
        assertThat(connection.isOpen()).isTrue();
      }
    }
  }

  @Test
  void everyAddressIsTriedAndEachIsTheFirstInItsTurn() throws Exception {
    List<String> tried = new CopyOnWriteArrayList<>();
    try (FakeBroker one = FakeBroker.doing(socket -> hangUp(socket, "one", tried));
        FakeBroker two = FakeBroker.doing(socket -> hangUp(socket, "two", tried))) {
      String both = "localhost:" + one.port() + ",localhost:" + two.port();
      Set<String> first = new HashSet<>();
      for (int i = 0; i < 20; i++) {
        tried.clear();
        failure(one, Map.of(ConnectionConfig.ADDRESSES_CONFIG, both));
        assertThat(tried).containsExactlyInAnyOrder("one", "two");
        first.add(tried.get(0));
      }

      // Always the same happens once in half a million times.
      assertThat(first).containsExactlyInAnyOrder("one", "two");
    }
  }

  private static void hangUp(Socket socket, String name, List<String> tried) throws IOException {
    tried.add(name);
    socket.close();
  }

  static Stream<Map<String, String>> waysToSayAnIpv6Address() {
    return Stream.of(
        Map.of("rabbitmq.host", "::1", "rabbitmq.port", "PORT"),
        Map.of("rabbitmq.host", "[::1]", "rabbitmq.port", "PORT"),
        Map.of("rabbitmq.addresses", "[::1]:PORT"),
        Map.of("rabbitmq.uri", "amqp://[::1]:PORT"));
  }

  @ParameterizedTest
  @MethodSource("waysToSayAnIpv6Address")
  void anIpv6AddressIsReached(Map<String, String> props) throws Exception {
    ServerSocket server = new ServerSocket(0, 50, InetAddress.getAllByName("::1")[0]);
    Map<String, String> withPort = new HashMap<>(props);
    withPort.replaceAll((key, value) -> value.replace("PORT", "" + server.getLocalPort()));
    try (FakeBroker broker = FakeBroker.speakingAmqp(server, "PLAIN");
        BrokerConnection connection = connector(withPort).connect(() -> {})) {
      assertThat(connection.isOpen()).isTrue();
      assertThat(broker.logins).hasSize(1);
    }
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void abortFreesAWriterThatIsStuckInTheSocket(boolean secured) throws Exception {
    ServerSocket server = secured ? tlsServer() : plainServer();
    try (FakeBroker broker = FakeBroker.speakingAmqp(server, "PLAIN");
        BrokerConnection connection = connect(broker, secured ? trusting(Map.of()) : Map.of())) {
      Channel channel = connection.openChannel();
      AtomicLong published = new AtomicLong();
      CountDownLatch freed = new CountDownLatch(1);
      Thread writer = new Thread(() -> publish(channel, published, freed), "stuck-writer");
      writer.setDaemon(true);
      writer.start();
      AtomicLong last = new AtomicLong();
      await()
          .during(Duration.ofMillis(500))
          .until(() -> last.getAndSet(published.get()) == published.get());

      connection.abort();

      assertThat(freed.await(3, TimeUnit.SECONDS)).isTrue();
    }
  }

  @Test
  void whatDoesNotConnectLeavesNothingBehind() throws Exception {
    try (FakeBroker strange = FakeBroker.speakingAmqp(tlsServer(), "AMQPLAIN");
        FakeBroker tls = FakeBroker.speakingAmqp(tlsServer(), "PLAIN")) {
      refusal(strange, external());
      Set<String> before = threads();
      for (int i = 0; i < 10; i++) {
        refusal(strange, external());
        refusal(tls, tls(Map.of()));
        refusal(tls, Map.of());
      }

      await().atMost(Duration.ofSeconds(20)).until(() -> before.containsAll(threads()));
    }
  }

  private static void publish(Channel channel, AtomicLong published, CountDownLatch freed) {
    byte[] body = new byte[64 * 1024];
    try {
      while (true) {
        channel.basicPublish("", "q", null, body);
        published.incrementAndGet();
      }
    } catch (IOException | RuntimeException e) {
      freed.countDown();
    }
  }

  private static Set<String> threads() {
    return Thread.getAllStackTraces().keySet().stream()
        .map(Thread::getName)
        .filter(name -> name.contains("orders-3") || name.contains("RabbitMQ"))
        .collect(Collectors.toSet());
  }

  /** What the task would fail with at its start. */
  private static String refusal(FakeBroker broker, Map<String, String> props) {
    Failure failure = failure(broker, props);
    // In the middle of a handshake a reset can overtake the alert that says why, now and then.
    for (int i = 0; i < 50 && failure.isTransient(); i++) {
      assertThat(hint(failure, broker, props)).contains("rabbitmq.ssl.keystore.location");
      failure = failure(broker, props);
    }
    assertThat(failure.kind()).as("%s", failure).isEqualTo(FailureKind.FATAL);
    return sentence(failure, broker, props);
  }

  private static String sentence(Failure failure, FakeBroker broker, Map<String, String> props) {
    return Advice.of(failure, config(withPort(broker, props))).sentence();
  }

  private static String hint(Failure failure, FakeBroker broker, Map<String, String> props) {
    return Advice.withHint(failure, config(withPort(broker, props)), Stage.START);
  }

  private static Failure failure(FakeBroker broker, Map<String, String> props) {
    Throwable thrown = catchThrowable(() -> connect(broker, props));
    assertThat(thrown).isNotNull();
    return ErrorClassifier.classify(thrown, Stage.START);
  }

  @Test
  void eachAttemptBeginsWithAnotherAddress() throws Exception { // F22
    try (FakeBroker one = FakeBroker.speakingAmqp(plainServer(), "PLAIN");
        FakeBroker two = FakeBroker.speakingAmqp(plainServer(), "PLAIN");
        FakeBroker three = FakeBroker.speakingAmqp(plainServer(), "PLAIN")) {
      List<FakeBroker> brokers = List.of(one, two, three);
      BrokerConnector connector =
          connector(
              Map.of(
                  "rabbitmq.addresses",
                  brokers.stream()
                      .map(broker -> "127.0.0.1:" + broker.port())
                      .collect(Collectors.joining(",")),
                  "rabbitmq.shutdown.timeout.ms",
                  "100"));
      for (int attempt = 0; attempt < 3; attempt++) {
        connector.connect(() -> {}).abort();
      }

      assertThat(brokers).allSatisfy(broker -> assertThat(broker.logins).hasSize(1));
    }
  }

  private static BrokerConnection connect(FakeBroker broker, Map<String, String> props)
      throws Exception {
    return connector(withPort(broker, props)).connect(() -> {});
  }

  private static BrokerConnector connector(Map<String, String> props) {
    return new BrokerConnector(config(props), "orders", "3");
  }

  private static ConnectionConfig config(Map<String, String> props) {
    return new ConnectionConfig(
        new AbstractConfig(ConnectionConfig.addTo(new ConfigDef()), props, false));
  }

  private static Map<String, String> withPort(FakeBroker broker, Map<String, String> props) {
    return with(
        Map.of(
            "rabbitmq.port", String.valueOf(broker.port()), "rabbitmq.shutdown.timeout.ms", "100"),
        props);
  }

  private static Map<String, String> external() {
    return trusting(
        Map.of(
            "rabbitmq.sasl.mechanism",
            "EXTERNAL",
            "rabbitmq.ssl.keystore.location",
            certificates.keyStore("client", "PKCS12").toString(),
            "rabbitmq.ssl.keystore.password",
            Certificates.PASSWORD));
  }

  private static Map<String, String> trusting(Map<String, String> more) {
    return with(
        tls(Map.of("rabbitmq.ssl.truststore.location", certificates.trustStore("JKS").toString())),
        more);
  }

  private static Map<String, String> tls(Map<String, String> more) {
    return with(Map.of("rabbitmq.security.protocol", "SSL"), more);
  }

  private static Map<String, String> with(Map<String, String> some, Map<String, String> more) {
    Map<String, String> all = new HashMap<>(some);
    all.putAll(more);
    return all;
  }

  private static SSLServerSocket tlsServer() throws IOException {
    return (SSLServerSocket)
        serverTls.getServerSocketFactory().createServerSocket(0, 50, loopback());
  }

  private static ServerSocket plainServer() throws IOException {
    return new ServerSocket(0, 50, loopback());
  }

  private static InetAddress loopback() {
    return InetAddress.getLoopbackAddress();
  }

  private static KeyStore load(Path file) throws Exception {
    try (InputStream in = Files.newInputStream(file)) {
      KeyStore store = KeyStore.getInstance("PKCS12");
      store.load(in, Certificates.PASSWORD.toCharArray());
      return store;
    }
  }
}
