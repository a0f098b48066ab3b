// SPDX-License-Identifier: Apache-2.0
package dev.rabbitbridge.harness;

import dev.rabbitbridge.harness.connect.Worker;
import dev.rabbitbridge.harness.connect.WorkerSettings;
import dev.rabbitbridge.harness.kafka.Kafka;
import dev.rabbitbridge.harness.proxy.TcpProxy;
import dev.rabbitbridge.harness.rabbitmq.ExternalRabbitMQ;
import dev.rabbitbridge.harness.rabbitmq.RabbitMQ;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.Executor;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The whole system on real parts: RabbitMQ, Kafka and Connect workers with the packaged plugin.
 * Servers start when first asked for. {@link #close} ends everything, also what tests have broken;
 * it runs by itself when the JVM ends, after a failure and after Ctrl-C too.
 *
 * <p>Safe from any thread.
 */
public final class Harness implements AutoCloseable {
  /** The Connect cluster of the worker that is shared. */
  public static final String GROUP = "harness";

  private static final Executor STARTERS =
      start -> {
        Thread thread = new Thread(start, "harness-start");
        thread.setDaemon(true);
        thread.start();
      };

  private final Path folder;
  private final Stack stack;
  private final @Nullable URI externalRabbitMQ;
  private final Deque<AutoCloseable> owned = new ArrayDeque<>();
  private final List<RabbitMQ> cluster = new ArrayList<>();
  private final Thread hook = new Thread(this::closeQuietly, "harness-close");
  private @Nullable CompletableFuture<RabbitMQ> rabbitMQ;
  private @Nullable CompletableFuture<Kafka> kafka;
  private @Nullable CompletableFuture<Worker> worker;
  private int workers;
  private boolean closed;

  private Harness(Mode mode, @Nullable URI externalRabbitMQ) {
    this.externalRabbitMQ = externalRabbitMQ;
    folder = newFolder();
    stack =
        switch (mode) {
          case LOCAL -> new LocalStack(folder);
          case DOCKER -> new DockerStack(folder);
        };
    Runtime.getRuntime().addShutdownHook(hook);
  }

  /**
   * Opens a harness in the mode that {@link Mode#chosen} finds, with the broker at {@code
   * RABBITMQ_URI} if that is set. Starts nothing yet.
   *
   * @return the harness, to be closed by the caller
   */
  public static Harness open() {
    String uri = System.getenv("RABBITMQ_URI");
    return new Harness(
        Mode.chosen(), uri == null || uri.isBlank() ? null : URI.create(uri.strip()));
  }

  /**
   * Opens a harness. Starts nothing yet.
   *
   * @param mode how the servers run
   * @return the harness, to be closed by the caller
   */
  public static Harness open(Mode mode) {
    return new Harness(mode, null);
  }

  /** Starts RabbitMQ, Kafka and the worker, side by side. */
  public void start() {
    worker();
  }

  /**
   * Returns the broker, after starting it the first time.
   *
   * @return the one broker of this harness
   */
  public RabbitMQ rabbitMQ() {
    return get(rabbitMQLater());
  }

  /**
   * Starts one more broker, for tests that need settings of their own.
   *
   * @param name its name
   * @param configuration lines for its rabbitmq.conf
   * @return the running broker, closed with the harness at the latest
   */
  public RabbitMQ newRabbitMQ(String name, String configuration) {
    RabbitMQ broker = own(() -> stack.rabbitMQ(name, configuration));
    broker.start();
    return broker;
  }

  /**
   * Returns a cluster of three RabbitMQ nodes apart from {@link #rabbitMQ}, after starting it the
   * first time. {@link #heal} leaves it as it is.
   *
   * @return the nodes
   * @throws UnsupportedOperationException where servers are containers
   */
  public List<RabbitMQ> cluster() {
    // Not the lock of this: close must not wait for a start.
    synchronized (cluster) {
      if (cluster.isEmpty()) {
        List<RabbitMQ> nodes = stack.rabbitMQNodes("node", 3);
        // The first one is closed last: the others use its epmd.
        nodes.forEach(node -> own(() -> node));
        nodes.forEach(RabbitMQ::start);
        nodes.subList(1, nodes.size()).forEach(node -> node.join(nodes.get(0)));
        cluster.addAll(nodes);
      }
      return List.copyOf(cluster);
    }
  }

  /**
   * Returns Kafka, after starting it the first time.
   *
   * @return the one Kafka broker of this harness
   */
  public Kafka kafka() {
    return get(kafkaLater());
  }

  /**
   * Returns the worker that tests share, after starting RabbitMQ, Kafka and it the first time.
   *
   * @return the worker
   */
  public Worker worker() {
    CompletableFuture<RabbitMQ> broker = rabbitMQLater();
    CompletableFuture<Worker> later = workerLater();
    get(broker);
    return get(later);
  }

  /**
   * Starts one more worker.
   *
   * @param settings its group, properties and JVM options
   * @return the running worker, closed with the harness at the latest
   */
  public Worker newWorker(WorkerSettings settings) {
    Kafka broker = kafka();
    Worker started = own(() -> stack.worker("worker-" + nextWorker(), broker, settings));
    started.start();
    return started;
  }

  /**
   * Puts a proxy before the broker.
   *
   * @return the proxy, closed with the harness at the latest
   */
  public TcpProxy newProxy() {
    RabbitMQ broker = rabbitMQ();
    return own(() -> new TcpProxy(broker.amqp(), stack.bindAddress(), stack.hostFromWorker()));
  }

  /**
   * Returns where this harness keeps its files; only its logs stay when it is closed.
   *
   * @return a folder of its own
   */
  public Path folder() {
    return folder;
  }

  /** Undoes what a test may have done to the shared servers: those that were started run. */
  public void heal() {
    CompletableFuture<RabbitMQ> broker;
    CompletableFuture<Kafka> log;
    CompletableFuture<Worker> shared;
    synchronized (this) {
      broker = rabbitMQ;
      log = kafka;
      shared = worker;
    }
    if (broker != null) {
      get(broker).heal();
    }
    if (log != null) {
      get(log).heal();
    }
    if (shared != null) {
      get(shared).heal();
    }
  }

  /**
   * Returns whether it is closed or being closed, as after Ctrl-C.
   *
   * @return true once {@link #close} has begun
   */
  public synchronized boolean isClosed() {
    return closed;
  }

  /** Ends all servers and deletes all that they wrote, except their logs. */
  @Override
  public void close() {
    List<AutoCloseable> open;
    synchronized (this) {
      if (closed) {
        return;
      }
      closed = true;
      open = new ArrayList<>(owned);
      owned.clear();
    }
    RuntimeException failure = null;
    for (AutoCloseable resource : open) {
      failure = close(resource, failure);
    }
    failure = close(stack, failure);
    deleteAllButLogs();
    try {
      Runtime.getRuntime().removeShutdownHook(hook);
    } catch (IllegalStateException e) {
      // The JVM ends: this is the hook, or runs beside it.
    }
    if (failure != null) {
      throw failure;
    }
  }

  private synchronized CompletableFuture<RabbitMQ> rabbitMQLater() {
    if (rabbitMQ == null) {
      rabbitMQ = CompletableFuture.supplyAsync(this::startRabbitMQ, STARTERS);
    }
    return rabbitMQ;
  }

  private RabbitMQ startRabbitMQ() {
    URI uri = externalRabbitMQ;
    RabbitMQ broker =
        own(
            () ->
                uri == null
                    ? stack.rabbitMQ("rabbitmq", "")
                    : ExternalRabbitMQ.at(uri, stack.hostFromWorker()));
    broker.start();
    return broker;
  }

  private synchronized CompletableFuture<Kafka> kafkaLater() {
    if (kafka == null) {
      kafka =
          CompletableFuture.supplyAsync(
              () -> {
                Kafka broker = own(() -> stack.kafka("kafka"));
                broker.start();
                return broker;
              },
              STARTERS);
    }
    return kafka;
  }

  private synchronized CompletableFuture<Worker> workerLater() {
    if (worker == null) {
      worker = CompletableFuture.supplyAsync(() -> newWorker(WorkerSettings.of(GROUP)), STARTERS);
    }
    return worker;
  }

  private synchronized int nextWorker() {
    return ++workers;
  }

  /** Makes it and remembers it, so that close cannot miss it however far its start gets. */
  private <T extends AutoCloseable> T own(Supplier<T> maker) {
    T resource = maker.get();
    synchronized (this) {
      if (!closed) {
        owned.push(resource);
        return resource;
      }
    }
    close(resource, null);
    throw new IllegalStateException("The harness is closed");
  }

  private static @Nullable RuntimeException close(
      AutoCloseable resource, @Nullable RuntimeException failure) {
    try {
      resource.close();
      return failure;
    } catch (Exception e) {
      RuntimeException wrapped = e instanceof RuntimeException r ? r : new IllegalStateException(e);
      if (failure == null) {
        return wrapped;
      }
      failure.addSuppressed(wrapped);
      return failure;
    }
  }

  private void closeQuietly() {
    try {
      close();
    } catch (RuntimeException e) {
      System.err.println("harness: could not end everything: " + e);
    }
  }

  private static Path newFolder() {
    try {
      Path parent = Files.createDirectories(Checkout.runFolder());
      for (int number = 1; ; number++) {
        Path own = parent.resolve(ProcessHandle.current().pid() + "-" + number);
        if (Files.notExists(own)) {
          return Files.createDirectory(own);
        }
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private void deleteAllButLogs() {
    try (Stream<Path> files = Files.walk(folder)) {
      for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
        if (Files.isDirectory(file) ? isEmpty(file) : !isServerLog(file)) {
          Files.delete(file);
        }
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Kafka calls its data .log too, but further down. */
  private boolean isServerLog(Path file) {
    return file.toString().endsWith(".log") && folder.relativize(file).getNameCount() <= 2;
  }

  private static boolean isEmpty(Path directory) throws IOException {
    try (Stream<Path> entries = Files.list(directory)) {
      return entries.findAny().isEmpty();
    }
  }

  private static <T> T get(CompletableFuture<T> later) {
    try {
      return later.join();
    } catch (CompletionException e) {
      if (e.getCause() instanceof RuntimeException cause) {
        throw cause;
      }
      throw e;
    }
  }
}
