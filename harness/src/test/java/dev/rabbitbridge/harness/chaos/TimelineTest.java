// SPDX-License-Identifier: Apache-2.0
package dev.rabbitbridge.harness.chaos;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayInputStream;
import java.nio.charset.StandardCharsets;
import javax.xml.parsers.DocumentBuilderFactory;
import org.junit.jupiter.api.Test;
import org.w3c.dom.Document;

class TimelineTest {
  @Test
  void thePictureIsWellFormedAndHasABandForEachFault() throws Exception {
    Timeline timeline = new Timeline();
    for (int second = 0; second < 5; second++) {
      timeline.note(100L * second, 90L * second);
    }
    timeline.band("rabbitmq-kill", System.nanoTime() - 1_000_000, System.nanoTime());
    timeline.note(600, 600);

    Document svg =
        DocumentBuilderFactory.newInstance()
            .newDocumentBuilder()
            .parse(
                new ByteArrayInputStream(timeline.svg("seed 1").getBytes(StandardCharsets.UTF_8)));

    assertThat(svg.getElementsByTagName("rect").getLength()).isEqualTo(2);
    assertThat(svg.getElementsByTagName("polyline").getLength()).isEqualTo(1);
    assertThat(svg.getDocumentElement().getTextContent())
        .contains("rabbitmq-kill")
        .contains("seed 1");
  }
}
