// SPDX-License-Identifier: Apache-2.0
package dev.rabbitbridge.harness.proxy;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.rabbitbridge.harness.node.Endpoint;
import java.io.DataInputStream;
import java.io.IOException;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Against a server that sends back what it gets. */
class TcpProxyTest {
  private ServerSocket echo;
  private TcpProxy proxy;
  private Socket client;

  @BeforeEach
  void connect() throws IOException {
    echo = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
    Daemon.start("echo", this::serve);
    proxy =
        new TcpProxy(new Endpoint("127.0.0.1", echo.getLocalPort()), "127.0.0.1", "worker-host");
    client = newClient();
  }

  @AfterEach
  void close() throws IOException {
    client.close();
    proxy.close();
    echo.close();
  }

  @Test
  void passesBothWays() throws IOException {
    assertThat(answerTo("hello")).isEqualTo("hello");
    assertThat(proxy.endpointFromWorker())
        .isEqualTo(new Endpoint("worker-host", proxy.endpoint().port()));
  }

  @Test
  void cutResetsTheConnectionAndServesTheNext() throws IOException {
    answerTo("hello");

    proxy.cut();

    assertThatThrownBy(() -> answerTo("more")).isInstanceOf(SocketException.class);
    client = newClient();
    assertThat(answerTo("again")).isEqualTo("again");
    assertThat(proxy.accepted()).isEqualTo(2);
  }

  @Test
  void refusesUntilHealed() throws IOException {
    answerTo("hello");

    proxy.refuse();

    assertThatThrownBy(this::newClient).isInstanceOf(ConnectException.class);
    proxy.heal();
    client = newClient();
    assertThat(answerTo("again")).isEqualTo("again");
  }

  @Test
  void droppedBytesNeverComeAndHealingResetsTheirConnection() throws IOException {
    proxy.drop();
    client.setSoTimeout(300);

    assertThatThrownBy(() -> answerTo("lost")).isInstanceOf(SocketTimeoutException.class);

    proxy.heal();
    assertThatThrownBy(() -> answerTo("late")).isInstanceOf(SocketException.class);
  }

  @Test
  void stalledBytesComeAfterHealing() throws IOException {
    proxy.stall();
    client.setSoTimeout(300);

    assertThatThrownBy(() -> answerTo("hello")).isInstanceOf(SocketTimeoutException.class);

    proxy.heal();
    assertThat(new String(client.getInputStream().readNBytes(5), UTF_8)).isEqualTo("hello");
  }

  @Test
  void stalledProxyBlocksTheWriterOnceTheBuffersAreFull() throws Exception {
    proxy.stall();

    CompletableFuture<Void> writing =
        CompletableFuture.runAsync(
            () -> {
              try {
                client.getOutputStream().write(new byte[64 * 1024 * 1024]);
              } catch (IOException e) {
                throw new IllegalStateException(e);
              }
            });

    assertThatThrownBy(() -> writing.get(500, TimeUnit.MILLISECONDS))
        .isInstanceOf(TimeoutException.class);
  }

  @Test
  void delaysEachDirection() throws IOException {
    answerTo("warm");
    proxy.delay(Duration.ofMillis(200), Duration.ofMillis(100));

    long start = System.nanoTime();
    assertThat(answerTo("hello")).isEqualTo("hello");

    assertThat(Duration.ofNanos(System.nanoTime() - start)).isGreaterThan(Duration.ofMillis(299));
  }

  @Test
  void limitsTheSpeed() throws IOException {
    proxy.limit(100_000);

    long start = System.nanoTime();
    answerTo("x".repeat(20_000));
    answerTo("x".repeat(20_000));

    assertThat(Duration.ofNanos(System.nanoTime() - start)).isGreaterThan(Duration.ofMillis(350));
  }

  @Test
  void closeOfOneSideReachesTheOther() throws IOException {
    answerTo("hello");

    client.shutdownOutput();

    assertThat(client.getInputStream().read()).isEqualTo(-1);
    Awaitility.await().until(() -> proxy.open() == 0);
  }

  private Socket newClient() throws IOException {
    Socket socket = new Socket(proxy.endpoint().host(), proxy.endpoint().port());
    socket.setSoTimeout(10_000);
    return socket;
  }

  private String answerTo(String question) throws IOException {
    client.getOutputStream().write(question.getBytes(UTF_8));
    byte[] answer = new byte[question.length()];
    new DataInputStream(client.getInputStream()).readFully(answer);
    return new String(answer, UTF_8);
  }

  private void serve() {
    while (!echo.isClosed()) {
      try {
        Socket connection = echo.accept();
        Daemon.start("echo-one", () -> sendBack(connection));
      } catch (IOException e) {
        // Closed.
      }
    }
  }

  private static void sendBack(Socket connection) {
    try (connection) {
      connection.getInputStream().transferTo(connection.getOutputStream());
    } catch (IOException e) {
      // Reset.
    }
  }
}
