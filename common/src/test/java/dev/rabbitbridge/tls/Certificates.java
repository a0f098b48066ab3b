// SPDX-License-Identifier: Apache-2.0
package dev.rabbitbridge.tls;

import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.Key;
import java.security.KeyStore;
import java.security.cert.Certificate;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** A certificate authority and what it signs, made by the JDK's own keytool. */
public final class Certificates {
  public static final String PASSWORD = "store-secret";

  private static final String AUTHORITY = "authority";
  private static final char[] CHARS = PASSWORD.toCharArray();

  private final Path directory;
  private final Path all;

  /** Makes an authority whose files all lie in one directory. */
  public Certificates(Path directory) {
    this.directory = directory;
    this.all = directory.resolve("all.p12");
    keytool("-alias", AUTHORITY, "-dname", "CN=Test Authority", "-ext", "bc:c");
  }

  /** Signs a certificate for these DNS names, the first of them also as common name. */
  public Certificates sign(String alias, String... names) {
    List<String> options = new ArrayList<>();
    options.addAll(List.of("-alias", alias, "-dname", "CN=" + names[0], "-signer", AUTHORITY));
    options.addAll(List.of("-ext", "san=dns:" + String.join(",dns:", names)));
    keytool(options.toArray(new String[0]));
    return this;
  }

  /** A store of any type with the authority's certificate alone. */
  public Path trustStore(String type) {
    return store("trust", type, store -> store.setCertificateEntry(AUTHORITY, chain(AUTHORITY)[0]));
  }

  /** A store of any type with one key and its certificates. */
  public Path keyStore(String alias, String type) {
    return store(alias, type, store -> store.setKeyEntry(alias, key(alias), CHARS, chain(alias)));
  }

  public String authorityPem() {
    return pem("CERTIFICATE", encoded(chain(AUTHORITY)[0]));
  }

  public String keyPem(String alias) {
    return pem("PRIVATE KEY", key(alias).getEncoded());
  }

  public String chainPem(String alias) {
    StringBuilder chain = new StringBuilder();
    for (Certificate certificate : chain(alias)) {
      chain.append(pem("CERTIFICATE", encoded(certificate)));
    }
    return chain.toString();
  }

  /** Puts text into a file of the directory. */
  public Path file(String name, String content) {
    try {
      return Files.writeString(directory.resolve(name), content);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private void keytool(String... options) {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "keytool").toString());
    command.addAll(List.of("-genkeypair", "-keyalg", "EC", "-groupname", "secp256r1"));
    command.addAll(List.of("-validity", "2", "-keystore", all.toString()));
    command.addAll(List.of("-storetype", "PKCS12", "-storepass", PASSWORD));
    command.addAll(List.of(options));
    try {
      Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
      String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
      if (!process.waitFor(30, TimeUnit.SECONDS) || process.exitValue() != 0) {
        throw new IllegalStateException("keytool: " + output);
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException(e);
    }
  }

  private Key key(String alias) {
    try {
      return KeyStore.getInstance(all.toFile(), CHARS).getKey(alias, CHARS);
    } catch (GeneralSecurityException | IOException e) {
      throw new IllegalStateException(e);
    }
  }

  private Certificate[] chain(String alias) {
    try {
      return KeyStore.getInstance(all.toFile(), CHARS).getCertificateChain(alias);
    } catch (GeneralSecurityException | IOException e) {
      throw new IllegalStateException(e);
    }
  }

  private static byte[] encoded(Certificate certificate) {
    try {
      return certificate.getEncoded();
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException(e);
    }
  }

  private static String pem(String what, byte[] content) {
    String base64 = Base64.getMimeEncoder(64, new byte[] {'\n'}).encodeToString(content);
    return "-----BEGIN " + what + "-----\n" + base64 + "\n-----END " + what + "-----\n";
  }

  private Path store(String name, String type, Filler filler) {
    Path file = directory.resolve(name + (type.equals("PKCS12") ? ".p12" : ".jks"));
    // Somebody may be reading it.
    if (Files.exists(file)) {
      return file;
    }
    try (OutputStream out = Files.newOutputStream(file)) {
      KeyStore store = KeyStore.getInstance(type);
      store.load(null, null);
      filler.fill(store);
      store.store(out, CHARS);
      return file;
    } catch (GeneralSecurityException | IOException e) {
      throw new IllegalStateException(e);
    }
  }

  private interface Filler {
    void fill(KeyStore store) throws GeneralSecurityException;
  }
}
