// SPDX-License-Identifier: Apache-2.0
package dev.rabbitbridge.harness.security;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import dev.rabbitbridge.harness.Mode;
import dev.rabbitbridge.harness.node.DockerNetwork;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.Signature;
import java.security.spec.ECGenParameterSpec;
import java.time.Instant;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;

/** Answers the client credentials grant with tokens that RabbitMQ's OAuth 2 plugin accepts. */
final class TokenEndpoint implements AutoCloseable {
  static final String CLIENT = "bridge-client";
  static final String SECRET = "cl1ent-s3cret";

  private static final KeyPair KEYS = keys();

  // Workers in containers come from outside.
  private static final boolean OUTSIDE = Mode.chosen() == Mode.DOCKER;
  private static final String HOST = OUTSIDE ? DockerNetwork.HOST : "localhost";
  private static final byte[] BIND = OUTSIDE ? new byte[4] : new byte[] {127, 0, 0, 1};

  private final HttpServer server;
  private final List<String> issued = new CopyOnWriteArrayList<>();
  private final AtomicInteger refused = new AtomicInteger();
  private volatile int lifeSeconds = 60;
  private volatile int status = 200;
  private volatile int ageSeconds;

  TokenEndpoint() throws IOException {
    server = HttpServer.create(new InetSocketAddress(InetAddress.getByAddress(BIND), 0), 0);
    server.createContext("/token", this::answer);
    server.start();
  }

  static String publicKeyPem() {
    return "-----BEGIN PUBLIC KEY-----\n"
        + Base64.getMimeEncoder(64, new byte[] {'\n'}).encodeToString(KEYS.getPublic().getEncoded())
        + "\n-----END PUBLIC KEY-----\n";
  }

  /** How long tokens live that are issued from now on. */
  void lifeSeconds(int seconds) {
    lifeSeconds = seconds;
  }

  /** How long before they are issued tokens begin to count from now on. */
  void ageSeconds(int seconds) {
    ageSeconds = seconds;
  }

  /** What it answers from now on; 200 is a token. */
  void status(int code) {
    status = code;
  }

  /** The tokens that it gave. */
  List<String> issued() {
    return List.copyOf(issued);
  }

  /** How often it was asked in vain. */
  int refused() {
    return refused.get();
  }

  Map<String, String> settings() {
    return Map.of(
        "rabbitmq.sasl.mechanism",
        "OAUTH2",
        "rabbitmq.oauth2.token.endpoint.uri",
        "http://" + HOST + ":" + server.getAddress().getPort() + "/token",
        "rabbitmq.oauth2.client.id",
        CLIENT,
        "rabbitmq.oauth2.client.secret",
        SECRET);
  }

  private void answer(HttpExchange exchange) throws IOException {
    exchange.getRequestBody().readAllBytes();
    String wanted =
        "Basic "
            + Base64.getEncoder()
                .encodeToString((CLIENT + ":" + SECRET).getBytes(StandardCharsets.UTF_8));
    boolean known = wanted.equals(exchange.getRequestHeaders().getFirst("authorization"));
    int code = status == 200 && !known ? 401 : status;
    if (code != 200) {
      refused.incrementAndGet();
    }
    byte[] body = (code == 200 ? token() : "{}").getBytes(StandardCharsets.UTF_8);
    exchange.getResponseHeaders().add("content-type", "application/json");
    exchange.sendResponseHeaders(code, body.length);
    exchange.getResponseBody().write(body);
    exchange.close();
  }

  private String token() {
    int life = lifeSeconds;
    String signed =
        base64(
                "{\"alg\":\"ES256\",\"typ\":\"JWT\",\"kid\":\"test\"}"
                    .getBytes(StandardCharsets.UTF_8))
            + "."
            + base64(
                ("{\"sub\":\"bridge-client\",\"client_id\":\"bridge-client\",\"aud\":[\"rabbitmq\"],"
                        + "\"scope\":[\"rabbitmq.configure:*/*\",\"rabbitmq.write:*/*\","
                        + "\"rabbitmq.read:*/*\"],\"exp\":"
                        + Instant.now().plusSeconds(life - ageSeconds).getEpochSecond()
                        + "}")
                    .getBytes(StandardCharsets.UTF_8));
    String token = signed + "." + base64(signature(signed));
    issued.add(token);
    return "{\"access_token\":\"%s\",\"token_type\":\"bearer\",\"expires_in\":%d}"
        .formatted(token, life);
  }

  private static byte[] signature(String signed) {
    try {
      Signature signature = Signature.getInstance("SHA256withECDSAinP1363Format");
      signature.initSign(KEYS.getPrivate());
      signature.update(signed.getBytes(StandardCharsets.US_ASCII));
      return signature.sign();
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException(e);
    }
  }

  private static String base64(byte[] bytes) {
    return Base64.getUrlEncoder().withoutPadding().encodeToString(bytes);
  }

  private static KeyPair keys() {
    try {
      KeyPairGenerator generator = KeyPairGenerator.getInstance("EC");
      generator.initialize(new ECGenParameterSpec("secp256r1"));
      return generator.generateKeyPair();
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException(e);
    }
  }

  @Override
  public void close() {
    server.stop(0);
  }
}
