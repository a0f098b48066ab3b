// SPDX-License-Identifier: Apache-2.0
package dev.rabbitbridge.harness.node;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.util.HashSet;
import java.util.Set;

/** Picks TCP ports nobody listens on, each once per JVM. Safe from any thread. */
public final class FreePorts {
  private static final Set<Integer> GIVEN = new HashSet<>();

  private FreePorts() {}

  /**
   * Returns a port that was free a moment ago and that was not handed out before.
   *
   * @return the port
   */
  public static synchronized int next() {
    while (true) {
      try (ServerSocket socket = new ServerSocket()) {
        socket.setReuseAddress(true);
        socket.bind(new InetSocketAddress(0));
        if (GIVEN.add(socket.getLocalPort())) {
          return socket.getLocalPort();
        }
      } catch (IOException e) {
        throw new UncheckedIOException("No free TCP port", e);
      }
    }
  }
}
