// SPDX-License-Identifier: Apache-2.0
package dev.rabbitbridge.harness.bench;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class PeerTest {
  @TempDir Path folder;

  @Test
  void aPeerMayBeASinkOnly() throws IOException {
    Path json = Files.writeString(folder.resolve("sink.json"), "{}");

    Peer peer = Peer.parse("other=" + folder + ":" + json + ":");

    assertThat(peer).isEqualTo(new Peer("other", folder, json, null));
  }

  @Test
  void placeholdersAreFilledInAndOthersLeftAlone() throws IOException {
    Path json =
        Files.writeString(
            folder.resolve("sink.json"), "{\"to\": \"${host}:${port}\", \"key\": \"${key}\"}");

    Map<String, String> config = Peer.config(json, Map.of("host", "here", "port", "1"));

    assertThat(config).containsOnly(Map.entry("to", "here:1"), Map.entry("key", "${key}"));
  }

  @Test
  void whatIsNotAPeerIsRefusedBeforeAnythingStarts() {
    assertThatThrownBy(() -> Peer.parse("other")).hasMessageContaining("NAME=FOLDER");
    assertThatThrownBy(() -> Peer.parse("other=" + folder + ":missing.json:"))
        .hasMessageContaining("missing.json does not exist");
  }
}
