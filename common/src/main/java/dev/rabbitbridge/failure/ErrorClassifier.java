// SPDX-License-Identifier: Apache-2.0
package dev.rabbitbridge.failure;

import com.rabbitmq.client.AMQP;
import com.rabbitmq.client.AuthenticationFailureException;
import com.rabbitmq.client.MalformedFrameException;
import com.rabbitmq.client.MissedHeartbeatException;
import com.rabbitmq.client.PossibleAuthenticationFailureException;
import com.rabbitmq.client.ProtocolVersionMismatchException;
import com.rabbitmq.client.ShutdownSignalException;
import com.rabbitmq.client.UnexpectedFrameError;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.net.UnknownHostException;
import java.security.GeneralSecurityException;
import java.util.List;
import java.util.concurrent.TimeoutException;
import javax.net.ssl.SSLException;
import javax.net.ssl.SSLPeerUnverifiedException;
import org.apache.kafka.common.errors.SerializationException;
import org.apache.kafka.connect.errors.DataException;
import org.jspecify.annotations.Nullable;

/**
 * Decides what an error means, on exception types and the protocol's class, method and reply code,
 * and on text only where RabbitMQ says two things with one code: {@link #isNodeAway}, and 530 for a
 * limit on connections or channels.
 *
 * <p>Pure and thread safe. What it does not know is {@link FailureKind#FATAL}: an unknown error
 * that is retried for ever helps nobody.
 *
 * @see <a href="https://www.rabbitmq.com/amqp-0-9-1-reference#constants">AMQP 0-9-1 reply codes</a>
 */
public final class ErrorClassifier {
  private static final int QUEUE_CLASS = 50;
  private static final int BASIC_CLASS = 60;
  private static final int BASIC_CONSUME = 20;
  private static final int BASIC_PUBLISH = 40;

  /** Of 3.8 to 4.3. Should it change, such a queue is taken for one that does not exist. */
  private static final String NODE_AWAY = "is down or inaccessible";

  /** Of 3.8 to 4.3. Should they change, a limit is taken for a missing permission. */
  private static final List<String> OVER_LIMIT = List.of("connection limit", "maximum allowed");

  private ErrorClassifier() {}

  /**
   * Classifies an error.
   *
   * @param error what was thrown, or a channel's or connection's shutdown reason; its causes are
   *     looked through
   * @param stage when it happened
   * @return the classified error, never null
   */
  public static Failure classify(Throwable error, Stage stage) {
    for (Throwable t = error; t != null; t = t.getCause()) {
      Failure known = known(t, stage);
      if (known != null) {
        return known;
      }
    }
    return failure(FailureKind.FATAL, error);
  }

  /**
   * Tells whether a queue is only away: the node that holds it is down. RabbitMQ answers 404, as it
   * does for a queue that does not exist; just the text tells them apart.
   *
   * @param failure what {@link #classify} returned
   * @return true when the queue comes back with its node
   */
  public static boolean isNodeAway(Failure failure) {
    return isNodeAway(failure.replyCode(), failure.reason());
  }

  private static boolean isNodeAway(int replyCode, String text) {
    return replyCode == AMQP.NOT_FOUND && text.contains(NODE_AWAY);
  }

  /** There may be room as soon as RabbitMQ has noticed that another connection is dead. */
  private static boolean isOverLimit(int replyCode, String text) {
    return replyCode == AMQP.NOT_ALLOWED && OVER_LIMIT.stream().anyMatch(text::contains);
  }

  private static @Nullable Failure known(Throwable t, Stage stage) {
    if (t instanceof ShutdownSignalException signal) {
      return ofSignal(signal, stage);
    }
    if (t instanceof DataException || t instanceof SerializationException) {
      return failure(FailureKind.RECORD, t);
    }
    if (t instanceof AuthenticationFailureException) {
      return new Failure(FailureKind.FATAL, AMQP.ACCESS_REFUSED, text(t), t);
    }
    // A broker that is just going down closes the socket in the middle of a login too.
    if (t instanceof PossibleAuthenticationFailureException) {
      return failure(FailureKind.TRANSIENT, t);
    }
    if (t instanceof SSLException ssl) {
      return failure(isTransientTls(ssl) ? FailureKind.TRANSIENT : FailureKind.FATAL, t);
    }
    if (t instanceof ProtocolVersionMismatchException
        || t instanceof MalformedFrameException
        || t instanceof UnexpectedFrameError) {
      return failure(stage == Stage.START ? FailureKind.FATAL : FailureKind.TRANSIENT, t);
    }
    if (t instanceof MissedHeartbeatException || t instanceof TimeoutException) {
      return failure(FailureKind.TRANSIENT, t);
    }
    if (t instanceof IOException && !wrapsSomethingBetter(t)) {
      return failure(FailureKind.TRANSIENT, t);
    }
    return null;
  }

  /**
   * The client wraps most of what goes wrong in a bare IOException; sockets throw their own
   * subclasses.
   */
  private static boolean wrapsSomethingBetter(Throwable t) {
    return t.getCause() != null
        && !(t instanceof InterruptedIOException)
        && !(t instanceof UnknownHostException);
  }

  private static boolean isTransientTls(SSLException error) {
    if (error instanceof SSLPeerUnverifiedException) {
      return false;
    }
    for (Throwable t = error.getCause(); t != null; t = t.getCause()) {
      if (t instanceof GeneralSecurityException) {
        return false;
      }
      if (t instanceof IOException && !(t instanceof SSLException)) {
        return true;
      }
    }
    return false;
  }

  private static Failure ofSignal(ShutdownSignalException signal, Stage stage) {
    if (signal.getReason() instanceof AMQP.Channel.Close close) {
      Stage when = isNodeAway(close.getReplyCode(), close.getReplyText()) ? Stage.RUNNING : stage;
      FailureKind kind =
          ofReply(close.getReplyCode(), close.getClassId(), close.getMethodId(), when);
      return new Failure(kind, close.getReplyCode(), close.getReplyText(), signal);
    }
    if (signal.getReason() instanceof AMQP.Connection.Close close) {
      FailureKind kind =
          isOverLimit(close.getReplyCode(), close.getReplyText())
              ? FailureKind.TRANSIENT
              : ofReply(close.getReplyCode(), close.getClassId(), close.getMethodId(), stage);
      return new Failure(kind, close.getReplyCode(), close.getReplyText(), signal);
    }
    Throwable cause = signal.getCause();
    return cause == null
        ? new Failure(FailureKind.TRANSIENT, 0, "connection lost", signal)
        : classify(cause, stage);
  }

  private static FailureKind ofReply(int code, int classId, int methodId, Stage stage) {
    FailureKind laterMayWork = stage == Stage.START ? FailureKind.FATAL : FailureKind.TRANSIENT;
    return switch (code) {
      case AMQP.REPLY_SUCCESS, AMQP.CONNECTION_FORCED, AMQP.RESOURCE_ERROR, AMQP.INTERNAL_ERROR ->
          FailureKind.TRANSIENT;
      case AMQP.CONTENT_TOO_LARGE, AMQP.NO_ROUTE, AMQP.NO_CONSUMERS -> FailureKind.RECORD;
      // While a queue's node is away the broker may say of the queue just that it does not exist,
      // or is locked.
      case AMQP.NOT_FOUND, AMQP.RESOURCE_LOCKED ->
          classId == QUEUE_CLASS || isConsume(classId, methodId) ? laterMayWork : FailureKind.FATAL;
      case AMQP.PRECONDITION_FAILED -> {
        if (classId == BASIC_CLASS && methodId == BASIC_PUBLISH) {
          yield FailureKind.RECORD;
        }
        // Without a method it is the broker's own clock: an acknowledgement timeout. With consume
        // it
        // is a stream that has no replica on this node.
        yield classId == 0 || isConsume(classId, methodId)
            ? FailureKind.TRANSIENT
            : FailureKind.FATAL;
      }
      default -> FailureKind.FATAL;
    };
  }

  private static boolean isConsume(int classId, int methodId) {
    return classId == BASIC_CLASS && methodId == BASIC_CONSUME;
  }

  private static Failure failure(FailureKind kind, Throwable t) {
    return new Failure(kind, 0, text(t), t);
  }

  private static String text(Throwable t) {
    String name = t.getClass().getSimpleName();
    String message = Failure.messageOf(t);
    return message.equals(name) ? name : name + ": " + message;
  }
}
