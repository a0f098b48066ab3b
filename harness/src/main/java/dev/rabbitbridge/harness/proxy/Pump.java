// SPDX-License-Identifier: Apache-2.0
package dev.rabbitbridge.harness.proxy;

import dev.rabbitbridge.harness.proxy.Network.Direction;
import java.io.IOException;
import java.net.Socket;
import java.util.Arrays;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;

/**
 * Carries bytes one way. One thread reads, another writes, so that a delay does not cost speed.
 *
 * <p>Invariant: bytes are written in the order of {@link #send}, and reading waits while more than
 * {@link #CAPACITY} of them are not written.
 */
final class Pump {
  private static final int CAPACITY = 1024 * 1024;
  private static final int CHUNK = 16 * 1024;
  private static final long CATCH_UP_NANOS = TimeUnit.MILLISECONDS.toNanos(20);
  private static final byte[] END = new byte[0];

  private final Socket from;
  private final Socket to;
  private final Direction direction;
  private final Network network;
  private final BlockingQueue<Chunk> queue = new LinkedBlockingQueue<>();
  private final AtomicLong queued = new AtomicLong();
  private final Thread reader;
  private final Thread writer;
  private volatile boolean lostBytes;

  private static final class Chunk {
    final long dueNanos;
    final byte[] bytes;

    Chunk(long dueNanos, byte[] bytes) {
      this.dueNanos = dueNanos;
      this.bytes = bytes;
    }
  }

  /** What was read is handed to {@code next}, which passes on to {@link #send} what is to go. */
  Pump(Socket from, Socket to, Direction direction, Network network, Consumer<byte[]> next) {
    this.from = from;
    this.to = to;
    this.direction = direction;
    this.network = network;
    reader = Daemon.of("proxy-read-" + direction, () -> read(next));
    writer = Daemon.of("proxy-write-" + direction, this::write);
  }

  void start() {
    reader.start();
    writer.start();
  }

  void send(byte[] bytes) {
    queued.addAndGet(bytes.length);
    queue.add(new Chunk(System.nanoTime() + network.delayNanos(direction), bytes));
  }

  boolean hasLostBytes() {
    return lostBytes;
  }

  void stop() {
    reader.interrupt();
    writer.interrupt();
  }

  void awaitEnd() throws InterruptedException {
    reader.join();
    writer.join();
  }

  private void read(Consumer<byte[]> next) {
    byte[] buffer = new byte[CHUNK];
    try {
      while (true) {
        awaitRoom();
        int count = from.getInputStream().read(buffer);
        network.awaitFlow();
        if (network.isDropping()) {
          lostBytes = true;
          if (count < 0) {
            return;
          }
        } else if (count < 0) {
          send(END);
          return;
        } else {
          next.accept(Arrays.copyOf(buffer, count));
        }
      }
    } catch (IOException e) {
      broken();
    } catch (InterruptedException e) {
      // The link is reset.
    }
  }

  private void write() {
    // When the limit lets the bytes go. A thread that overslept catches up.
    long allowedAt = System.nanoTime();
    try {
      while (true) {
        Chunk chunk = queue.take();
        long now = System.nanoTime();
        allowedAt =
            Math.max(allowedAt, now - CATCH_UP_NANOS) + network.nanosFor(chunk.bytes.length);
        TimeUnit.NANOSECONDS.sleep(Math.max(chunk.dueNanos, allowedAt) - now);
        queued.addAndGet(-chunk.bytes.length);
        if (network.isDropping()) {
          lostBytes = true;
        } else if (chunk.bytes.length == 0) {
          to.shutdownOutput();
          return;
        } else {
          to.getOutputStream().write(chunk.bytes);
        }
      }
    } catch (IOException e) {
      broken();
    } catch (InterruptedException e) {
      // The link is reset.
    }
  }

  private void awaitRoom() throws InterruptedException {
    while (queued.get() > CAPACITY) {
      TimeUnit.MILLISECONDS.sleep(1);
    }
    network.awaitFlow();
  }

  /** One side reset its socket: so does the other, unless the network is down. */
  private void broken() {
    if (network.isDropping()) {
      lostBytes = true;
    } else {
      Link.reset(from);
      Link.reset(to);
      stop();
    }
  }
}
