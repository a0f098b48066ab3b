// SPDX-License-Identifier: Apache-2.0
package dev.rabbitbridge.failure;

import static dev.rabbitbridge.failure.FailureKind.FATAL;
import static dev.rabbitbridge.failure.FailureKind.RECORD;
import static dev.rabbitbridge.failure.FailureKind.TRANSIENT;
import static dev.rabbitbridge.failure.Stage.RUNNING;
import static dev.rabbitbridge.failure.Stage.START;
import static org.assertj.core.api.Assertions.assertThat;

import com.rabbitmq.client.AMQP;
import com.rabbitmq.client.AlreadyClosedException;
import com.rabbitmq.client.AuthenticationFailureException;
import com.rabbitmq.client.MalformedFrameException;
import com.rabbitmq.client.MissedHeartbeatException;
import com.rabbitmq.client.PossibleAuthenticationFailureException;
import com.rabbitmq.client.ShutdownSignalException;
import java.io.EOFException;
import java.io.IOException;
import java.net.ConnectException;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.net.UnknownHostException;
import java.security.cert.CertPathBuilderException;
import java.security.cert.CertificateException;
import java.util.concurrent.TimeoutException;
import java.util.stream.Stream;
import javax.net.ssl.SSLException;
import javax.net.ssl.SSLHandshakeException;
import javax.net.ssl.SSLPeerUnverifiedException;
import org.apache.kafka.common.config.ConfigException;
import org.apache.kafka.common.errors.SerializationException;
import org.apache.kafka.connect.errors.DataException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

class ErrorClassifierTest {

  static Stream<Arguments> table() {
    return Stream.of(
        // thrown by sockets and the client:       at start    later
        row(new ConnectException("refused"), TRANSIENT, TRANSIENT),
        row(new UnknownHostException("rabbit"), TRANSIENT, TRANSIENT),
        row(new SocketTimeoutException("connect"), TRANSIENT, TRANSIENT),
        row(new SocketException("reset"), TRANSIENT, TRANSIENT),
        row(new EOFException(), TRANSIENT, TRANSIENT),
        row(new TimeoutException(), TRANSIENT, TRANSIENT),
        row(new MissedHeartbeatException("60 s"), TRANSIENT, TRANSIENT),
        row(new AuthenticationFailureException("ACCESS_REFUSED"), FATAL, FATAL),
        row(new PossibleAuthenticationFailureException(new EOFException()), TRANSIENT, TRANSIENT),
        row(new MalformedFrameException("HTTP/1.1"), FATAL, TRANSIENT),
        row(tls(new CertPathBuilderException("no path")), FATAL, FATAL),
        row(tls(new EOFException("peer went away")), TRANSIENT, TRANSIENT),
        row(new SSLHandshakeException("no cipher in common"), FATAL, FATAL),
        row(new SSLException("not a TLS message"), FATAL, FATAL),
        row(new SSLPeerUnverifiedException("other host"), FATAL, FATAL),
        row(tls(new CertificateException("no name matching")), FATAL, FATAL),
        // a setting that was found to be wrong before anything was sent
        row(new ConfigException("rabbitmq.ssl.keystore.location"), FATAL, FATAL),
        // a record's own fault
        row(new DataException("no converter"), RECORD, RECORD),
        row(new SerializationException("bad bytes"), RECORD, RECORD),
        // what nobody foresaw
        row(new IllegalStateException("bug"), FATAL, FATAL),
        row(new NoClassDefFoundError("x"), FATAL, FATAL),
        // the connection closed by the broker
        row(connectionClose(AMQP.CONNECTION_FORCED), TRANSIENT, TRANSIENT),
        row(connectionClose(AMQP.INTERNAL_ERROR), TRANSIENT, TRANSIENT),
        row(connectionClose(AMQP.RESOURCE_ERROR), TRANSIENT, TRANSIENT),
        row(connectionClose(AMQP.ACCESS_REFUSED), FATAL, FATAL),
        row(connectionClose(AMQP.NOT_ALLOWED), FATAL, FATAL),
        row(connectionClose(AMQP.INVALID_PATH), FATAL, FATAL),
        row(connectionClose(AMQP.FRAME_ERROR), FATAL, FATAL),
        row(connectionClose(AMQP.NOT_IMPLEMENTED), FATAL, FATAL),
        row(connectionLost(null), TRANSIENT, TRANSIENT),
        row(connectionLost(new SocketException("reset")), TRANSIENT, TRANSIENT),
        row(new AlreadyClosedException(connectionLost(null)), TRANSIENT, TRANSIENT),
        // a channel closed by the broker, by the method that it answers
        row(channelClose(AMQP.NOT_FOUND, 60, 40), FATAL, FATAL), // publish, no exchange
        row(channelClose(AMQP.NOT_FOUND, 60, 20), FATAL, TRANSIENT), // consume, no queue
        row(channelClose(AMQP.NOT_FOUND, 50, 10), FATAL, TRANSIENT), // queue.declare
        row(channelClose(AMQP.NOT_FOUND, 40, 10), FATAL, FATAL), // exchange.declare
        row(channelClose(AMQP.RESOURCE_LOCKED, 50, 10), FATAL, TRANSIENT),
        row(channelClose(AMQP.ACCESS_REFUSED, 60, 40), FATAL, FATAL),
        row(channelClose(AMQP.ACCESS_REFUSED, 60, 20), FATAL, FATAL),
        row(channelClose(AMQP.PRECONDITION_FAILED, 60, 40), RECORD, RECORD), // size, property
        row(channelClose(AMQP.PRECONDITION_FAILED, 50, 10), FATAL, FATAL), // other arguments
        row(channelClose(AMQP.PRECONDITION_FAILED, 0, 0), TRANSIENT, TRANSIENT), // ack timeout
        row(channelClose(AMQP.PRECONDITION_FAILED, 60, 20), TRANSIENT, TRANSIENT), // no replica
        row(channelClose(AMQP.PRECONDITION_FAILED, 60, 80), FATAL, FATAL), // unknown tag: a bug
        row(channelClose(AMQP.CONTENT_TOO_LARGE, 60, 40), RECORD, RECORD),
        row(channelClose(AMQP.NO_ROUTE, 60, 40), RECORD, RECORD),
        row(channelClose(AMQP.NO_CONSUMERS, 60, 40), RECORD, RECORD),
        row(channelClose(AMQP.NOT_IMPLEMENTED, 60, 10), FATAL, FATAL),
        row(channelClose(AMQP.INTERNAL_ERROR, 60, 40), TRANSIENT, TRANSIENT),
        row(channelClose(999, 60, 40), FATAL, FATAL));
  }

  @ParameterizedTest
  @MethodSource("table")
  void everyErrorHasOneMeaningBareOrWrapped(Throwable error, FailureKind start, FailureKind later) {
    assertThat(ErrorClassifier.classify(error, START).kind()).isEqualTo(start);
    assertThat(ErrorClassifier.classify(error, RUNNING).kind()).isEqualTo(later);

    assertThat(ErrorClassifier.classify(new IOException(error), START).kind()).isEqualTo(start);
    assertThat(ErrorClassifier.classify(new RuntimeException(error), RUNNING).kind())
        .isEqualTo(later);
  }

  @Test
  void replyCodeAndTextOfTheBrokerAreKept() {
    Failure failure =
        ErrorClassifier.classify(new IOException(channelClose(AMQP.NOT_FOUND, 60, 40)), RUNNING);

    assertThat(failure.replyCode()).isEqualTo(404);
    assertThat(failure).hasToString("404 reply text");
  }

  @Test
  void aQueueWhoseNodeIsDownIsAwayAndNotMissing() {
    for (int[] method : new int[][] {{60, 20}, {50, 10}}) {
      Failure failure =
          ErrorClassifier.classify(
              new IOException(
                  channelClose(
                      AMQP.NOT_FOUND,
                      "NOT_FOUND - home node 'rabbit@a' of durable queue 'q' in vhost '/' is down or inaccessible",
                      method[0],
                      method[1])),
              START);

      assertThat(failure.kind()).isEqualTo(TRANSIENT);
      assertThat(ErrorClassifier.isNodeAway(failure)).isTrue();
    }
    assertThat(
            ErrorClassifier.isNodeAway(
                ErrorClassifier.classify(channelClose(AMQP.NOT_FOUND, 60, 20), START)))
        .isFalse();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "NOT_ALLOWED - access to vhost '/' refused for user 'bridge': connection limit (2) is reached",
        "NOT_ALLOWED - access to vhost '/' refused for user 'bridge': connection limit cannot be queried, timeout",
        "NOT_ALLOWED - connection refused for user 'bridge': user connection limit (2) is reached",
        "NOT_ALLOWED - connection refused: node connection limit (2) is reached",
        "NOT_ALLOWED - number of channels opened for user 'bridge' has reached the maximum allowed user limit of 2",
        "NOT_ALLOWED - number of channels opened on node 'rabbit@a' has reached the maximum allowed limit of 2",
      })
  void aLimitOnConnectionsOrChannelsMayHaveRoomAgain(String text) {
    for (Stage stage : Stage.values()) {
      assertThat(ErrorClassifier.classify(connectionClose(AMQP.NOT_ALLOWED, text), stage).kind())
          .isEqualTo(TRANSIENT);
    }
    assertThat(
            ErrorClassifier.classify(
                    connectionClose(AMQP.NOT_ALLOWED, "NOT_ALLOWED - vhost nope not found"), START)
                .kind())
        .isEqualTo(FATAL);
  }

  @Test
  void textDecidesNothingElse() {
    assertThat(ErrorClassifier.classify(new IllegalStateException("404 NOT_FOUND"), START).kind())
        .isEqualTo(FATAL);
    assertThat(ErrorClassifier.classify(new ConnectException("ACCESS_REFUSED"), START).kind())
        .isEqualTo(TRANSIENT);
  }

  private static Arguments row(Throwable error, FailureKind start, FailureKind later) {
    return Arguments.of(error, start, later);
  }

  private static Throwable tls(Throwable cause) {
    return new SSLHandshakeException("handshake").initCause(cause);
  }

  private static ShutdownSignalException connectionClose(int code) {
    return connectionClose(code, "reply text");
  }

  private static ShutdownSignalException connectionClose(int code, String text) {
    var reason =
        new AMQP.Connection.Close.Builder()
            .replyCode(code)
            .replyText(text)
            .classId(0)
            .methodId(0)
            .build();
    return new ShutdownSignalException(true, false, reason, null);
  }

  private static ShutdownSignalException connectionLost(Throwable cause) {
    ShutdownSignalException signal = new ShutdownSignalException(true, false, null, null);
    if (cause != null) {
      signal.initCause(cause);
    }
    return signal;
  }

  private static ShutdownSignalException channelClose(int code, int classId, int methodId) {
    return channelClose(code, "reply text", classId, methodId);
  }

  private static ShutdownSignalException channelClose(
      int code, String text, int classId, int methodId) {
    var reason =
        new AMQP.Channel.Close.Builder()
            .replyCode(code)
            .replyText(text)
            .classId(classId)
            .methodId(methodId)
            .build();
    return new ShutdownSignalException(false, false, reason, null);
  }
}
