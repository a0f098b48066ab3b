// SPDX-License-Identifier: Apache-2.0
package dev.rabbitbridge.sink;

import java.io.IOException;
import org.jspecify.annotations.Nullable;

/** A channel in confirm mode: what the publisher needs of the broker. One of these is one epoch. */
interface PublishChannel {
  /** Returns the number that the broker will confirm the next publish with. */
  long nextPublishSeqNo();

  /**
   * Publishes, at {@link #flush} at the latest; may block without limit while the broker does not
   * read, until {@link #abort}. Writer thread only.
   */
  void publish(Message message) throws IOException;

  /** Sends all that was published; may block as {@link #publish} does. Writer thread only. */
  void flush() throws IOException;

  /** Tells whether the broker said that it does not read what is published. */
  boolean isBlocked();

  /** Returns the {@link System#nanoTime()} at which the broker last began to read. */
  long unblockedAt();

  /** Returns for how many nanoseconds the broker has not read, all in all. */
  long blockedNanos();

  /** Returns the largest frame in bytes; 0 for no limit. */
  int frameMax();

  /**
   * Drops the channel and its connection; never blocks, frees a thread stuck in {@link #publish}.
   */
  void abort();

  /** Closes the channel and its connection in order, within the shutdown timeout. */
  void close();

  /** Opens channels. */
  interface Opener {
    /** Makes one attempt; words that come later are told with the epoch. Writer thread only. */
    PublishChannel open(int epoch, Words words) throws Exception;
  }

  /** What the broker says. Called on the connection's thread: must record and return. */
  interface Words {
    void confirmed(int epoch, long number, boolean multiple);

    void nacked(int epoch, long number, boolean multiple);

    /** A mandatory message that no queue took; its confirm follows. */
    void returned(int epoch, @Nullable Object id, String reason);

    /** Nothing more will come from this epoch. */
    void lost(int epoch, Throwable cause);

    /** The broker blocked or unblocked this connection. */
    void stateChanged();
  }
}
