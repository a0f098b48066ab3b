// SPDX-License-Identifier: Apache-2.0
package dev.rabbitbridge.source;

import dev.rabbitbridge.failure.Fault;
import java.util.Map;
import org.apache.kafka.connect.errors.ConnectException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Where a task is in a stream, and whether the stream still is what it was.
 *
 * <p>RabbitMQ says nothing when the offset asked for was cut off by retention, lies beyond the end,
 * or belongs to a stream that was deleted and created anew. So each subscription begins <em>at</em>
 * the last message handed out, not after it, and the first message that comes must be that one.
 *
 * <h2>Threading</h2>
 *
 * Thread safe. The queue's thread begins subscriptions, the task's thread shows what arrived.
 */
final class StreamCursor {
  private static final Logger LOG = LoggerFactory.getLogger(StreamCursor.class);

  private static final String FIRST = "first";
  private static final String LAST = "last";
  private static final String NEXT = "next";

  private final String queue;
  private final PositionLost policy;
  private Object start;
  private @Nullable Position position;
  private int epoch;
  private boolean unverified;
  private boolean restart;

  /**
   * Creates a cursor.
   *
   * @param start where to begin when there is no position, as x-stream-offset takes it
   * @param stored what Connect has stored; null for nothing
   */
  StreamCursor(String queue, PositionLost policy, Object start, @Nullable Position stored) {
    this.queue = queue;
    this.policy = policy;
    this.start = start;
    this.position = stored;
  }

  /**
   * Tells whether where to begin is said in a word that means another place with each message that
   * is published. After a lost connection it would leave out what came meanwhile.
   */
  synchronized boolean mustPin() {
    return position == null && (start.equals(LAST) || start.equals(NEXT));
  }

  /** Begins where that word means now. */
  synchronized void pin(StreamEnd.Tail tail) {
    if (mustPin()) {
      start = start.equals(LAST) ? tail.first() : tail.last() + 1;
    }
  }

  /** Begins a subscription on a channel and returns its x-stream-offset. */
  synchronized Object subscribe(int channelEpoch) {
    epoch = channelEpoch;
    restart = false;
    if (position == null) {
      unverified = false;
      return start;
    }
    unverified = true;
    return position.offset();
  }

  /**
   * Returns the offset that is waited for.
   *
   * @return null when the position has been found, or there is none
   */
  synchronized @Nullable Long awaited() {
    return unverified && position != null ? position.offset() : null;
  }

  /** Tells whether a message has to come, if the stream has any. */
  synchronized boolean isWaiting() {
    return position == null ? start.equals(FIRST) : unverified;
  }

  /** Tells whether the subscription has to begin again elsewhere. */
  synchronized boolean mustRestart() {
    return restart;
  }

  /**
   * Judges a message.
   *
   * @param channelEpoch of the channel that it came on
   * @return what to do with it
   * @throws ConnectException if the position is lost and the task has to fail
   */
  synchronized Verdict arrived(int channelEpoch, Position message) {
    if (restart || channelEpoch != epoch) {
      return Verdict.IGNORE;
    }
    Position last = position;
    if (last == null) {
      return Verdict.NEW;
    }
    if (unverified) {
      if (message.offset() == last.offset() && last.isOf(message)) {
        unverified = false;
        return Verdict.KNOWN;
      }
      lost(
          message.offset() == last.offset()
              ? "another message is there now, so the stream was created anew"
              : "the first message left is at offset " + message.offset());
      return Verdict.IGNORE;
    }
    if (message.offset() <= last.offset()) {
      return Verdict.KNOWN;
    }
    return message.offset() == last.offset() + 1 ? Verdict.NEW : Verdict.NEW_AFTER_GAP;
  }

  /**
   * Moves on to a message that was handed out, or needs not be. If its channel was given up in
   * between it will come again.
   */
  synchronized void moved(int channelEpoch, Position to) {
    if (channelEpoch == epoch && !restart) {
      position = to;
    }
  }

  /**
   * Notes that the stream no longer holds the position.
   *
   * @param how in words
   * @throws ConnectException if the task has to fail
   */
  synchronized void lost(String how) {
    Position last = position;
    String what =
        "Stream '" + queue + "' no longer holds the message at offset " + last + ": " + how;
    switch (policy) {
      case FAIL ->
          throw Fault.POSITION_LOST.exception(
              what
                  + ". Reset the connector's offsets, or set "
                  + RabbitMQSourceConfig.POSITION_LOST_CONFIG
                  + " to earliest or latest.",
              null);
      case EARLIEST -> start = FIRST;
      case LATEST -> start = NEXT;
    }
    LOG.warn("{}; reading on from {} as configured {}", what, start, Fault.POSITION_LOST);
    position = null;
    unverified = false;
    restart = true;
  }

  /** What becomes of a message that arrived. */
  enum Verdict {
    /** It comes next. */
    NEW,
    /** It comes next, but offsets before it are missing. */
    NEW_AFTER_GAP,
    /** It was handed out before. */
    KNOWN,
    /** The subscription begins again elsewhere. */
    IGNORE
  }

  /**
   * A message's place and what is known of its content.
   *
   * @param offset the stream offset
   * @param fingerprint of the message; null when a person set the offset
   */
  record Position(long offset, @Nullable String fingerprint) {
    boolean isOf(Position other) {
      return fingerprint == null || fingerprint.equals(other.fingerprint);
    }

    /** Returns what Connect keeps. */
    Map<String, Object> toOffset() {
      return fingerprint == null
          ? Map.of(SourceOffsets.STREAM_OFFSET, offset)
          : Map.of(SourceOffsets.STREAM_OFFSET, offset, SourceOffsets.FINGERPRINT, fingerprint);
    }

    /** Reads what Connect has kept; null for nothing. */
    static @Nullable Position of(@Nullable Map<String, ?> offset) {
      return offset != null
              && offset.get(SourceOffsets.STREAM_OFFSET) instanceof Number number
              && number.longValue() >= 0
          ? new Position(
              number.longValue(),
              offset.get(SourceOffsets.FINGERPRINT) instanceof String text ? text : null)
          : null;
    }

    @Override
    public String toString() {
      return Long.toString(offset);
    }
  }
}
