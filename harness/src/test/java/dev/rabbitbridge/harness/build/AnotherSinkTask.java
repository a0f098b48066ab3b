// SPDX-License-Identifier: Apache-2.0
package dev.rabbitbridge.harness.build;

import com.rabbitmq.client.Connection;
import com.rabbitmq.client.ConnectionFactory;
import java.io.IOException;
import java.net.URISyntaxException;
import java.security.GeneralSecurityException;
import java.util.Collection;
import java.util.Map;
import java.util.concurrent.TimeoutException;
import org.apache.kafka.connect.errors.ConnectException;
import org.apache.kafka.connect.sink.SinkRecord;
import org.apache.kafka.connect.sink.SinkTask;
import org.jspecify.annotations.Nullable;

/** Holds a connection to RabbitMQ, under its connector's name, and drops every record. */
public final class AnotherSinkTask extends SinkTask {
  private @Nullable Connection connection;

  @Override
  public String version() {
    return "";
  }

  @Override
  public void start(Map<String, String> properties) {
    try {
      ConnectionFactory factory = new ConnectionFactory();
      factory.setUri(properties.get(AnotherSinkConnector.URI_CONFIG));
      connection = factory.newConnection(properties.get("name"));
    } catch (IOException | TimeoutException | GeneralSecurityException | URISyntaxException e) {
      throw new ConnectException("No connection", e);
    }
  }

  @Override
  public void put(Collection<SinkRecord> records) {}

  @Override
  public void stop() {
    Connection open = connection;
    if (open != null) {
      open.abort();
    }
  }
}
