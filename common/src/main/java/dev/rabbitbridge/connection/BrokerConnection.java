// SPDX-License-Identifier: Apache-2.0
package dev.rabbitbridge.connection;

import com.rabbitmq.client.BlockedListener;
import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import com.rabbitmq.client.ShutdownSignalException;
import com.rabbitmq.client.impl.FrameHandler;
import java.io.IOException;
import java.net.Socket;
import java.net.SocketException;
import java.time.Duration;
import javax.net.ssl.SSLSocket;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One connection to RabbitMQ, from its handshake to its end. It never recovers: whoever loses it
 * opens another.
 *
 * <h2>Threading</h2>
 *
 * Thread safe. {@link #abort()} works while another thread is stuck in a write to the socket, and
 * frees it; the client's own close does not.
 */
public final class BrokerConnection implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(BrokerConnection.class);

  private static final long LONGEST_CLOSE_MILLIS = 3000;

  private final String name;
  private final Duration shutdownTimeout;
  private final Runnable stateChanged;
  private volatile @Nullable Socket socket;
  private volatile @Nullable BurstFrames frames;
  private volatile @Nullable Connection client;
  private volatile boolean blocked;
  private volatile long unblockedAt = System.nanoTime();
  private long blockedAt; // guarded by this
  private long blockedBefore; // guarded by this

  BrokerConnection(String name, Duration shutdownTimeout, Runnable stateChanged) {
    this.name = name;
    this.shutdownTimeout = shutdownTimeout;
    this.stateChanged = stateChanged;
  }

  /**
   * The client calls it with each socket before it connects it; the last one is the one that
   * worked.
   */
  void remember(Socket used) {
    socket = used;
  }

  /** To be called when the client has connected a socket; without TLS there is nothing to do. */
  void shakeHands(Duration timeout) throws IOException {
    if (socket instanceof SSLSocket secured) {
      try {
        TlsHandshake.on(secured, timeout);
      } catch (IOException | RuntimeException e) {
        abort();
        throw e;
      }
    }
  }

  /** The client calls it with the frames of each socket that it has connected. */
  FrameHandler inBursts(FrameHandler handler) {
    BurstFrames bursts = new BurstFrames(handler);
    frames = bursts;
    return bursts;
  }

  void attach(Connection open) {
    client = open;
    open.addBlockedListener(new Alarm());
    open.addShutdownListener(signal -> stateChanged.run());
  }

  /**
   * Returns the name shown in RabbitMQ's management page.
   *
   * @return never null
   */
  public String name() {
    return name;
  }

  /**
   * Opens a channel.
   *
   * @return an open channel
   * @throws IOException if the connection is gone or has no channel left
   */
  public Channel openChannel() throws IOException {
    Channel channel = connected().createChannel();
    if (channel == null) {
      throw new IOException(
          "no channel left on " + name + "; raise rabbitmq.requested.channel.max");
    }
    return channel;
  }

  /**
   * Begins a burst: what the calling thread sends from now on may stay in the client's buffer until
   * {@link #flush()}, which spares most of the cost of small messages. What other threads send goes
   * out at once.
   */
  public void hold() {
    framesOfClient().hold();
  }

  /**
   * Ends the burst and sends what was held back. To be called before its thread waits for anything.
   *
   * @throws IOException if the connection is gone
   */
  public void flush() throws IOException {
    framesOfClient().release();
  }

  /**
   * Tells whether the connection can be used.
   *
   * @return false once it was lost, closed or aborted
   */
  public boolean isOpen() {
    return connected().isOpen();
  }

  /**
   * Returns why the connection is no longer open.
   *
   * @return null as long as it is open
   */
  public @Nullable ShutdownSignalException closeReason() {
    return connected().getCloseReason();
  }

  /**
   * Tells whether the broker has stopped reading what this connection publishes.
   *
   * @return true between connection.blocked and connection.unblocked
   * @see <a href="https://www.rabbitmq.com/docs/connection-blocked">Blocked Connection
   *     Notifications</a>
   */
  public boolean isBlocked() {
    return blocked;
  }

  /**
   * Returns when the broker last began to read again.
   *
   * @return a {@link System#nanoTime()}: that of the last connection.unblocked, or of the
   *     connection itself
   */
  public long unblockedAt() {
    return unblockedAt;
  }

  /**
   * Returns for how long the broker has not read what this connection publishes, all in all.
   *
   * @return nanoseconds
   */
  public synchronized long blockedNanos() {
    return blockedBefore + (blocked ? System.nanoTime() - blockedAt : 0);
  }

  private synchronized void setBlocked(boolean isBlocked) {
    long now = System.nanoTime();
    if (blocked) {
      blockedBefore += now - blockedAt;
    }
    if (isBlocked) {
      blockedAt = now;
    } else {
      unblockedAt = now;
    }
    blocked = isBlocked;
  }

  /**
   * Returns the largest frame that both sides agreed on, in bytes.
   *
   * @return 0 for no limit
   */
  public int frameMax() {
    return connected().getFrameMax();
  }

  /**
   * Drops the connection without a word to the broker. Never blocks, never throws; frees a thread
   * that is stuck in a write.
   */
  public void abort() {
    Socket used = socket;
    if (used == null) {
      return;
    }
    try {
      // With TLS, close would otherwise wait for the very write that it is meant to end.
      used.setSoLinger(true, 0);
    } catch (SocketException alreadyClosed) {
      LOG.trace("{}: no linger on a closed socket", name, alreadyClosed);
    }
    try {
      used.close();
    } catch (IOException e) {
      LOG.debug("{}: error while closing the socket", name, e);
    }
  }

  /** Closes the connection in order, or drops it when that takes too long. Never throws. */
  @Override
  public void close() {
    long millis = Math.max(1, Math.min(shutdownTimeout.toMillis(), LONGEST_CLOSE_MILLIS));
    Thread closer = new Thread(() -> connected().abort((int) millis), name + "-close");
    closer.setDaemon(true);
    closer.start();
    try {
      closer.join(millis);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    abort();
  }

  private BurstFrames framesOfClient() {
    BurstFrames handler = frames;
    if (handler == null) {
      throw new IllegalStateException(name + " is not connected yet");
    }
    return handler;
  }

  private Connection connected() {
    Connection open = client;
    if (open == null) {
      throw new IllegalStateException(name + " is not connected yet");
    }
    return open;
  }

  private final class Alarm implements BlockedListener {
    @Override
    public void handleBlocked(String reason) {
      setBlocked(true);
      LOG.warn(
          "{}: RabbitMQ blocks publishing connections ({}); waiting until it stops", name, reason);
      stateChanged.run();
    }

    @Override
    public void handleUnblocked() {
      setBlocked(false);
      LOG.info("{}: RabbitMQ accepts publishes again", name);
      stateChanged.run();
    }
  }
}
