// SPDX-License-Identifier: Apache-2.0
package dev.rabbitbridge.connection;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.awaitility.Awaitility.await;

import com.rabbitmq.client.ConnectionFactory;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import com.sun.net.httpserver.HttpsConfigurator;
import com.sun.net.httpserver.HttpsServer;
import dev.rabbitbridge.config.ConnectionConfig;
import dev.rabbitbridge.failure.ErrorClassifier;
import dev.rabbitbridge.failure.FailureKind;
import dev.rabbitbridge.failure.Fault;
import dev.rabbitbridge.failure.Stage;
import dev.rabbitbridge.tls.Certificates;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyStore;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.Stream;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import org.apache.kafka.common.config.AbstractConfig;
import org.apache.kafka.common.config.ConfigDef;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

class TokenLoginTest {
  private static final String SECRET = "s3cret";
  private static final String TOKEN = "t0ken";
  private static final String JSON = "application/json";

  private final List<String> asked = new CopyOnWriteArrayList<>();
  private HttpServer server;
  private volatile int status = 200;
  private volatile String contentType = JSON;
  private volatile String answer = "{\"access_token\":\"" + TOKEN + "\",\"expires_in\":60}";

  @BeforeEach
  void startEndpoint() throws IOException {
    server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    serve();
  }

  @AfterEach
  void stopEndpoint() {
    server.stop(0);
  }

  @Test
  void theTokenIsThePassword() throws Exception { // F86
    try (ServerSocket socket = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        FakeBroker broker = FakeBroker.speakingAmqp(socket, "PLAIN")) {
      BrokerConnection connection = connector(broker.port()).connect(() -> {});

      assertThat(broker.logins.get(0).getResponse()).hasToString("\0\0" + TOKEN);
      assertThat(asked)
          .containsExactly(
              "Basic YnJpZGdlOnMzY3JldA== grant_type=client_credentials&scope=rabbitmq.write%3A*");
      assertThat(tokenThreads()).isPositive();

      connection.abort();

      await().until(() -> tokenThreads() == 0);
    }
  }

  @Test
  void everyConnectionGetsAFreshToken() throws Exception { // F86
    for (int i = 1; i <= 2; i++) {
      try (ServerSocket socket = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
          FakeBroker broker = FakeBroker.speakingAmqp(socket, "PLAIN");
          BrokerConnection connection = connector(broker.port()).connect(() -> {})) {
        assertThat(connection.isOpen()).isTrue();
        assertThat(asked).hasSize(i);
      }
    }
  }

  static Stream<Arguments> answers() {
    return Stream.of(
        Arguments.of(400, JSON, "{\"error\":\"" + SECRET + "\"}", "rabbitmq.oauth2.client.id"),
        Arguments.of(401, JSON, "{}", "rabbitmq.oauth2.client.secret"),
        Arguments.of(404, "text/html", "", "rabbitmq.oauth2.token.endpoint.uri"),
        Arguments.of(200, "text/html", TOKEN, "rabbitmq.oauth2.token.endpoint.uri"),
        Arguments.of(200, JSON, TOKEN, "rabbitmq.oauth2.token.endpoint.uri"),
        Arguments.of(
            200,
            JSON,
            "{\"access_token\":\"" + TOKEN + "\"}",
            "rabbitmq.oauth2.token.endpoint.uri"));
  }

  @ParameterizedTest
  @MethodSource("answers")
  void aRefusalNamesTheSettingAndNoSecret(
      int code, String type, String body, String setting) { // F82
    status = code;
    contentType = type;
    answer = body;
    Throwable thrown = login();

    assertThat(ErrorClassifier.classify(thrown, Stage.START).kind()).isEqualTo(FailureKind.FATAL);
    assertThat(thrown)
        .hasMessageContaining(setting)
        .hasMessageContaining("/token")
        .hasMessageNotContaining(SECRET)
        .hasMessageNotContaining(TOKEN)
        .hasNoCause();
    assertThat(Advice.of(ErrorClassifier.classify(thrown, Stage.START), config(1, Map.of())))
        .isEqualTo(new Advice(Fault.TOKEN_ENDPOINT, thrown.getMessage()));
  }

  @Test
  void anEndpointInTroubleIsWaitedFor() {
    status = 503;

    assertThat(ErrorClassifier.classify(login(), Stage.START).isTransient()).isTrue();
    assertThat(login()).hasMessageContaining("/token").hasMessageContaining("503");
  }

  @Test
  void anEndpointThatIsDownIsWaitedForByItsOwnName() {
    server.stop(0);
    Throwable thrown = login();

    assertThat(ErrorClassifier.classify(thrown, Stage.START).toString()).contains("/token");
    assertThat(ErrorClassifier.classify(thrown, Stage.START).isTransient()).isTrue();
  }

  @Test
  void anEndpointWithAnUnknownAuthorityIsRefused(@TempDir Path directory) throws Exception {
    Certificates certificates = secure(directory);

    assertThat(login())
        .hasMessageContaining("rabbitmq.oauth2.ssl.truststore.location")
        .matches(thrown -> ErrorClassifier.classify(thrown, Stage.START).isFatal());
    assertThat(
            login(
                Map.of(
                    "rabbitmq.oauth2.ssl.truststore.location",
                    certificates.trustStore("JKS").toString())))
        .isNull();
  }

  private Certificates secure(Path directory) throws Exception {
    Certificates certificates = new Certificates(directory).sign("idp", "localhost");
    KeyStore store = KeyStore.getInstance("PKCS12");
    try (InputStream in = Files.newInputStream(certificates.keyStore("idp", "PKCS12"))) {
      store.load(in, Certificates.PASSWORD.toCharArray());
    }
    KeyManagerFactory keys = KeyManagerFactory.getInstance("PKIX");
    keys.init(store, Certificates.PASSWORD.toCharArray());
    SSLContext tls = SSLContext.getInstance("TLS");
    tls.init(keys.getKeyManagers(), null, null);
    server.stop(0);
    HttpsServer secured =
        HttpsServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    secured.setHttpsConfigurator(new HttpsConfigurator(tls));
    server = secured;
    serve();
    return certificates;
  }

  private void serve() {
    server.createContext("/token", this::answer);
    server.start();
  }

  private void answer(HttpExchange exchange) throws IOException {
    String body = new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8);
    asked.add(exchange.getRequestHeaders().getFirst("authorization") + " " + body);
    exchange.getResponseHeaders().add("content-type", contentType);
    byte[] bytes = answer.getBytes(StandardCharsets.UTF_8);
    exchange.sendResponseHeaders(status, bytes.length == 0 ? -1 : bytes.length);
    exchange.getResponseBody().write(bytes);
    exchange.close();
  }

  private Throwable login() {
    return login(Map.of());
  }

  private Throwable login(Map<String, String> more) {
    try (TokenLogin login = new TokenLogin(config(1, more), "orders-3")) {
      return catchThrowable(() -> login.applyTo(new ConnectionFactory()));
    }
  }

  private BrokerConnector connector(int port) {
    return new BrokerConnector(config(port, Map.of()), "orders", "3");
  }

  private ConnectionConfig config(int port, Map<String, String> more) {
    Map<String, String> props = new HashMap<>(more);
    String scheme = server instanceof HttpsServer ? "https" : "http";
    props.put("rabbitmq.port", String.valueOf(port));
    props.put("rabbitmq.shutdown.timeout.ms", "100");
    props.put("rabbitmq.sasl.mechanism", "OAUTH2");
    props.put(
        "rabbitmq.oauth2.token.endpoint.uri",
        scheme + "://localhost:" + server.getAddress().getPort() + "/token");
    props.put("rabbitmq.oauth2.client.id", "bridge");
    props.put("rabbitmq.oauth2.client.secret", SECRET);
    props.put("rabbitmq.oauth2.scope", "rabbitmq.write:*");
    return new ConnectionConfig(
        new AbstractConfig(ConnectionConfig.addTo(new ConfigDef()), props, false));
  }

  private static long tokenThreads() {
    return Thread.getAllStackTraces().keySet().stream()
        .filter(thread -> thread.getName().equals("orders-3-token"))
        .count();
  }
}
