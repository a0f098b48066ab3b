// SPDX-License-Identifier: Apache-2.0
package dev.rabbitbridge.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.rabbitbridge.tls.Certificates;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import javax.net.ssl.SSLParameters;
import org.apache.kafka.common.config.AbstractConfig;
import org.apache.kafka.common.config.ConfigDef;
import org.apache.kafka.common.config.ConfigException;
import org.apache.kafka.common.config.ConfigValue;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

class TlsConfigTest {
  private static final String TRUST = "rabbitmq.ssl.truststore.";
  private static final String KEY = "rabbitmq.ssl.keystore.";
  private static final String KEY_PASSWORD = "rabbitmq.ssl.key.password";

  @TempDir static Path directory;
  private static Certificates certificates;
  private static ConnectorKeys keys;

  @BeforeAll
  static void makeCertificates() {
    certificates = new Certificates(directory).sign("client", "bridge");
    keys =
        new ConnectorKeys(
            ConnectionConfig.addTo(new ConfigDef()),
            ConnectionConfig.ALIASES,
            ConnectionConfig.IGNORED_KEYS);
  }

  static Stream<Map<String, String>> good() {
    String trust = certificates.file("trust.pem", certificates.authorityPem()).toString();
    String both =
        certificates
            .file("client.pem", certificates.keyPem("client") + certificates.chainPem("client"))
            .toString();
    return Stream.of(
        Map.of(),
        Map.of("rabbitmq.ssl.enabled.protocols", "TLSv1.2", "rabbitmq.ssl.protocol", "TLSv1.2"),
        Map.of("rabbitmq.ssl.endpoint.identification.algorithm", ""),
        Map.of(TRUST + "location", store("JKS"), TRUST + "password", Certificates.PASSWORD),
        Map.of(TRUST + "location", store("JKS")),
        // Forms send what was left out as empty text.
        Map.of(TRUST + "location", store("JKS"), TRUST + "password", "", KEY + "location", ""),
        Map.of(
            "rabbitmq.https.ssl.truststore.location",
            store("PKCS12"),
            "rabbitmq.https.ssl.truststore.password",
            Certificates.PASSWORD,
            "rabbitmq.https.ssl.truststore.type",
            "PKCS12"),
        Map.of(TRUST + "location", trust, TRUST + "type", "PEM"),
        Map.of(TRUST + "certificates", certificates.authorityPem(), TRUST + "type", "PEM"),
        Map.of(KEY + "location", key("JKS"), KEY + "password", Certificates.PASSWORD),
        Map.of(
            KEY + "location",
            key("PKCS12"),
            KEY + "password",
            Certificates.PASSWORD,
            KEY + "type",
            "PKCS12",
            KEY_PASSWORD,
            Certificates.PASSWORD),
        Map.of(KEY + "location", both, KEY + "type", "PEM"),
        Map.of(
            KEY + "key", certificates.keyPem("client"),
            KEY + "certificate.chain", certificates.chainPem("client"),
            KEY + "type", "PEM"));
  }

  @ParameterizedTest
  @MethodSource("good")
  void everyKindOfStoreIsRead(Map<String, String> ssl) { // F85
    Map<String, String> props = withTls(ssl);

    assertThat(errors(props)).isEmpty();
    assertThat(config(props).tls().context()).isNotNull();
  }

  static Stream<Arguments> bad() {
    String noPem = certificates.file("no.pem", "s3cret").toString();
    return Stream.of(
        row(TRUST + "location", Map.of(TRUST + "location", "/no/such/file")),
        row(TRUST + "location", Map.of(TRUST + "location", directory.toString())),
        row(TRUST + "location", Map.of(TRUST + "password", "s3cret")),
        row(
            TRUST + "password",
            Map.of(TRUST + "location", store("JKS"), TRUST + "password", "s3cret")),
        row(
            TRUST + "type",
            Map.of(
                TRUST + "location",
                noPem,
                TRUST + "password",
                Certificates.PASSWORD,
                TRUST + "type",
                "PKCS12")),
        row(TRUST + "type", Map.of(TRUST + "location", store("JKS"), TRUST + "type", "NONE")),
        row(TRUST + "location", Map.of(TRUST + "location", store("PKCS12"))),
        row(TRUST + "location", Map.of(TRUST + "location", noPem, TRUST + "type", "PEM")),
        row(
            TRUST + "certificates",
            Map.of(TRUST + "certificates", "s3cret", TRUST + "type", "PEM")),
        row(TRUST + "type", Map.of(TRUST + "certificates", "s3cret")),
        row(
            TRUST + "location",
            Map.of(
                TRUST + "location", noPem,
                TRUST + "certificates", "s3cret",
                TRUST + "type", "PEM")),
        row(
            TRUST + "password",
            Map.of(TRUST + "location", noPem, TRUST + "type", "PEM", TRUST + "password", "s3cret")),
        row(KEY + "password", Map.of(KEY + "location", key("JKS"))),
        row(
            KEY + "location",
            Map.of(KEY + "location", "/no/such/file", KEY + "password", "s3cret")),
        row(
            KEY + "location",
            Map.of(KEY + "location", store("JKS"), KEY + "password", Certificates.PASSWORD)),
        row(KEY + "password", Map.of(KEY + "location", key("JKS"), KEY + "password", "s3cret")),
        row(
            KEY_PASSWORD,
            Map.of(
                KEY + "location",
                key("JKS"),
                KEY + "password",
                Certificates.PASSWORD,
                KEY_PASSWORD,
                "s3cret")),
        row(
            KEY + "certificate.chain",
            Map.of(KEY + "key", certificates.keyPem("client"), KEY + "type", "PEM")),
        row(
            KEY + "key",
            Map.of(
                KEY + "certificate.chain", certificates.chainPem("client"), KEY + "type", "PEM")),
        row(
            KEY + "key",
            Map.of(
                KEY + "key", "s3cret",
                KEY + "certificate.chain", certificates.chainPem("client"),
                KEY + "type", "PEM")),
        row("rabbitmq.ssl.protocol", Map.of("rabbitmq.ssl.protocol", "TLSv9")),
        row("rabbitmq.ssl.provider", Map.of("rabbitmq.ssl.provider", "Nobody")),
        row("rabbitmq.ssl.enabled.protocols", Map.of("rabbitmq.ssl.enabled.protocols", "TLSv9")),
        row("rabbitmq.ssl.cipher.suites", Map.of("rabbitmq.ssl.cipher.suites", "NONE")),
        row("rabbitmq.ssl.keymanager.algorithm", Map.of("rabbitmq.ssl.keymanager.algorithm", "x")),
        row(
            "rabbitmq.ssl.trustmanager.algorithm",
            Map.of("rabbitmq.ssl.trustmanager.algorithm", "x")),
        row(
            "rabbitmq.ssl.secure.random.implementation",
            Map.of("rabbitmq.ssl.secure.random.implementation", "x")),
        row(
            "rabbitmq.ssl.endpoint.identification.algorithm",
            Map.of("rabbitmq.ssl.endpoint.identification.algorithm", "none")),
        row(
            "rabbitmq.ssl.engine.factory.class",
            Map.of("rabbitmq.ssl.engine.factory.class", "java.lang.String")));
  }

  @ParameterizedTest
  @MethodSource("bad")
  void whatIsWrongIsSaidOfExactlyItsKey(String key, Map<String, String> ssl) { // F85
    Map<String, String> props = withTls(ssl);

    assertThat(errors(props).keySet()).containsExactly(key);
    assertThat(errors(props).toString()).doesNotContain("s3cret");
    assertThatThrownBy(() -> config(props).tls().context())
        .isInstanceOf(ConfigException.class)
        .hasMessageStartingWith(key + " ")
        .hasMessageNotContaining("s3cret")
        .hasNoCause();
  }

  @Test
  void withoutTlsNothingIsReadButItIsWarnedOf() {
    Map<String, String> props = Map.of(TRUST + "location", "/no/such/file");

    assertThat(errors(props)).isEmpty();
    assertThat(config(props).warnings())
        .singleElement()
        .asString()
        .startsWith(TRUST + "location has no effect");
  }

  @Test
  void aSocketChecksTheHostNameUnlessToldOtherwise() { // F84
    SSLParameters checked = config(Map.of()).tls().applyTo(new SSLParameters());
    SSLParameters unchecked =
        config(Map.of("rabbitmq.ssl.endpoint.identification.algorithm", ""))
            .tls()
            .applyTo(new SSLParameters());

    assertThat(checked.getEndpointIdentificationAlgorithm()).isEqualTo("HTTPS");
    assertThat(checked.getProtocols()).containsExactly("TLSv1.2", "TLSv1.3");
    assertThat(checked.getCipherSuites()).isNull();
    assertThat(unchecked.getEndpointIdentificationAlgorithm()).isNull();
  }

  @Test
  void anUncheckedHostNameIsWarnedOf() { // F84
    Map<String, String> props =
        Map.of(
            "rabbitmq.security.protocol", "SSL",
            "rabbitmq.ssl.endpoint.identification.algorithm", "");

    assertThat(config(props).warnings())
        .singleElement()
        .asString()
        .startsWith("rabbitmq.ssl.endpoint.identification.algorithm is empty");
  }

  private static String store(String type) {
    return certificates.trustStore(type).toString();
  }

  private static String key(String type) {
    return certificates.keyStore("client", type).toString();
  }

  private static Arguments row(String key, Map<String, String> ssl) {
    return Arguments.of(key, ssl);
  }

  private static Map<String, String> withTls(Map<String, String> ssl) {
    Map<String, String> all = new HashMap<>(ssl);
    all.put(TlsConfig.SECURITY_PROTOCOL_CONFIG, "SSL");
    return all;
  }

  private static Map<String, List<String>> errors(Map<String, String> props) {
    return keys.validate(props, ConnectionConfig::checkRules).stream()
        .filter(value -> !value.errorMessages().isEmpty())
        .collect(Collectors.toMap(ConfigValue::name, ConfigValue::errorMessages));
  }

  private static ConnectionConfig config(Map<String, String> props) {
    return new ConnectionConfig(new AbstractConfig(keys.definition(), keys.resolve(props), false));
  }
}
