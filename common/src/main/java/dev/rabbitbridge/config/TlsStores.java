// SPDX-License-Identifier: Apache-2.0
package dev.rabbitbridge.config;

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

import dev.rabbitbridge.failure.Failure;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.KeyStoreException;
import java.security.SecureRandom;
import java.security.UnrecoverableKeyException;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.TrustManagerFactory;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.errors.InvalidConfigurationException;
import org.apache.kafka.common.security.ssl.DefaultSslEngineFactory;
import org.jspecify.annotations.Nullable;

/**
 * Makes an SSL context with what Kafka's clients use for it, and says of a failure which setting it
 * is about.
 */
final class TlsStores {
  private static final String PEM = DefaultSslEngineFactory.PEM_TYPE;
  private final String prefix;
  private final Map<String, Object> ssl;

  TlsStores(String prefix, Map<String, Object> ssl) {
    this.prefix = prefix;
    this.ssl = ssl;
  }

  SSLContext context() {
    checkNames();
    checkCombination(Store.TRUST);
    checkCombination(Store.KEY);
    DefaultSslEngineFactory stores = loaded();
    checkContent(Store.TRUST, stores.truststore());
    checkContent(Store.KEY, stores.keystore());
    SSLContext context = stores.sslContext();
    SSLParameters supported = context.getSupportedSSLParameters();
    checkSupported(SSL_ENABLED_PROTOCOLS_CONFIG, supported.getProtocols());
    checkSupported(SSL_CIPHER_SUITES_CONFIG, supported.getCipherSuites());
    return context;
  }

  private void checkNames() {
    if (isSet(SSL_ENGINE_FACTORY_CLASS_CONFIG)) {
      throw invalid(
          SSL_ENGINE_FACTORY_CLASS_CONFIG, "cannot be used with RabbitMQ's client; remove it");
    }
    if (isSet(SSL_ENDPOINT_IDENTIFICATION_ALGORITHM_CONFIG)
        && !"https".equalsIgnoreCase(text(SSL_ENDPOINT_IDENTIFICATION_ALGORITHM_CONFIG))) {
      throw invalid(SSL_ENDPOINT_IDENTIFICATION_ALGORITHM_CONFIG, "must be https, or empty");
    }
    exists(SSL_PROVIDER_CONFIG, name -> SSLContext.getInstance("TLS", name));
    exists(
        SSL_PROTOCOL_CONFIG,
        name ->
            isSet(SSL_PROVIDER_CONFIG)
                ? SSLContext.getInstance(name, text(SSL_PROVIDER_CONFIG))
                : SSLContext.getInstance(name));
    exists(SSL_KEYMANAGER_ALGORITHM_CONFIG, KeyManagerFactory::getInstance);
    exists(SSL_TRUSTMANAGER_ALGORITHM_CONFIG, TrustManagerFactory::getInstance);
    exists(SSL_SECURE_RANDOM_IMPLEMENTATION_CONFIG, SecureRandom::getInstance);
  }

  private void exists(String key, Lookup lookup) {
    if (isSet(key)) {
      try {
        lookup.find(text(key));
      } catch (GeneralSecurityException | IllegalArgumentException e) {
        throw invalid(key, "is something that this JVM does not have: " + text(key));
      }
    }
  }

  private void checkCombination(Store store) {
    boolean pem = PEM.equals(ssl.get(store.type));
    List<String> inline = store.inline().stream().filter(this::isSet).toList();
    if (!inline.isEmpty()) {
      String given = prefix + inline.get(0);
      if (!pem) {
        throw invalid(store.type, "must be PEM, because " + given + " is set");
      }
      if (isSet(store.location)) {
        throw invalid(store.location, "and " + given + " exclude each other; remove one");
      }
      for (String needed : store.inline()) {
        if (!isSet(needed)) {
          throw invalid(needed, "is needed with " + given);
        }
      }
    }
    if (isSet(store.password)) {
      if (pem) {
        throw invalid(
            store.password,
            "does not go with PEM; an encrypted key has " + prefix + SSL_KEY_PASSWORD_CONFIG);
      }
      if (!isSet(store.location)) {
        throw invalid(store.location, "is needed, because its password is set");
      }
    } else if (store == Store.KEY && isSet(store.location) && !pem) {
      throw invalid(store.password, "is needed with " + prefix + store.location);
    }
    if (isSet(store.location) && !isReadable(text(store.location))) {
      throw invalid(
          store.location, "names a file that this worker cannot read: " + text(store.location));
    }
  }

  private static boolean isReadable(String location) {
    try {
      Path file = Path.of(location);
      return Files.isRegularFile(file) && Files.isReadable(file);
    } catch (InvalidPathException e) {
      return false;
    }
  }

  private void checkContent(Store store, @Nullable KeyStore content) {
    if (content == null) {
      return;
    }
    try {
      boolean useful = false;
      for (String alias : Collections.list(content.aliases())) {
        useful |= store == Store.TRUST || content.isKeyEntry(alias);
      }
      if (!useful) {
        throw invalid(
            store.location,
            store == Store.TRUST
                ? "has no certificate that can be read; a PKCS12 store shows none without its"
                    + " password, nor those that keytool did not mark as trusted"
                : "has no private key");
      }
    } catch (KeyStoreException e) {
      throw new IllegalStateException("a loaded store tells its entries", e);
    }
  }

  private DefaultSslEngineFactory loaded() {
    try {
      return loaded(ssl);
    } catch (KafkaException e) {
      Map<String, Object> trustOnly = new HashMap<>(ssl);
      trustOnly.put(Store.KEY.location, null);
      trustOnly.put(Store.KEY.password, null);
      Store.KEY.inline().forEach(key -> trustOnly.put(key, null));
      try {
        loaded(trustOnly);
      } catch (KafkaException stillThere) {
        throw explained(stillThere, Store.TRUST);
      }
      throw explained(e, Store.KEY);
    }
  }

  private static DefaultSslEngineFactory loaded(Map<String, Object> settings) {
    DefaultSslEngineFactory factory = new DefaultSslEngineFactory();
    factory.configure(settings);
    return factory;
  }

  private InvalidSetting explained(KafkaException e, Store store) {
    String what = isSet(store.location) ? store.location : store.inline().get(0);
    Throwable root = e;
    for (Throwable t = e; t != null; t = t.getCause()) {
      root = t;
      if (t instanceof IOException && t.getCause() instanceof UnrecoverableKeyException) {
        return invalid(store.password, "is not the password of " + prefix + what);
      }
      if (t instanceof UnrecoverableKeyException) {
        return invalid(
            SSL_KEY_PASSWORD_CONFIG, "must be the password of the key in " + prefix + what);
      }
    }
    if (e instanceof InvalidConfigurationException) {
      return invalid(
          what,
          store == Store.KEY
              ? "is not PEM with one PKCS#8 private key (encrypted only with the password in "
                  + prefix
                  + SSL_KEY_PASSWORD_CONFIG
                  + ") and its certificates"
              : "is not PEM with certificates");
    }
    return invalid(store.type, "does not fit " + prefix + what + ": " + Failure.messageOf(root));
  }

  private void checkSupported(String key, String[] supported) {
    if (ssl.get(key) instanceof List<?> wanted) {
      for (Object name : wanted) {
        if (!List.of(supported).contains(name)) {
          throw invalid(
              key, "has " + name + ", but this JVM has only " + String.join(", ", supported));
        }
      }
    }
  }

  private boolean isSet(String key) {
    return !text(key).isEmpty();
  }

  /** Passwords give their stars: only for names, places and whether there is something. */
  private String text(String key) {
    @Nullable Object value = ssl.get(key);
    return value == null ? "" : value.toString();
  }

  private InvalidSetting invalid(String key, String problem) {
    return new InvalidSetting(prefix + key, problem);
  }

  /** The names of the settings of one store. */
  private enum Store {
    TRUST(
        SSL_TRUSTSTORE_LOCATION_CONFIG, SSL_TRUSTSTORE_PASSWORD_CONFIG, SSL_TRUSTSTORE_TYPE_CONFIG),
    KEY(SSL_KEYSTORE_LOCATION_CONFIG, SSL_KEYSTORE_PASSWORD_CONFIG, SSL_KEYSTORE_TYPE_CONFIG);

    private final String location;
    private final String password;
    private final String type;

    Store(String location, String password, String type) {
      this.location = location;
      this.password = password;
      this.type = type;
    }

    List<String> inline() {
      return this == TRUST
          ? List.of(SSL_TRUSTSTORE_CERTIFICATES_CONFIG)
          : List.of(SSL_KEYSTORE_KEY_CONFIG, SSL_KEYSTORE_CERTIFICATE_CHAIN_CONFIG);
    }
  }

  @FunctionalInterface
  private interface Lookup {
    Object find(String name) throws GeneralSecurityException;
  }
}
