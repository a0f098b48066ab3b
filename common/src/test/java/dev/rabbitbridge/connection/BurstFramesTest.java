// SPDX-License-Identifier: Apache-2.0
package dev.rabbitbridge.connection;

import static org.assertj.core.api.Assertions.assertThat;

import com.rabbitmq.client.impl.FrameHandler;
import java.lang.reflect.Proxy;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;

class BurstFramesTest {
  private final List<String> calls = new CopyOnWriteArrayList<>();
  private final BurstFrames frames =
      new BurstFrames(
          (FrameHandler)
              Proxy.newProxyInstance(
                  FrameHandler.class.getClassLoader(),
                  new Class<?>[] {FrameHandler.class},
                  (proxy, method, arguments) -> {
                    calls.add(method.getName());
                    return null;
                  }));

  @Test
  void flushesGoThroughOutsideOfABurst() throws Exception {
    frames.flush(null);

    assertThat(calls).containsExactly("flush");
  }

  @Test
  void aBurstIsFlushedOnceAtItsEnd() throws Exception {
    frames.hold();
    for (int i = 0; i < 3; i++) {
      frames.writeFrame(null);
      frames.flush(null);
    }
    frames.release();
    frames.flush(null);

    assertThat(calls).containsExactly("writeFrame", "writeFrame", "writeFrame", "flush", "flush");
  }

  @Test
  void aHeartbeatOfAnotherThreadGoesOutWithinABurst() {
    frames.hold();
    CompletableFuture.runAsync(
            () -> {
              try {
                frames.writeFrame(null);
                frames.flush(null);
              } catch (java.io.IOException e) {
                throw new java.io.UncheckedIOException(e);
              }
            })
        .join();

    assertThat(calls).containsExactly("writeFrame", "flush");
  }

  @Test
  void aFlushThatSomebodyWaitsForGoesThrough() throws Exception {
    frames.hold();
    frames.flush((success, cause) -> {});

    assertThat(calls).containsExactly("flush");
  }
}
