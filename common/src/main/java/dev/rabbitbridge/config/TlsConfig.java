// SPDX-License-Identifier: Apache-2.0
package dev.rabbitbridge.config;

import static org.apache.kafka.common.config.ConfigDef.Importance.HIGH;
import static org.apache.kafka.common.config.SslConfigs.SSL_CIPHER_SUITES_CONFIG;
import static org.apache.kafka.common.config.SslConfigs.SSL_ENABLED_PROTOCOLS_CONFIG;
import static org.apache.kafka.common.config.SslConfigs.SSL_ENDPOINT_IDENTIFICATION_ALGORITHM_CONFIG;
import static org.apache.kafka.common.config.SslConfigs.SSL_ENGINE_FACTORY_CLASS_CONFIG;
import static org.apache.kafka.common.config.SslConfigs.SSL_KEYMANAGER_ALGORITHM_CONFIG;
import static org.apache.kafka.common.config.SslConfigs.SSL_KEYSTORE_CERTIFICATE_CHAIN_CONFIG;
import static org.apache.kafka.common.config.SslConfigs.SSL_KEYSTORE_KEY_CONFIG;
import static org.apache.kafka.common.config.SslConfigs.SSL_KEYSTORE_LOCATION_CONFIG;
import static org.apache.kafka.common.config.SslConfigs.SSL_KEYSTORE_PASSWORD_CONFIG;
import static org.apache.kafka.common.config.SslConfigs.SSL_KEYSTORE_TYPE_CONFIG;
import static org.apache.kafka.common.config.SslConfigs.SSL_KEY_PASSWORD_CONFIG;
import static org.apache.kafka.common.config.SslConfigs.SSL_PROTOCOL_CONFIG;
import static org.apache.kafka.common.config.SslConfigs.SSL_PROVIDER_CONFIG;
import static org.apache.kafka.common.config.SslConfigs.SSL_SECURE_RANDOM_IMPLEMENTATION_CONFIG;
import static org.apache.kafka.common.config.SslConfigs.SSL_TRUSTMANAGER_ALGORITHM_CONFIG;
import static org.apache.kafka.common.config.SslConfigs.SSL_TRUSTSTORE_CERTIFICATES_CONFIG;
import static org.apache.kafka.common.config.SslConfigs.SSL_TRUSTSTORE_LOCATION_CONFIG;
import static org.apache.kafka.common.config.SslConfigs.SSL_TRUSTSTORE_PASSWORD_CONFIG;
import static org.apache.kafka.common.config.SslConfigs.SSL_TRUSTSTORE_TYPE_CONFIG;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.Predicate;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLParameters;
import org.apache.kafka.common.config.ConfigDef;
import org.apache.kafka.common.config.ConfigDef.ConfigKey;
import org.apache.kafka.common.config.ConfigDef.Importance;
import org.apache.kafka.common.config.ConfigDef.Type;
import org.apache.kafka.common.config.ConfigDef.Width;
import org.apache.kafka.common.config.ConfigException;
import org.apache.kafka.common.config.ConfigValue;
import org.apache.kafka.common.config.SslConfigs;
import org.apache.kafka.common.config.types.Password;
import org.jspecify.annotations.Nullable;

/**
 * TLS settings: Kafka's own {@code ssl.*}, under a prefix. Types, defaults and what reads the
 * stores are the Kafka client's.
 *
 * <p>Immutable; safe for use by any thread.
 */
public final class TlsConfig {
  /** Whether the connection to RabbitMQ uses TLS. */
  public static final String SECURITY_PROTOCOL_CONFIG = "rabbitmq.security.protocol";

  static final String PREFIX = "rabbitmq.";
  private static final int AMQP_PORT = 5672;
  private static final int AMQPS_PORT = 5671;
  private static final String GROUP = "TLS";

  private static final List<Setting> TRUST =
      List.of(
          new Setting(
              SSL_TRUSTSTORE_LOCATION_CONFIG,
              "Trust store",
              Width.LONG,
              HIGH,
              "File with the certificates of the authorities that may have signed the server's certificate. Without it and without inline certificates the JVM's own trust applies."),
          new Setting(
              SSL_TRUSTSTORE_PASSWORD_CONFIG,
              "Trust store password",
              Width.MEDIUM,
              HIGH,
              "Password of the trust store; not for PEM. A PKCS12 store shows no certificate without it."),
          new Setting(
              SSL_TRUSTSTORE_TYPE_CONFIG,
              "Trust store type",
              Width.SHORT,
              Importance.MEDIUM,
              "Format of the trust store: JKS, PKCS12 or PEM."),
          new Setting(
              SSL_TRUSTSTORE_CERTIFICATES_CONFIG,
              "Trusted certificates (PEM)",
              Width.LONG,
              HIGH,
              "Trusted certificates themselves, as PEM, instead of a file. Needs the store type PEM."));

  private static final List<Setting> REST =
      List.of(
          new Setting(
              SSL_KEYSTORE_LOCATION_CONFIG,
              "Key store",
              Width.LONG,
              HIGH,
              "File with the client's private key and certificate, for brokers that ask for one."),
          new Setting(
              SSL_KEYSTORE_PASSWORD_CONFIG,
              "Key store password",
              Width.MEDIUM,
              HIGH,
              "Password of the key store; not for PEM."),
          new Setting(
              SSL_KEYSTORE_TYPE_CONFIG,
              "Key store type",
              Width.SHORT,
              Importance.MEDIUM,
              "Format of the key store: JKS, PKCS12 or PEM."),
          new Setting(
              SSL_KEYSTORE_KEY_CONFIG,
              "Private key (PEM)",
              Width.LONG,
              HIGH,
              "Private key itself, as PEM with PKCS#8, instead of a file. Needs the store type PEM and the certificate chain."),
          new Setting(
              SSL_KEYSTORE_CERTIFICATE_CHAIN_CONFIG,
              "Certificate chain (PEM)",
              Width.LONG,
              HIGH,
              "Client certificate and those that signed it, as PEM, to go with the inline private key."),
          new Setting(
              SSL_KEY_PASSWORD_CONFIG,
              "Private key password",
              Width.MEDIUM,
              HIGH,
              "Password of the private key, where it has one of its own."),
          new Setting(
              SSL_ENDPOINT_IDENTIFICATION_ALGORITHM_CONFIG,
              "Host name check",
              Width.SHORT,
              Importance.MEDIUM,
              "https checks that the server's certificate is for the host that was asked for. Empty turns that off, which lets any holder of a trusted certificate pose as the server."),
          new Setting(
              SSL_ENABLED_PROTOCOLS_CONFIG,
              "Enabled protocols",
              Width.MEDIUM,
              Importance.MEDIUM,
              "TLS versions that may be used. The newest that both sides have is."),
          new Setting(
              SSL_PROTOCOL_CONFIG,
              "Protocol",
              Width.SHORT,
              Importance.LOW,
              "TLS version that the SSL context is made for; with TLSv1.2 there is no TLSv1.3."),
          new Setting(
              SSL_CIPHER_SUITES_CONFIG,
              "Cipher suites",
              Width.LONG,
              Importance.LOW,
              "Cipher suites that may be used. Empty leaves the JVM's own."),
          new Setting(
              SSL_PROVIDER_CONFIG,
              "Security provider",
              Width.MEDIUM,
              Importance.LOW,
              "Java security provider of the SSL context. Empty takes the JVM's first."),
          new Setting(
              SSL_KEYMANAGER_ALGORITHM_CONFIG,
              "Key manager algorithm",
              Width.SHORT,
              Importance.LOW,
              "Algorithm of the key manager factory."),
          new Setting(
              SSL_TRUSTMANAGER_ALGORITHM_CONFIG,
              "Trust manager algorithm",
              Width.SHORT,
              Importance.LOW,
              "Algorithm of the trust manager factory."),
          new Setting(
              SSL_SECURE_RANDOM_IMPLEMENTATION_CONFIG,
              "Secure random",
              Width.MEDIUM,
              Importance.LOW,
              "Algorithm of the random numbers. Empty takes the JVM's."),
          new Setting(
              SSL_ENGINE_FACTORY_CLASS_CONFIG,
              "SSL engine factory",
              Width.LONG,
              Importance.LOW,
              "Must stay empty: RabbitMQ's client works on sockets, for which an engine is of no use."));

  private final String prefix;
  private final Map<String, Object> ssl;

  private TlsConfig(String prefix, Map<String, Object> ssl) {
    this.prefix = prefix;
    this.ssl = ssl;
  }

  /**
   * Takes the settings below a prefix out of parsed values; those that are not there keep Kafka's
   * defaults.
   */
  static TlsConfig of(Map<String, ?> parsed, String prefix) {
    Map<String, Object> ssl = new HashMap<>();
    for (ConfigKey key : kafkas().values()) {
      Object value = parsed.get(prefix + key.name);
      ssl.put(key.name, isEmpty(key.name, value) ? key.defaultValue : value);
    }
    return new TlsConfig(prefix, ssl);
  }

  /** Forms send empty text for what was left out. */
  private static boolean isEmpty(String key, @Nullable Object value) {
    return value == null
        || (value instanceof Password password && password.value().isEmpty())
        || ("".equals(value) && !key.equals(SSL_ENDPOINT_IDENTIFICATION_ALGORITHM_CONFIG));
  }

  static ConfigDef addTo(ConfigDef def) {
    def.define(
        SECURITY_PROTOCOL_CONFIG,
        Type.STRING,
        SecurityProtocol.PLAINTEXT.name(),
        Choice.ofCapitals(SecurityProtocol.class),
        HIGH,
        "SSL for TLS, which also moves the default port to 5671; PLAINTEXT for none. A URI says it by amqps:// or amqp://.",
        GROUP,
        1,
        Width.SHORT,
        "Security protocol",
        Choice.ofCapitals(SecurityProtocol.class));
    define(def, PREFIX, GROUP, 2, TRUST, TlsConfig::isOn);
    define(def, PREFIX, GROUP, 2 + TRUST.size(), REST, TlsConfig::isOn);
    return def;
  }

  /** Adds what says whom to trust, and nothing else, under a prefix of its own. */
  static void addTrustTo(
      ConfigDef def,
      String prefix,
      String group,
      int order,
      Predicate<Map<String, Object>> visible) {
    define(def, prefix, group, order, TRUST, visible);
  }

  private static void define(
      ConfigDef def,
      String prefix,
      String group,
      int firstOrder,
      List<Setting> settings,
      Predicate<Map<String, Object>> visible) {
    Map<String, ConfigKey> kafkas = kafkas();
    int order = firstOrder;
    for (Setting setting : settings) {
      ConfigKey kafkaKey = kafkas.get(setting.key());
      def.define(
          prefix + setting.key(),
          kafkaKey.type,
          kafkaKey.defaultValue,
          kafkaKey.validator,
          setting.importance(),
          setting.doc(),
          group,
          order++,
          setting.width(),
          setting.display(),
          new Suggestions(suggested(setting.key()), visible));
    }
  }

  private static Map<String, ConfigKey> kafkas() {
    ConfigDef kafkas = new ConfigDef();
    SslConfigs.addClientSslSupport(kafkas);
    return kafkas.configKeys();
  }

  private static List<String> suggested(String key) {
    return switch (key) {
      case SSL_TRUSTSTORE_TYPE_CONFIG, SSL_KEYSTORE_TYPE_CONFIG -> List.of("JKS", "PKCS12", "PEM");
      case SSL_PROTOCOL_CONFIG -> List.of("TLSv1.3", "TLSv1.2");
      case SSL_ENDPOINT_IDENTIFICATION_ALGORITHM_CONFIG -> List.of("https", "");
      default -> List.of();
    };
  }

  /** Tells whether the connection to RabbitMQ uses TLS. */
  static boolean isOn(Map<String, ?> parsed) {
    return saysSsl(parsed) || ConnectionConfig.uriSaysTls(parsed);
  }

  static boolean saysSsl(Map<String, ?> parsed) {
    return parsed.get(SECURITY_PROTOCOL_CONFIG) instanceof String written
        && written.equalsIgnoreCase(SecurityProtocol.SSL.name());
  }

  static int amqpPort(boolean tls) {
    return tls ? AMQPS_PORT : AMQP_PORT;
  }

  /** Reads the stores and adds an error to the setting that is wrong. */
  static void checkRules(String prefix, Map<String, ConfigValue> values) {
    try {
      of(ConnectionConfig.parsed(values), prefix).context();
    } catch (InvalidSetting e) {
      values.get(e.key()).addErrorMessage(e.problem());
    }
  }

  /**
   * Reads the stores from their files and makes a context of them.
   *
   * @return a new context; without a trust store it has the JVM's own trust
   * @throws ConfigException naming the setting that is wrong
   */
  public SSLContext context() {
    return new TlsStores(prefix, ssl).context();
  }

  /**
   * Gives the settings of one socket: versions, cipher suites, host name check.
   *
   * @param socketDefaults what the socket would do; changed
   * @return the same parameters
   */
  public SSLParameters applyTo(SSLParameters socketDefaults) {
    strings(SSL_ENABLED_PROTOCOLS_CONFIG, socketDefaults::setProtocols);
    strings(SSL_CIPHER_SUITES_CONFIG, socketDefaults::setCipherSuites);
    socketDefaults.setEndpointIdentificationAlgorithm(checksHostName() ? "HTTPS" : null);
    return socketDefaults;
  }

  /**
   * Tells whether the server's certificate has to be for its host.
   *
   * @return false only if the user turned it off
   */
  public boolean checksHostName() {
    return !"".equals(ssl.get(SSL_ENDPOINT_IDENTIFICATION_ALGORITHM_CONFIG));
  }

  /** Tells whether there is a certificate to show to the broker. */
  boolean hasClientCertificate() {
    return ssl.get(SSL_KEYSTORE_LOCATION_CONFIG) != null
        || ssl.get(SSL_KEYSTORE_KEY_CONFIG) != null;
  }

  private void strings(String key, Consumer<String[]> target) {
    List<?> values = (List<?>) ssl.get(key);
    if (values != null && !values.isEmpty()) {
      target.accept(values.toArray(new String[0]));
    }
  }

  private enum SecurityProtocol {
    PLAINTEXT,
    SSL
  }

  private record Setting(
      String key, String display, Width width, Importance importance, String doc) {}
}
