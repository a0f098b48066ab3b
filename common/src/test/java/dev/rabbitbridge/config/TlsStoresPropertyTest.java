// SPDX-License-Identifier: Apache-2.0
package dev.rabbitbridge.config;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rabbitbridge.tls.Certificates;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.Map;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.Size;
import net.jqwik.api.lifecycle.AfterContainer;
import net.jqwik.api.lifecycle.BeforeContainer;
import org.apache.kafka.common.config.ConfigDef;
import org.apache.kafka.common.config.ConfigValue;

/** Files that are no store of the type that is said of them. */
class TlsStoresPropertyTest {
  private static final ConnectorKeys KEYS =
      new ConnectorKeys(
          ConnectionConfig.addTo(new ConfigDef()),
          ConnectionConfig.ALIASES,
          ConnectionConfig.IGNORED_KEYS);

  private static final Map<Type, byte[]> WHOLE = new EnumMap<>(Type.class);

  private static Path directory;
  private static Certificates certificates;

  @BeforeContainer
  static void makeCertificates() throws IOException {
    directory = Files.createTempDirectory("stores");
    certificates = new Certificates(directory).sign("client", "bridge");
    for (Type type : Type.values()) {
      WHOLE.put(type, whole(type));
    }
  }

  @AfterContainer
  static void deleteThem() throws IOException {
    try (var files = Files.list(directory)) {
      for (Path file : files.toList()) {
        Files.delete(file);
      }
    }
    Files.delete(directory);
  }

  private enum Type {
    JKS,
    PKCS12,
    PEM
  }

  private static byte[] whole(Type type) throws IOException {
    return Files.readAllBytes(
        type == Type.PEM
            ? certificates.file("whole.pem", certificates.chainPem("client"))
            : certificates.keyStore("client", type.name()));
  }

  @Property(tries = 60)
  void aFileThatIsCutOffIsSaidInOneSentence(
      @ForAll Type type, @ForAll Type said, @ForAll @IntRange(max = 2000) int length)
      throws IOException {
    byte[] content = WHOLE.get(type);
    isSaid(said, Arrays.copyOf(content, Math.min(length, content.length - 1)));
  }

  @Property(tries = 60)
  void aFileOfAnythingIsSaidInOneSentence(
      @ForAll Type said, @ForAll @Size(max = 300) byte[] content) throws IOException {
    isSaid(said, content);
  }

  private static void isSaid(Type said, byte[] content) throws IOException {
    Path file = Files.write(directory.resolve("store"), content);
    for (String store : new String[] {"truststore", "keystore"}) {
      Map<String, String> props = new HashMap<>();
      props.put("rabbitmq.security.protocol", "SSL");
      props.put("rabbitmq.ssl." + store + ".location", file.toString());
      props.put("rabbitmq.ssl." + store + ".type", said.name());
      if (said != Type.PEM) {
        props.put("rabbitmq.ssl." + store + ".password", Certificates.PASSWORD);
      }

      assertThat(KEYS.validate(props, ConnectionConfig::checkRules))
          .flatExtracting(ConfigValue::errorMessages)
          .allSatisfy(
              sentence ->
                  assertThat(sentence)
                      .startsWith("rabbitmq.ssl." + store)
                      .doesNotContain(Certificates.PASSWORD)
                      .doesNotContainPattern(": *(null)?$")
                      .hasLineCount(1));
    }
  }
}
