// SPDX-License-Identifier: Apache-2.0
package dev.rabbitbridge.connection;

import com.rabbitmq.client.AMQP;
import com.rabbitmq.client.impl.AMQImpl;
import com.rabbitmq.client.impl.Frame;
import com.rabbitmq.client.impl.LongStringHelper;
import com.rabbitmq.client.impl.Method;
import java.io.ByteArrayInputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;

/**
 * Speaks just enough AMQP to accept a login and a channel, and then reads nothing more. What it is
 * told to do otherwise, it does with the bare socket.
 */
public final class FakeBroker implements AutoCloseable {
  final List<AMQP.Connection.StartOk> logins = new CopyOnWriteArrayList<>();
  final List<AMQP.Connection.TuneOk> tuned = new CopyOnWriteArrayList<>();
  final List<AMQP.Connection.Open> opened = new CopyOnWriteArrayList<>();

  private final ServerSocket server;
  private final List<Socket> accepted = new CopyOnWriteArrayList<>();
  private final CountDownLatch closed = new CountDownLatch(1);

  private FakeBroker(ServerSocket server) {
    this.server = server;
  }

  /** Accepts a login with one of these mechanisms. */
  public static FakeBroker speakingAmqp(ServerSocket server, String mechanisms) {
    FakeBroker broker = new FakeBroker(server);
    broker.start(socket -> broker.speakAmqp(socket, mechanisms));
    return broker;
  }

  /** Accepts each login, and then closes the connection with an error. */
  public static FakeBroker closingWith(ServerSocket server, int replyCode) {
    FakeBroker broker = new FakeBroker(server);
    broker.start(
        socket -> {
          DataOutputStream out = broker.logIn(socket, "PLAIN");
          write(out, 0, new AMQImpl.Connection.Close(replyCode, "reply text", 0, 0));
          // As RabbitMQ does. Only the end of the socket tells the client's listeners.
          Method answer = read(new DataInputStream(socket.getInputStream()));
          while (!(answer instanceof AMQP.Connection.CloseOk)) {
            answer = read(new DataInputStream(socket.getInputStream()));
          }
          socket.close();
        });
    return broker;
  }

  /** Returns how many logins there were. */
  public int logins() {
    return logins.size();
  }

  /** Does something else with each socket. */
  static FakeBroker doing(Talk talk) throws IOException {
    FakeBroker broker = new FakeBroker(new ServerSocket(0, 50, InetAddress.getLoopbackAddress()));
    broker.start(talk);
    return broker;
  }

  private void start(Talk talk) {
    Thread thread = new Thread(() -> accept(talk), "fake-broker");
    thread.setDaemon(true);
    thread.start();
  }

  public int port() {
    return server.getLocalPort();
  }

  private void accept(Talk talk) {
    while (!server.isClosed()) {
      try {
        Socket socket = server.accept();
        accepted.add(socket);
        talk.with(socket);
      } catch (IOException | RuntimeException e) {
        // The client gave up, which is what many of the tests are about.
      } catch (InterruptedException e) {
        return;
      }
    }
  }

  private void speakAmqp(Socket socket, String mechanisms)
      throws IOException, InterruptedException {
    DataOutputStream out = logIn(socket, mechanisms);
    read(new DataInputStream(socket.getInputStream()));
    write(out, 1, new AMQImpl.Channel.OpenOk(text("")));
    closed.await();
  }

  private DataOutputStream logIn(Socket socket, String mechanisms) throws IOException {
    DataInputStream in = new DataInputStream(socket.getInputStream());
    DataOutputStream out = new DataOutputStream(socket.getOutputStream());
    in.readNBytes(8);
    Map<String, Object> features =
        Map.of("capabilities", Map.of("authentication_failure_close", true));
    write(out, 0, new AMQImpl.Connection.Start(0, 9, features, text(mechanisms), text("en_US")));
    logins.add((AMQP.Connection.StartOk) read(in));
    write(out, 0, new AMQImpl.Connection.Tune(0, 131_072, 0));
    tuned.add((AMQP.Connection.TuneOk) read(in));
    opened.add((AMQP.Connection.Open) read(in));
    write(out, 0, new AMQImpl.Connection.OpenOk(""));
    return out;
  }

  private static com.rabbitmq.client.LongString text(String text) {
    return LongStringHelper.asLongString(text);
  }

  private static void write(DataOutputStream out, int channel, Method method) throws IOException {
    method.toFrame(channel).writeTo(out);
    out.flush();
  }

  private static Method read(DataInputStream in) throws IOException {
    Frame frame = Frame.readFrom(in, () -> Integer.MAX_VALUE);
    return AMQImpl.readMethodFrom(
        new DataInputStream(new ByteArrayInputStream(frame.getPayload())));
  }

  @Override
  public void close() throws IOException {
    closed.countDown();
    server.close();
    for (Socket socket : accepted) {
      socket.close();
    }
  }

  interface Talk {
    void with(Socket socket) throws IOException, InterruptedException;
  }
}
