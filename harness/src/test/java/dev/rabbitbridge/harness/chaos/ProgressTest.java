// SPDX-License-Identifier: Apache-2.0
package dev.rabbitbridge.harness.chaos;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class ProgressTest {
  private final Progress progress = new Progress();

  @Test
  void theFirstMessageAfterAMomentIsProgress() {
    progress.note(5);
    long moment = System.nanoTime();
    progress.note(5);
    assertThat(progress.firstAfter(moment)).isEmpty();

    progress.note(6);
    assertThat(progress.firstAfter(moment)).isPresent();
  }

  @Test
  void aBrokerThatStillCountsIsNoProgress() {
    progress.note(5);
    long moment = System.nanoTime();
    progress.note(1);
    progress.note(4);

    assertThat(progress.firstAfter(moment)).isEmpty();
    assertThat(progress.delivered()).isEqualTo(5);
  }

  @Test
  void afterMessagesWereTakenOutTheNextOneIsProgress() {
    progress.note(5);
    progress.restart();
    long moment = System.nanoTime();
    progress.note(0);
    assertThat(progress.firstAfter(moment)).isEmpty();

    progress.note(1);
    assertThat(progress.firstAfter(moment)).isPresent();
  }
}
