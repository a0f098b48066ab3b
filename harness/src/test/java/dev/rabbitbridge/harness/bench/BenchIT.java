// SPDX-License-Identifier: Apache-2.0
package dev.rabbitbridge.harness.bench;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rabbitbridge.harness.rabbitmq.QueueKind;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The instrument itself, not what it measures. */
class BenchIT {
  private final Load load = new Load(QueueKind.CLASSIC, 100, 1000, 100_000);

  @Test
  void everyContenderIsMeasuredOverAllItsMessages() throws Exception {
    try (Lab lab = new Lab(List.of())) {
      Connectors connectors = new Connectors(lab);
      measure(
          lab,
          Arena.TO_QUEUE,
          connectors.noOpSink(),
          Connectors.contender(
              "bare loop", place -> new BarePublisher(lab, place.queue(), place.load())),
          Connectors.contender(
              "transactions", place -> new TransactionPublisher(lab, null, place, 1000)),
          connectors.sink());
      measure(
          lab,
          Arena.FROM_QUEUE,
          connectors.memorySource(),
          Connectors.contender(
              "bare consumer",
              place -> new BareConsumer(lab, place.queue(), place.load().window())),
          connectors.source());
    }
  }

  private void measure(Lab lab, Arena arena, Contender... contenders) throws Exception {
    for (Contender contender : contenders) {
      Sample sample = arena.measure(lab, contender, load);

      assertThat(sample.perSecond()).as(contender.name()).isBetween(100.0, 1e8);
      assertThat(sample.cpuMicros()).as(contender.name()).isBetween(0.0, 1e5);
      assertThat(sample.bytes()).as(contender.name()).isBetween(1.0, 1e6);
    }
  }
}
