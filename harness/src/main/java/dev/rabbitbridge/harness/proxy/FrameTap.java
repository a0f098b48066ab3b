// SPDX-License-Identifier: Apache-2.0
package dev.rabbitbridge.harness.proxy;

/** Sees the AMQP frames that pass a proxy, on the threads that carry them: it must not block. */
public interface FrameTap {
  /** Sees nothing. */
  FrameTap NONE =
      new FrameTap() {
        @Override
        public void toClient(int connection, byte[] frame) {}

        @Override
        public void toBroker(int connection, byte[] frame) {}
      };

  /**
   * Called before a frame goes on to a client.
   *
   * @param connection the same number for all frames of a connection
   * @param frame a whole frame; not to be changed
   */
  void toClient(int connection, byte[] frame);

  /**
   * Called before a frame goes on to the broker.
   *
   * @param connection the same number for all frames of a connection
   * @param frame a whole frame; not to be changed
   */
  void toBroker(int connection, byte[] frame);
}
