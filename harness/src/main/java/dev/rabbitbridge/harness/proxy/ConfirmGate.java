// SPDX-License-Identifier: Apache-2.0
package dev.rabbitbridge.harness.proxy;

import java.util.ArrayDeque;
import java.util.Deque;

/**
 * Decides what becomes of the acks of one direction: a broker's confirms, or clients' acks. Safe
 * from any thread.
 */
final class ConfirmGate {
  private enum Mode {
    PASS,
    HOLD,
    SWALLOW
  }

  private static final class Held {
    final Pump pump;
    final byte[] frame;

    Held(Pump pump, byte[] frame) {
      this.pump = pump;
      this.frame = frame;
    }
  }

  private final Deque<Held> held = new ArrayDeque<>();
  private Mode mode = Mode.PASS;

  synchronized void offer(Pump pump, byte[] frame) {
    switch (mode) {
      case PASS -> pump.send(frame);
      case HOLD -> held.add(new Held(pump, frame));
      case SWALLOW -> {}
    }
  }

  synchronized void hold() {
    mode = Mode.HOLD;
  }

  synchronized void swallow() {
    mode = Mode.SWALLOW;
    held.clear();
  }

  synchronized void pass() {
    mode = Mode.PASS;
    release(held.size());
  }

  synchronized void release(int frames) {
    for (int left = frames; left > 0 && !held.isEmpty(); left--) {
      Held next = held.remove();
      next.pump.send(next.frame);
    }
  }

  synchronized int held() {
    return held.size();
  }

  /** Drops what is held for a connection that is gone. */
  synchronized void forget(Pump pump) {
    held.removeIf(next -> next.pump == pump);
  }
}
