// SPDX-License-Identifier: Apache-2.0
package dev.rabbitbridge.connection;

import com.rabbitmq.client.MalformedFrameException;
import java.io.EOFException;
import java.io.IOException;
import java.net.SocketTimeoutException;
import java.time.Duration;
import javax.net.ssl.ExtendedSSLSession;
import javax.net.ssl.SSLSession;
import javax.net.ssl.SSLSocket;

/**
 * The TLS handshake, up to the server's word about the client's certificate.
 *
 * <p>TLS 1.3 lets a client send before the server has looked at its certificate, or at there being
 * none. The reset that answers what was sent overtakes the alert that says why, so that a
 * certificate that is missing would look like a broker that went away. Therefore nothing is sent
 * until a server that asked for a certificate has had time to refuse it.
 */
final class TlsHandshake {
  private static final String WITH_LATE_ALERTS = "TLSv1.3";

  /** As long as a way to the other side of the world and back; a later alert may be missed. */
  private static final Duration VERDICT = Duration.ofMillis(300);

  private TlsHandshake() {}

  /**
   * Does the handshake on a socket that is connected and has sent nothing yet.
   *
   * @param timeout the longest wait for each message of the server
   */
  static void on(SSLSocket socket, Duration timeout) throws IOException {
    socket.setSoTimeout((int) timeout.toMillis());
    socket.startHandshake();
    if (isVerdictToCome(socket.getSession())) {
      socket.setSoTimeout((int) VERDICT.toMillis());
      awaitVerdict(socket);
      socket.setSoTimeout((int) timeout.toMillis());
    }
  }

  /** Only a server that asks for a certificate says with which algorithms it may be signed. */
  private static boolean isVerdictToCome(SSLSession session) {
    return session.getProtocol().equals(WITH_LATE_ALERTS)
        && session instanceof ExtendedSSLSession extended
        && extended.getPeerSupportedSignatureAlgorithms().length > 0;
  }

  private static void awaitVerdict(SSLSocket socket) throws IOException {
    try {
      if (socket.getInputStream().read() >= 0) {
        throw new MalformedFrameException("the server speaks first, as no AMQP server does");
      }
      throw new EOFException("closed by the server right after the TLS handshake");
    } catch (SocketTimeoutException e) {
      // Not refused: an AMQP server waits for the client's first word.
    }
  }
}
