// SPDX-License-Identifier: Apache-2.0
package dev.rabbitbridge.source;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rabbitbridge.connection.BrokerConnector;
import dev.rabbitbridge.connection.Outage;
import dev.rabbitbridge.connection.Topology;
import dev.rabbitbridge.failure.Fault;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.apache.kafka.connect.errors.ConnectException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class LinkTest {
  @Test
  void aSettingThatCannotBeUsedGivesUpWithItsSentence(@TempDir Path dir) throws Exception { // F85
    Path store = Files.writeString(dir.resolve("trust.p12"), "no store");
    RabbitMQSourceConfig config =
        new RabbitMQSourceConfig(
            Map.of(
                "rabbitmq.queue", "q",
                "kafka.topic", "t",
                "rabbitmq.security.protocol", "SSL",
                "rabbitmq.ssl.truststore.type", "PKCS12",
                "rabbitmq.ssl.truststore.location", store.toString()));
    List<Throwable> gaveUp = new ArrayList<>();
    Link link =
        new Link(
            new BrokerConnector(config.connection(), "orders", "0"),
            new Outage(config.connection(), "orders-0"),
            Topology.of(config.topology(), null, config.queues(), "#"),
            "queues",
            () -> 0,
            gaveUp::add);

    link.run();

    assertThat(gaveUp)
        .singleElement()
        .isInstanceOf(ConnectException.class)
        .asString()
        .contains(Fault.SETTING.id() + ": rabbitmq.ssl.truststore.");
  }
}
