// SPDX-License-Identifier: Apache-2.0
package dev.rabbitbridge.harness.rabbitmq;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublisher;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;

/**
 * RabbitMQ's management API, for one virtual host. Statistics are up to a second old; {@link
 * Amqp#ready} is not. Deleting what is not there is no error; everything else that is refused is an
 * {@link IllegalStateException} with RabbitMQ's words. Safe from any thread.
 */
public final class Management {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final Duration TIMEOUT = Duration.ofSeconds(30);

  private final HttpClient http;
  private final URI base;
  private final String vhost;
  private final String username;
  private final String password;

  Management(URI base, String vhost, String username, String password) {
    this(newClient(), base, vhost, username, password);
  }

  private Management(HttpClient http, URI base, String vhost, String username, String password) {
    this.http = http;
    this.base = base;
    this.vhost = vhost;
    this.username = username;
    this.password = password;
  }

  /**
   * Returns the same API for another virtual host.
   *
   * @param other the name of the virtual host
   * @return its operations
   */
  public Management in(String other) {
    return new Management(http, base, other, username, password);
  }

  /**
   * Returns where it is, for a browser.
   *
   * @return the root address
   */
  public URI address() {
    return base;
  }

  /**
   * Returns the virtual host that the operations are about.
   *
   * @return its name
   */
  public String vhost() {
    return vhost;
  }

  /**
   * Returns the version of the broker.
   *
   * @return such as 4.1.0
   */
  public String version() {
    return get("overview").path("rabbitmq_version").asText();
  }

  /**
   * Declares a durable queue. A quorum queue is waited for until it has reported once: one whose
   * broker is killed within its first second never gets a leader again (seen with 3.10).
   *
   * @param name the queue
   * @param kind its type
   * @param arguments more arguments, such as {@code x-max-length}
   */
  public void declareQueue(String name, QueueKind kind, Map<String, Object> arguments) {
    Map<String, Object> all = new LinkedHashMap<>(arguments);
    all.put("x-queue-type", kind.wireName());
    put(path("queues", vhost, name), Map.of("durable", true, "arguments", all));
    if (kind == QueueKind.QUORUM) {
      Awaitility.await().pollDelay(Duration.ZERO).until(() -> hasReported(queue(name)));
    }
  }

  /**
   * Deletes a queue with all its messages.
   *
   * @param name the queue
   */
  public void deleteQueue(String name) {
    delete(path("queues", vhost, name));
  }

  /**
   * Drops the ready messages of a queue.
   *
   * @param name the queue
   */
  public void purgeQueue(String name) {
    delete(path("queues", vhost, name, "contents"));
  }

  /**
   * Returns whether a queue exists.
   *
   * @param name the queue
   * @return true if it is in the virtual host
   */
  public boolean hasQueue(String name) {
    return list(path("queues", vhost)).stream()
        .anyMatch(queue -> queue.path("name").asText().equals(name));
  }

  /**
   * Returns all that RabbitMQ says about a queue.
   *
   * @param name the queue
   * @return the queue's JSON object
   */
  public JsonNode queue(String name) {
    return get(path("queues", vhost, name));
  }

  /**
   * Returns what a queue holds, all of it from the statistics.
   *
   * @param name the queue
   * @return its counters, each -1 while RabbitMQ has none: a new queue's come after seconds, and
   *     until then it is not empty but unknown
   */
  public QueueCounts counts(String name) {
    JsonNode queue = queue(name);
    return new QueueCounts(
        queue.path("messages_ready").asLong(-1),
        queue.path("messages_unacknowledged").asLong(-1),
        queue.path("consumers").asLong(-1));
  }

  /**
   * Declares a durable exchange.
   *
   * @param name the exchange
   * @param type direct, topic, fanout or headers
   * @param arguments more arguments, such as {@code alternate-exchange}
   */
  public void declareExchange(String name, String type, Map<String, Object> arguments) {
    put(
        path("exchanges", vhost, name),
        Map.of("type", type, "durable", true, "arguments", arguments));
  }

  /**
   * Deletes an exchange.
   *
   * @param name the exchange
   */
  public void deleteExchange(String name) {
    delete(path("exchanges", vhost, name));
  }

  /**
   * Binds a queue to an exchange.
   *
   * @param exchange the source
   * @param queue the destination
   * @param routingKey the binding key
   */
  public void bind(String exchange, String queue, String routingKey) {
    send(
        "POST",
        path("bindings", vhost, "e", exchange, "q", queue),
        Map.of("routing_key", routingKey, "arguments", Map.of()));
  }

  /**
   * Ends a binding of a queue to an exchange.
   *
   * @param exchange the source
   * @param queue the destination
   * @param routingKey the binding key, which is the name of a binding without arguments
   */
  public void unbind(String exchange, String queue, String routingKey) {
    delete(path("bindings", vhost, "e", exchange, "q", queue, routingKey));
  }

  /** Creates the virtual host, with full rights for the administrator. */
  public void createVhost() {
    put(path("vhosts", vhost), Map.of());
    grant(username, ".*", ".*", ".*");
  }

  /** Deletes the virtual host with all that is in it. */
  public void deleteVhost() {
    delete(path("vhosts", vhost));
  }

  /**
   * Creates a user without any permission, or changes the password.
   *
   * @param user the name
   * @param secret the password
   */
  public void createUser(String user, String secret) {
    createUser(user, secret, "");
  }

  /**
   * Creates a user without any permission, or changes the password and the tags.
   *
   * @param user the name
   * @param secret the password
   * @param tags such as "management", which lets it use the management API
   */
  public void createUser(String user, String secret, String tags) {
    put(path("users", user), Map.of("password", secret, "tags", tags));
  }

  /**
   * Limits how many connections a user may have.
   *
   * @param user the user
   * @param most how many; -1 for any number
   */
  public void limitConnections(String user, int most) {
    put(path("user-limits", user, "max-connections"), Map.of("value", most));
  }

  /**
   * Deletes a user.
   *
   * @param user the name
   */
  public void deleteUser(String user) {
    delete(path("users", user));
  }

  /**
   * Sets what a user may do in the virtual host.
   *
   * @param user the name
   * @param configure pattern of names that may be declared and deleted
   * @param write pattern of names that may be published to
   * @param read pattern of names that may be consumed from
   */
  public void grant(String user, String configure, String write, String read) {
    put(
        path("permissions", vhost, user),
        Map.of("configure", configure, "write", write, "read", read));
  }

  /**
   * Sets a policy for queues.
   *
   * @param name the policy
   * @param pattern of the names of the queues
   * @param definition what it sets, such as {@code max-length}
   */
  public void setPolicy(String name, String pattern, Map<String, Object> definition) {
    put(
        path("policies", vhost, name),
        Map.of("pattern", pattern, "definition", definition, "apply-to", "queues"));
  }

  /**
   * Deletes a policy.
   *
   * @param name the policy
   */
  public void deletePolicy(String name) {
    delete(path("policies", vhost, name));
  }

  /**
   * Lists the open connections of the virtual host.
   *
   * @return one JSON object per connection
   */
  public List<JsonNode> connections() {
    return list(path("vhosts", vhost, "connections"));
  }

  /**
   * Lists the open channels of the virtual host.
   *
   * @return one JSON object per channel
   */
  public List<JsonNode> channels() {
    return list(path("vhosts", vhost, "channels"));
  }

  /**
   * Lists the consumers of the virtual host.
   *
   * @return one JSON object per consumer
   */
  public List<JsonNode> consumers() {
    return list(path("consumers", vhost));
  }

  /**
   * Asks anything.
   *
   * @param path the path below {@code /api/}, encoded
   * @return the answer
   */
  public JsonNode get(String path) {
    return send("GET", path, null);
  }

  /** Only a leader reports counters, and they are forgotten when a broker stops. */
  boolean quorumQueuesHaveLeaders() {
    return list("queues").stream()
        .filter(queue -> queue.path("type").asText().equals(QueueKind.QUORUM.wireName()))
        .allMatch(Management::hasReported);
  }

  private static boolean hasReported(JsonNode queue) {
    return queue.has("messages");
  }

  String username() {
    return username;
  }

  String password() {
    return password;
  }

  static String encode(String part) {
    return URLEncoder.encode(part, StandardCharsets.UTF_8).replace("+", "%20");
  }

  private static String path(String... parts) {
    List<String> encoded = new ArrayList<>();
    for (String part : parts) {
      encoded.add(encode(part));
    }
    return String.join("/", encoded);
  }

  private static HttpClient newClient() {
    return HttpClient.newBuilder()
        .version(HttpClient.Version.HTTP_1_1)
        .connectTimeout(TIMEOUT)
        .build();
  }

  private List<JsonNode> list(String path) {
    List<JsonNode> items = new ArrayList<>();
    get(path).forEach(items::add);
    return items;
  }

  private void put(String path, Object body) {
    send("PUT", path, body);
  }

  private void delete(String path) {
    send("DELETE", path, null);
  }

  private JsonNode send(String method, String path, @Nullable Object body) {
    try {
      HttpResponse<String> response =
          http.send(request(method, path, body), HttpResponse.BodyHandlers.ofString());
      boolean gone = response.statusCode() == 404 && method.equals("DELETE");
      if (response.statusCode() >= 300 && !gone) {
        throw new IllegalStateException(
            "%s %s: %d %s".formatted(method, path, response.statusCode(), response.body()));
      }
      return JSON.readTree(response.body());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException(e);
    }
  }

  private HttpRequest request(String method, String path, @Nullable Object body)
      throws IOException {
    String login = username + ":" + password;
    BodyPublisher content =
        body == null
            ? BodyPublishers.noBody()
            : BodyPublishers.ofString(JSON.writeValueAsString(body));
    return HttpRequest.newBuilder(base.resolve("/api/" + path))
        .timeout(TIMEOUT)
        .header(
            "Authorization",
            "Basic " + Base64.getEncoder().encodeToString(login.getBytes(StandardCharsets.UTF_8)))
        .header("Content-Type", "application/json")
        .method(method, content)
        .build();
  }
}
