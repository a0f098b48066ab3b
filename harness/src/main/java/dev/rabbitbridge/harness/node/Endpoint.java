// SPDX-License-Identifier: Apache-2.0
package dev.rabbitbridge.harness.node;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;

/**
 * Where a server listens.
 *
 * @param host a name or an address
 * @param port a TCP port
 */
public record Endpoint(String host, int port) {
  /**
   * Reads an address.
   *
   * @param text host:port
   * @return the address
   */
  public static Endpoint parse(String text) {
    int colon = text.lastIndexOf(':');
    return new Endpoint(text.substring(0, colon), Integer.parseInt(text.substring(colon + 1)));
  }

  /**
   * Returns whether something accepts connections there now.
   *
   * @return false when refused or not answered within two seconds
   */
  public boolean answers() {
    try (Socket socket = new Socket()) {
      socket.connect(new InetSocketAddress(host, port), 2000);
      return true;
    } catch (IOException e) {
      return false;
    }
  }

  @Override
  public String toString() {
    return host + ":" + port;
  }
}
