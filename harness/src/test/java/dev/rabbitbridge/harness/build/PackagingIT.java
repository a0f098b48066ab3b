// SPDX-License-Identifier: Apache-2.0
package dev.rabbitbridge.harness.build;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeFalse;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.rabbitbridge.harness.Checkout;
import dev.rabbitbridge.harness.connect.PluginFolder;
import java.io.File;
import java.io.IOException;
import java.net.MalformedURLException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.UUID;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import java.util.zip.ZipEntry;
import java.util.zip.ZipFile;
import org.assertj.core.data.Percentage;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Opens the plugin archive that the build made. */
class PackagingIT {
  private static final int JAVA_17 = 61;
  private static final boolean OFFLINE = "offline=true".equals(System.getProperty("build.mode"));
  private static final String BOM = "doc/sbom.cdx.json";
  private static final ObjectMapper JSON = new ObjectMapper();

  /** The client's parts for Netty and Micrometer, which the connectors never ask for. */
  private static final Pattern NEVER_USED =
      Pattern.compile(
          "com\\.rabbitmq\\.client\\.(impl\\.Netty.*NoClassDefFoundError: io/netty/.*"
              + "|observation\\.micrometer\\..*NoClassDefFoundError: io/micrometer/.*)");

  private static final Pattern LICENCE_ROW =
      Pattern.compile("^\\| `([^`]+)` \\|.*\\| (\\S+).*\\|$");
  private static final Pattern SIZE = Pattern.compile("\\b(\\d+\\.\\d) MB\\b");

  private static Archive archive = new Archive("", Map.of());

  @TempDir static Path folder;

  @BeforeAll
  static void open() throws IOException {
    archive = Archive.open();
  }

  /** A jar more or less is a decision: its licence must allow it, and nobody may bring it twice. */
  @Test
  void holdsExactlyTheListedFiles() throws IOException {
    Path root = Checkout.root();
    Set<String> expected =
        new TreeSet<>(Files.readAllLines(Path.of("src/test/resources/archive-files.txt")));
    if (OFFLINE) {
      expected.remove(BOM);
    }
    expected.addAll(below(root.resolve("config"), "etc/"));
    expected.addAll(below(root.resolve("docs"), "doc/docs/"));

    assertThat(archive.names("").stream().map(Archive::withoutVersion))
        .containsExactlyElementsOf(expected);
  }

  @Test
  void manifestNamesTheVersionAndBothKinds() throws IOException {
    JsonNode manifest = JSON.readTree(archive.file("manifest.json"));

    assertThat(manifest.path("version").asText()).isEqualTo(Checkout.version());
    assertThat(manifest.path("component_types"))
        .extracting(JsonNode::asText)
        .containsExactly("sink", "source");
  }

  // F93
  @Test
  void nothingOfWhatTheWorkerBringsIsInAnyJar() throws IOException {
    for (Map.Entry<String, byte[]> jar : archive.jars().entrySet()) {
      assertThat(Archive.entries(jar.getValue()).keySet())
          .as(jar.getKey())
          .noneMatch(
              name ->
                  name.startsWith("org/apache/kafka/")
                      || name.startsWith("org/slf4j/")
                      || name.startsWith("org/apache/logging/")
                      || name.startsWith("org/apache/log4j/")
                      || name.startsWith("ch/qos/"));
    }
  }

  // F92
  @Test
  void bothConnectorsAreFoundByTheServiceLoader() throws IOException {
    assertThat(service("rabbitbridge-sink", "org.apache.kafka.connect.sink.SinkConnector"))
        .containsExactly("dev.rabbitbridge.sink.RabbitMQSinkConnector");
    assertThat(service("rabbitbridge-source", "org.apache.kafka.connect.source.SourceConnector"))
        .containsExactly("dev.rabbitbridge.source.RabbitMQSourceConnector");
  }

  // F94
  @Test
  void noClassNeedsMoreThanJava17() throws IOException {
    for (Map.Entry<String, byte[]> jar : archive.jars().entrySet()) {
      Archive.entries(jar.getValue())
          .forEach(
              (name, bytes) -> {
                if (isClass(name)) {
                  assertThat((int) ByteBuffer.wrap(bytes).getShort(6))
                      .as(jar.getKey() + ": " + name)
                      .isLessThanOrEqualTo(JAVA_17);
                }
              });
    }
  }

  // F94
  @Test
  void everyClassLoadsBesideTheJarsOfTheWorkerAlone() throws Exception {
    PluginFolder.unpack(Checkout.archive(), folder);
    Path lib = folder.resolve(archive.folder()).resolve("lib");
    List<String> names = new ArrayList<>();
    for (byte[] jar : archive.jars().values()) {
      Archive.entries(jar).keySet().stream().filter(PackagingIT::isClass).forEach(names::add);
    }
    Map<String, String> failures = new TreeMap<>();

    try (URLClassLoader worker =
            new URLClassLoader(
                jars(Checkout.libs(Checkout.kafkaVersion())),
                ClassLoader.getPlatformClassLoader());
        URLClassLoader plugin = pluginClassLoader(lib, worker)) {
      for (String name : names) {
        String className = name.substring(0, name.length() - ".class".length()).replace('/', '.');
        try {
          // Ours are linked too, which looks at every class that they name.
          boolean ours = className.startsWith("dev.rabbitbridge.");
          assertThat(Class.forName(className, ours, plugin).getClassLoader()).isSameAs(plugin);
        } catch (ClassNotFoundException | LinkageError e) {
          failures.put(className, e.toString());
        }
      }
    }

    assertThat(names).hasSizeGreaterThan(1000);
    assertThat(failures)
        .allSatisfy((name, failure) -> assertThat(name + ": " + failure).matches(NEVER_USED));
  }

  @Test
  void checksumBesideTheArchiveIsIts() throws IOException {
    Path beside = Checkout.archive().resolveSibling(Checkout.archive().getFileName() + ".sha512");

    assertThat(Files.readString(beside).strip())
        .isEqualTo(
            sha512(Files.readAllBytes(Checkout.archive()))
                + " *"
                + Checkout.archive().getFileName());
  }

  @Test
  void billOfMaterialsNamesEveryJarWithItsChecksum() throws IOException {
    Map<String, String> checksums = new TreeMap<>();
    for (JsonNode component : bom()) {
      for (JsonNode hash : component.path("hashes")) {
        if (hash.path("alg").asText().equals("SHA-512")) {
          checksums.put(
              component.path("name").asText() + "-" + component.path("version").asText() + ".jar",
              hash.path("content").asText());
        }
      }
    }

    Map<String, String> actual = new TreeMap<>();
    archive.jars().forEach((name, bytes) -> actual.put(name, sha512(bytes)));
    assertThat(checksums).isEqualTo(actual);
  }

  @Test
  void licenceListNamesEveryJarWithALicenceOfItsOwn() throws IOException {
    Map<String, String> listed = new TreeMap<>();
    for (String line : new String(archive.file("doc/third-party.md"), UTF_8).lines().toList()) {
      Matcher row = LICENCE_ROW.matcher(line);
      if (row.matches()) {
        listed.put(row.group(1), row.group(2));
      }
    }

    assertThat(listed.keySet().stream().map(artifact -> artifact + ".jar"))
        .containsExactlyElementsOf(
            archive.names("lib/").stream().map(Archive::withoutVersion).toList());
    for (JsonNode component : bom()) {
      assertThat(component.path("licenses"))
          .as(component.path("name").asText())
          .anySatisfy(
              choice ->
                  assertThat(licence(choice.path("license")))
                      .isEqualTo(listed.get(component.path("name").asText())));
    }
  }

  /** What differs from build to build is above all the time; all of it must be the commit's. */
  @Test
  void everyFileHasTheTimeThatTheBuildFixes() throws IOException {
    String pom = Files.readString(Checkout.root().resolve("pom.xml"));
    Matcher fixed = Pattern.compile("<project.build.outputTimestamp>(.*?)<").matcher(pom);
    assertThat(fixed.find()).isTrue();
    LocalDateTime time = LocalDateTime.ofInstant(Instant.parse(fixed.group(1)), ZoneOffset.UTC);

    assertThat(times(Checkout.archive())).containsOnly(time);
    PluginFolder.unpack(Checkout.archive(), folder);
    for (String jar : archive.jars().keySet()) {
      if (jar.startsWith("rabbitbridge-")) {
        Path file = folder.resolve(archive.folder()).resolve("lib").resolve(jar);
        assertThat(times(file)).as(jar).containsOnly(time);
      }
    }
  }

  @Test
  void nothingInTheArchiveTellsWhenOrWhereItWasBuilt() throws IOException {
    String here = Checkout.root().toString();
    Map<String, byte[]> files = new TreeMap<>();
    for (String name : archive.names("")) {
      files.put(name, archive.file(name));
    }
    for (Map.Entry<String, byte[]> jar : archive.jars().entrySet()) {
      if (jar.getKey().startsWith("rabbitbridge-")) {
        Archive.entries(jar.getValue())
            .forEach((name, file) -> files.put(jar.getKey() + "!" + name, file));
      }
    }

    files.forEach(
        (name, file) -> assertThat(new String(file, ISO_8859_1)).as(name).doesNotContain(here));
    if (!OFFLINE) {
      JsonNode bom = JSON.readTree(archive.file(BOM));
      assertThat(bom.path("metadata").has("timestamp")).isFalse();
      UUID serial = UUID.fromString(bom.path("serialNumber").asText().replace("urn:uuid:", ""));
      assertThat(serial.version()).as("made of what it names, not random").isEqualTo(3);
    }
  }

  @Test
  void readmeSaysHowLargeTheArchiveIs() throws IOException {
    Matcher size = SIZE.matcher(Files.readString(Checkout.root().resolve("README.md")));

    assertThat(size.find()).as("a size in the README").isTrue();
    assertThat(Double.parseDouble(size.group(1)))
        .isCloseTo(Files.size(Checkout.archive()) / 1e6, Percentage.withPercentage(5));
  }

  private static Set<String> below(Path source, String target) throws IOException {
    try (Stream<Path> files = Files.walk(source)) {
      return files
          .filter(Files::isRegularFile)
          .map(file -> target + source.relativize(file).toString().replace(File.separatorChar, '/'))
          .collect(Collectors.toSet());
    }
  }

  private static JsonNode bom() throws IOException {
    assumeFalse(OFFLINE, "offline Maven makes no bill of materials");
    return JSON.readTree(archive.file(BOM)).path("components");
  }

  /** RabbitMQ's client names its licences in words of its own. */
  private static String licence(JsonNode licence) {
    return licence.path("name").asText().equals("AL 2.0")
        ? "Apache-2.0"
        : licence.path("id").asText();
  }

  private static List<String> service(String jar, String kind) throws IOException {
    byte[] file = archive.file("lib/" + jar + "-" + Checkout.version() + ".jar");
    return new String(Archive.entries(file).get("META-INF/services/" + kind), UTF_8)
        .lines()
        .filter(line -> !line.isBlank() && !line.startsWith("#"))
        .toList();
  }

  private static boolean isClass(String name) {
    return name.endsWith(".class")
        && !name.startsWith("META-INF/versions/")
        && !name.endsWith("module-info.class");
  }

  private static URL[] jars(Path lib) throws IOException {
    try (Stream<Path> files = Files.list(lib)) {
      return files
          .filter(file -> file.toString().endsWith(".jar"))
          .map(
              file -> {
                try {
                  return file.toUri().toURL();
                } catch (MalformedURLException e) {
                  throw new IllegalStateException(e);
                }
              })
          .toArray(URL[]::new);
    }
  }

  /** Returns Connect's own, as it looks into the plugin before the worker. */
  private static URLClassLoader pluginClassLoader(Path lib, ClassLoader worker)
      throws IOException, ReflectiveOperationException {
    return (URLClassLoader)
        worker
            .loadClass("org.apache.kafka.connect.runtime.isolation.PluginClassLoader")
            .getConstructor(URL.class, URL[].class, ClassLoader.class)
            .newInstance(lib.toUri().toURL(), jars(lib), worker);
  }

  private static List<LocalDateTime> times(Path zip) throws IOException {
    try (ZipFile file = new ZipFile(zip.toFile())) {
      return file.stream().map(ZipEntry::getTimeLocal).distinct().toList();
    }
  }

  private static String sha512(byte[] bytes) {
    try {
      return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-512").digest(bytes));
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException(e);
    }
  }
}
