// SPDX-License-Identifier: Apache-2.0
package dev.rabbitbridge.connection;

import com.rabbitmq.client.WriteListener;
import com.rabbitmq.client.impl.AMQConnection;
import com.rabbitmq.client.impl.Frame;
import com.rabbitmq.client.impl.FrameHandler;
import java.io.IOException;
import java.net.InetAddress;
import java.net.SocketException;
import org.jspecify.annotations.Nullable;

/**
 * The client's own handler of frames, but for one thing: it does not write to the socket after each
 * publish of a burst.
 *
 * <p>The client flushes its buffer after every command, which costs a system call and a packet for
 * each message, and a record of its own with TLS. Here the flushes of the one thread that holds
 * them back are left out until it releases them; the buffer still empties itself when it is full.
 * The flushes of all other threads, heartbeats among them, go through.
 *
 * <p>Thread safe, as the client's handler is.
 */
final class BurstFrames implements FrameHandler {
  private final FrameHandler client;
  private volatile @Nullable Thread holder;

  BurstFrames(FrameHandler client) {
    this.client = client;
  }

  /** Leaves out the flushes of the calling thread until {@link #release}. */
  void hold() {
    Thread caller = Thread.currentThread();
    if (holder != caller) {
      holder = caller;
    }
  }

  /** Writes what was held back; may block as long as the broker does not read. */
  void release() throws IOException {
    holder = null;
    client.flush(null);
  }

  @Override
  public void flush(@Nullable WriteListener listener) throws IOException {
    if (listener != null || holder != Thread.currentThread()) {
      client.flush(listener);
    }
  }

  @Override
  public boolean internalHearbeat() {
    return client.internalHearbeat();
  }

  @Override
  public void setTimeout(int timeoutMs) throws SocketException {
    client.setTimeout(timeoutMs);
  }

  @Override
  public int getTimeout() throws SocketException {
    return client.getTimeout();
  }

  @Override
  public void sendHeader() throws IOException {
    client.sendHeader();
  }

  @Override
  public void initialize(AMQConnection connection) {
    client.initialize(connection);
  }

  @Override
  public void startProcessing() {
    client.startProcessing();
  }

  @Override
  public void finishConnectionNegotiation() {
    client.finishConnectionNegotiation();
  }

  @Override
  public void setFrameMax(int frameMax) {
    client.setFrameMax(frameMax);
  }

  @Override
  public Frame readFrame() throws IOException {
    return client.readFrame();
  }

  @Override
  public void writeFrame(Frame frame) throws IOException {
    client.writeFrame(frame);
  }

  @Override
  public InetAddress getLocalAddress() {
    return client.getLocalAddress();
  }

  @Override
  public int getLocalPort() {
    return client.getLocalPort();
  }

  @Override
  public InetAddress getAddress() {
    return client.getAddress();
  }

  @Override
  public int getPort() {
    return client.getPort();
  }

  @Override
  public void close() {
    client.close();
  }
}
