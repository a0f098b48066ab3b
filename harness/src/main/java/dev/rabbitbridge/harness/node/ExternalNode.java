// SPDX-License-Identifier: Apache-2.0
package dev.rabbitbridge.harness.node;

/** A server that the harness uses and does not own: it is there, and that is all. */
public final class ExternalNode implements Node {
  private final String name;

  /**
   * Names it.
   *
   * @param name for messages
   */
  public ExternalNode(String name) {
    this.name = name;
  }

  @Override
  public String name() {
    return name;
  }

  @Override
  public void start() {}

  @Override
  public void stop() {
    throw unsupported();
  }

  @Override
  public void kill() {
    throw unsupported();
  }

  @Override
  public void pause() {
    throw unsupported();
  }

  @Override
  public void resume() {
    throw unsupported();
  }

  @Override
  public boolean isRunning() {
    return true;
  }

  @Override
  public String exec(String... command) {
    throw unsupported();
  }

  @Override
  public String log() {
    return "";
  }

  @Override
  public void close() {}

  private UnsupportedOperationException unsupported() {
    return new UnsupportedOperationException(
        name + " is not the harness's own: it is not killed, stopped or reconfigured");
  }
}
