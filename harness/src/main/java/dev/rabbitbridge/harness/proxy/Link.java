// SPDX-License-Identifier: Apache-2.0
package dev.rabbitbridge.harness.proxy;

import dev.rabbitbridge.harness.proxy.Network.Direction;
import java.io.IOException;
import java.net.Socket;
import java.util.function.Supplier;

/** One client's connection and the one to the broker that belongs to it. */
final class Link {
  private final Socket client;
  private final Socket broker;
  private final ConfirmGate confirms;
  private final ConfirmGate acks;
  private final int number;
  private final Supplier<FrameTap> tap;
  private final FrameSplitter toClientFrames = FrameSplitter.ofBroker();
  private final FrameSplitter toBrokerFrames = FrameSplitter.ofClient();
  private final Pump toBroker;
  private final Pump toClient;

  Link(
      Socket client,
      Socket broker,
      Network network,
      ConfirmGate confirms,
      ConfirmGate acks,
      int number,
      Supplier<FrameTap> tap) {
    this.client = client;
    this.broker = broker;
    this.confirms = confirms;
    this.acks = acks;
    this.number = number;
    this.tap = tap;
    toBroker = new Pump(client, broker, Direction.TO_BROKER, network, this::sendToBroker);
    toClient = new Pump(broker, client, Direction.TO_CLIENT, network, this::sendToClient);
  }

  /** Calls back once both sides are closed. */
  void start(Runnable closed) throws IOException {
    client.setTcpNoDelay(true);
    broker.setTcpNoDelay(true);
    toBroker.start();
    toClient.start();
    Daemon.start(
        "proxy-link",
        () -> {
          try {
            toBroker.awaitEnd();
            toClient.awaitEnd();
          } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
          }
          reset();
          closed.run();
        });
  }

  boolean hasLostBytes() {
    return toBroker.hasLostBytes() || toClient.hasLostBytes();
  }

  void reset() {
    confirms.forget(toClient);
    acks.forget(toBroker);
    reset(client);
    reset(broker);
    toBroker.stop();
    toClient.stop();
  }

  static void reset(Socket socket) {
    try (socket) {
      // With a linger time of zero, closing sends RST instead of FIN.
      socket.setSoLinger(true, 0);
    } catch (IOException e) {
      // It is closed.
    }
  }

  private void sendToBroker(byte[] bytes) {
    for (byte[] frame : toBrokerFrames.split(bytes)) {
      tap.get().toBroker(number, frame);
      pass(frame, toBroker, acks);
    }
  }

  private void sendToClient(byte[] bytes) {
    for (byte[] frame : toClientFrames.split(bytes)) {
      tap.get().toClient(number, frame);
      pass(frame, toClient, confirms);
    }
  }

  private static void pass(byte[] frame, Pump pump, ConfirmGate gate) {
    if (FrameSplitter.isConfirm(frame)) {
      gate.offer(pump, frame);
    } else {
      pump.send(frame);
    }
  }
}
