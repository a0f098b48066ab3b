// SPDX-License-Identifier: Apache-2.0
package dev.rabbitbridge.harness.metrics;

import dev.rabbitbridge.harness.node.Endpoint;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** What Prometheus gets from a worker: per metric the value of each of its series. */
public final class Scrape {
  private static final Pattern SAMPLE =
      Pattern.compile("^(kafka_connect_[a-z0-9_]+)(\\{.*}) (\\S+)$", Pattern.MULTILINE);

  private final HttpClient http = HttpClient.newHttpClient();
  private final HttpRequest request;

  public Scrape(Endpoint endpoint) {
    request = HttpRequest.newBuilder(URI.create("http://" + endpoint + "/metrics")).build();
  }

  public Map<String, List<Double>> read() {
    Map<String, List<Double>> values = new TreeMap<>();
    Matcher samples = SAMPLE.matcher(text());
    while (samples.find()) {
      values
          .computeIfAbsent(samples.group(1), name -> new ArrayList<>())
          .add(Double.valueOf(samples.group(3)));
    }
    return values;
  }

  /** Returns the answer as it is. */
  String text() {
    try {
      return http.send(request, HttpResponse.BodyHandlers.ofString()).body();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException(e);
    }
  }
}
