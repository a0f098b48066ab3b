// SPDX-License-Identifier: Apache-2.0
package dev.rabbitbridge.harness.connect;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.rabbitbridge.harness.node.Endpoint;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.awaitility.Awaitility;
import org.awaitility.core.ConditionTimeoutException;
import org.jspecify.annotations.Nullable;

/**
 * Connect's REST interface. Requests that a rebalance holds up (409) are repeated for a minute; any
 * other refusal is a {@link RestException}. Safe from any thread.
 */
public final class ConnectRest {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final Duration TIMEOUT = Duration.ofSeconds(60);
  private static final Duration PAUSE = Duration.ofMillis(200);
  private static final String FAILED = "FAILED";

  private final HttpClient http =
      HttpClient.newBuilder()
          .version(HttpClient.Version.HTTP_1_1)
          .connectTimeout(Duration.ofSeconds(5))
          .build();
  private final Endpoint endpoint;

  /**
   * Describes an interface; nothing is sent.
   *
   * @param endpoint where it listens
   */
  public ConnectRest(Endpoint endpoint) {
    this.endpoint = endpoint;
  }

  /**
   * Returns the version of the worker.
   *
   * @return Kafka's version
   */
  public String version() {
    return send("GET", "/", null).path("version").asText();
  }

  /**
   * Lists the connector plugins that the worker has found.
   *
   * @return the class names
   */
  public List<String> plugins() {
    List<String> names = new ArrayList<>();
    send("GET", "/connector-plugins", null).forEach(p -> names.add(p.path("class").asText()));
    return names;
  }

  /**
   * Describes a connector plugin that the worker has found.
   *
   * @param connectorClass its class name
   * @return Connect's answer, with its type and version
   * @throws IllegalArgumentException if the worker has not found it
   */
  public JsonNode plugin(String connectorClass) {
    for (JsonNode plugin : send("GET", "/connector-plugins", null)) {
      if (plugin.path("class").asText().equals(connectorClass)) {
        return plugin;
      }
    }
    throw new IllegalArgumentException("The worker does not list " + connectorClass);
  }

  /**
   * Validates a connector configuration.
   *
   * @param config with {@code connector.class}; a missing {@code name} is filled in
   * @return Connect's answer
   */
  public Validation validate(Map<String, String> config) {
    Map<String, String> named = new java.util.HashMap<>(config);
    named.putIfAbsent("name", "validated");
    String plugin = named.getOrDefault("connector.class", "");
    return new Validation(send("PUT", "/connector-plugins/" + plugin + "/config/validate", named));
  }

  /**
   * Creates a connector or changes its configuration.
   *
   * @param connector its name
   * @param config its configuration
   */
  public void put(String connector, Map<String, String> config) {
    send("PUT", "/connectors/" + connector + "/config", config);
  }

  /**
   * Lists the connectors.
   *
   * @return their names
   */
  public List<String> connectors() {
    List<String> names = new ArrayList<>();
    send("GET", "/connectors", null).forEach(name -> names.add(name.asText()));
    return names;
  }

  /**
   * Returns the state of a connector and its tasks.
   *
   * @param connector its name
   * @return Connect's answer
   */
  public JsonNode status(String connector) {
    return send("GET", "/connectors/" + connector + "/status", null);
  }

  /**
   * Waits until a connector and all its tasks are RUNNING.
   *
   * @param connector its name
   * @param tasks how many tasks it must have
   * @throws IllegalStateException if it is not in time, or as soon as something has FAILED
   */
  public void awaitRunning(String connector, int tasks) {
    await(
        connector,
        "RUNNING with " + tasks + " tasks",
        status -> {
          if (!trace(status).isEmpty()) {
            throw new IllegalStateException(connector + " has failed: " + trace(status));
          }
          return states(status).stream().allMatch("RUNNING"::equals)
              && status.path("tasks").size() == tasks;
        });
  }

  /**
   * Waits until a connector or one of its tasks has FAILED.
   *
   * @param connector its name
   * @return the stack trace that Connect shows
   */
  public String awaitFailed(String connector) {
    return trace(
        await(connector, FAILED, status -> states(status).stream().anyMatch(FAILED::equals)));
  }

  /**
   * Waits until a connector and all its tasks have a state.
   *
   * @param connector its name
   * @param state such as PAUSED or STOPPED
   */
  public void awaitState(String connector, String state) {
    await(connector, state, status -> states(status).stream().allMatch(state::equals));
  }

  /**
   * Restarts a connector and all its tasks.
   *
   * @param connector its name
   */
  public void restart(String connector) {
    send("POST", "/connectors/" + connector + "/restart?includeTasks=true", null);
  }

  /**
   * Pauses a connector: its tasks stay, idle.
   *
   * @param connector its name
   */
  public void pause(String connector) {
    send("PUT", "/connectors/" + connector + "/pause", null);
  }

  /**
   * Resumes a paused or stopped connector.
   *
   * @param connector its name
   */
  public void resume(String connector) {
    send("PUT", "/connectors/" + connector + "/resume", null);
  }

  /**
   * Stops a connector: its tasks are gone, its configuration stays.
   *
   * @param connector its name
   */
  public void stop(String connector) {
    send("PUT", "/connectors/" + connector + "/stop", null);
  }

  /**
   * Deletes a connector; one that is not there is no error.
   *
   * @param connector its name
   */
  public void delete(String connector) {
    try {
      send("DELETE", "/connectors/" + connector, null);
    } catch (RestException e) {
      if (e.status() != 404) {
        throw e;
      }
    }
  }

  /**
   * Returns the stored offsets of a connector.
   *
   * @param connector its name
   * @return Connect's answer, an object with {@code offsets}
   */
  public JsonNode offsets(String connector) {
    return send("GET", "/connectors/" + connector + "/offsets", null);
  }

  /**
   * Changes the stored offsets of a stopped connector.
   *
   * @param connector its name
   * @param offsets an object with {@code offsets}, as {@link #offsets} returns it
   * @return Connect's answer
   */
  public JsonNode alterOffsets(String connector, Object offsets) {
    return send("PATCH", "/connectors/" + connector + "/offsets", offsets);
  }

  /**
   * Forgets the stored offsets of a stopped connector.
   *
   * @param connector its name
   * @return Connect's answer
   */
  public JsonNode resetOffsets(String connector) {
    return send("DELETE", "/connectors/" + connector + "/offsets", null);
  }

  /**
   * Asks for anything else.
   *
   * @param path such as {@code /connectors/orders/tasks}
   * @return Connect's answer
   */
  public JsonNode get(String path) {
    return send("GET", path, null);
  }

  /**
   * Changes how much a part of the worker logs, until its end.
   *
   * @param logger a package or class, or {@code root}
   * @param level such as {@code TRACE}
   */
  public void logLevel(String logger, String level) {
    send("PUT", "/admin/loggers/" + logger, Map.of("level", level));
  }

  boolean answers() {
    connectors();
    return true;
  }

  private JsonNode await(String connector, String what, java.util.function.Predicate<JsonNode> is) {
    JsonNode[] last = new JsonNode[1];
    try {
      Awaitility.await()
          .atMost(TIMEOUT)
          .pollDelay(Duration.ZERO)
          .pollInterval(PAUSE)
          .until(
              () -> {
                last[0] = statusOrMissing(connector);
                return !last[0].isMissingNode() && is.test(last[0]);
              });
      return last[0];
    } catch (ConditionTimeoutException e) {
      throw new IllegalStateException(
          "%s is not %s after %s: %s".formatted(connector, what, TIMEOUT, last[0]), e);
    }
  }

  private JsonNode statusOrMissing(String connector) {
    try {
      return status(connector);
    } catch (RestException e) {
      if (e.status() == 404) {
        return JSON.missingNode();
      }
      throw e;
    }
  }

  private static List<String> states(JsonNode status) {
    List<String> states = new ArrayList<>();
    states.add(status.path("connector").path("state").asText());
    status.path("tasks").forEach(task -> states.add(task.path("state").asText()));
    return states;
  }

  private static String trace(JsonNode status) {
    List<String> traces = new ArrayList<>();
    status
        .findParents("trace")
        .forEach(
            failed -> {
              if (FAILED.equals(failed.path("state").asText())) {
                traces.add(failed.path("trace").asText());
              }
            });
    return String.join("\n", traces);
  }

  private JsonNode send(String method, String path, @Nullable Object body) {
    long deadline = System.nanoTime() + TIMEOUT.toNanos();
    while (true) {
      try {
        return once(method, path, body);
      } catch (RestException e) {
        if (e.status() != 409 || System.nanoTime() > deadline) {
          throw e;
        }
        rest();
      }
    }
  }

  private JsonNode once(String method, String path, @Nullable Object body) {
    try {
      HttpRequest request =
          HttpRequest.newBuilder(URI.create("http://" + endpoint + path))
              .timeout(TIMEOUT)
              .header("Content-Type", "application/json")
              .method(
                  method,
                  body == null
                      ? BodyPublishers.noBody()
                      : BodyPublishers.ofString(JSON.writeValueAsString(body)))
              .build();
      HttpResponse<String> response = http.send(request, HttpResponse.BodyHandlers.ofString());
      if (response.statusCode() >= 300) {
        throw new RestException(method + " " + path, response.statusCode(), response.body());
      }
      return JSON.readTree(response.body());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException(e);
    }
  }

  private static void rest() {
    try {
      Thread.sleep(PAUSE.toMillis());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException(e);
    }
  }
}
