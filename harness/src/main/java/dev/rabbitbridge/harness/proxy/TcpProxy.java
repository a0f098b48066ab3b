// SPDX-License-Identifier: Apache-2.0
package dev.rabbitbridge.harness.proxy;

import dev.rabbitbridge.harness.node.Endpoint;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * Stands between clients and an AMQP broker. Passes everything through until told otherwise; every
 * fault applies to the connections there are and to those to come, until {@link #heal}. Confirms
 * (basic.ack and basic.nack from the broker) and clients' acks can be held back by themselves, on
 * connections without TLS.
 *
 * <p>Safe from any thread.
 */
public final class TcpProxy implements AutoCloseable {
  /** Small, so that a client notices soon that nobody reads. */
  private static final int RECEIVE_BUFFER = 64 * 1024;

  private final Endpoint target;
  private final Endpoint endpoint;
  private final Endpoint endpointFromWorker;
  private final String bindAddress;
  private final Network network = new Network();
  private final ConfirmGate confirms = new ConfirmGate();
  private final ConfirmGate acks = new ConfirmGate();
  private final List<Link> links = new CopyOnWriteArrayList<>();
  private final AtomicInteger accepted = new AtomicInteger();
  private final AtomicInteger connected = new AtomicInteger();
  private volatile FrameTap tap = FrameTap.NONE;
  private @Nullable ServerSocket server;
  private @Nullable Thread acceptor;
  private boolean closed;

  /**
   * Starts listening on a free port.
   *
   * @param target the broker as this JVM reaches it
   * @param bindAddress where to listen
   * @param hostFromWorker the name under which a worker reaches this JVM
   */
  public TcpProxy(Endpoint target, String bindAddress, String hostFromWorker) {
    this.target = target;
    this.bindAddress = bindAddress;
    int port = listen(0);
    endpoint = new Endpoint("127.0.0.1", port);
    endpointFromWorker = new Endpoint(hostFromWorker, port);
  }

  /**
   * Returns where this JVM connects to.
   *
   * @return an address on this machine
   */
  public Endpoint endpoint() {
    return endpoint;
  }

  /**
   * Returns where a connector connects to.
   *
   * @return the address for {@code rabbitmq.host} and {@code rabbitmq.port}
   */
  public Endpoint endpointFromWorker() {
    return endpointFromWorker;
  }

  /** Resets all connections; new ones are served. */
  public void cut() {
    links.forEach(Link::reset);
  }

  /** Resets all connections and refuses new ones. */
  public synchronized void refuse() {
    stopListening();
    cut();
  }

  /** Loses every byte in both directions; the sockets stay open. Nobody is told of a close. */
  public void drop() {
    network.drop(true);
  }

  /** Stops reading from both sides: their writes block once the buffers are full. */
  public void stall() {
    network.stall(true);
  }

  /**
   * Delays every byte.
   *
   * @param toBroker how late the broker gets what clients send
   * @param toClient how late clients get what the broker sends
   */
  public void delay(Duration toBroker, Duration toClient) {
    network.delay(toBroker, toClient);
  }

  /**
   * Limits the speed of each direction of each connection.
   *
   * @param bytesPerSecond the limit
   */
  public void limit(long bytesPerSecond) {
    network.limit(bytesPerSecond);
  }

  /** Holds the broker's confirms back, everything else passes. */
  public void holdConfirms() {
    confirms.hold();
  }

  /** Loses the broker's confirms, those held back too; everything else passes. */
  public void swallowConfirms() {
    confirms.swallow();
  }

  /**
   * Passes the oldest confirms that are held back, and goes on holding.
   *
   * @param frames how many basic.ack and basic.nack frames; one can settle many messages
   */
  public void releaseConfirms(int frames) {
    confirms.release(frames);
  }

  /** Passes all confirms that are held back, and those to come. */
  public void passConfirms() {
    confirms.pass();
  }

  /**
   * Returns how many confirms are held back.
   *
   * @return basic.ack and basic.nack frames
   */
  public int heldConfirms() {
    return confirms.held();
  }

  /**
   * Shows all frames to an observer, on connections without TLS.
   *
   * @param observer replaces an earlier one
   */
  public void tap(FrameTap observer) {
    tap = observer;
  }

  /** Holds back the acks and nacks of clients, everything else passes. */
  public void holdAcks() {
    acks.hold();
  }

  /**
   * Returns how many acks of clients are held back.
   *
   * @return basic.ack and basic.nack frames
   */
  public int heldAcks() {
    return acks.held();
  }

  /**
   * Returns how many connections were ever accepted.
   *
   * @return a count that only grows
   */
  public int accepted() {
    return accepted.get();
  }

  /**
   * Returns how many connections are open.
   *
   * @return connections of clients
   */
  public int open() {
    return links.size();
  }

  /** Ends every fault. Connections that lost bytes are reset, as they make no sense any more. */
  public synchronized void heal() {
    network.heal();
    confirms.pass();
    acks.pass();
    links.stream().filter(Link::hasLostBytes).forEach(Link::reset);
    if (server == null && !closed) {
      listen(endpoint.port());
    }
  }

  /** Resets all connections and stops listening. */
  @Override
  public synchronized void close() {
    closed = true;
    network.heal();
    stopListening();
    cut();
  }

  private synchronized int listen(int port) {
    try {
      ServerSocket listening = new ServerSocket();
      listening.setReuseAddress(true);
      listening.setReceiveBufferSize(RECEIVE_BUFFER);
      listening.bind(new InetSocketAddress(bindAddress, port));
      server = listening;
      acceptor = Daemon.of("proxy-accept", () -> accept(listening));
      acceptor.start();
      return listening.getLocalPort();
    } catch (IOException e) {
      throw new UncheckedIOException("Cannot listen on " + bindAddress + ":" + port, e);
    }
  }

  private void accept(ServerSocket listening) {
    while (!listening.isClosed()) {
      try {
        Socket client = listening.accept();
        accepted.incrementAndGet();
        Daemon.start("proxy-connect", () -> connect(client));
      } catch (IOException e) {
        // Closed, or a client that was gone before it was accepted.
      }
    }
  }

  private void connect(Socket client) {
    try {
      Socket broker = new Socket(target.host(), target.port());
      int number = connected.incrementAndGet();
      Link link = new Link(client, broker, network, confirms, acks, number, () -> tap);
      links.add(link);
      link.start(() -> links.remove(link));
      if (!isListening()) {
        link.reset();
      }
    } catch (IOException e) {
      Link.reset(client);
    }
  }

  private synchronized boolean isListening() {
    return server != null;
  }

  private synchronized void stopListening() {
    try {
      if (server != null) {
        server.close();
      }
      if (acceptor != null) {
        // The port is open until the thread that accepts has left.
        acceptor.join();
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } finally {
      server = null;
      acceptor = null;
    }
  }
}
