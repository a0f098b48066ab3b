// SPDX-License-Identifier: Apache-2.0
package dev.rabbitbridge.harness.bench;

import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.ToDoubleFunction;

/**
 * Contenders measured in turns: each round has one run of each, and every other round goes
 * backwards, so that a machine that gets slower or faster meanwhile does not favour one of them.
 *
 * @param title what is compared
 * @param samples of each contender, one of each round; the first contender is the reference
 */
record Comparison(String title, Map<String, List<Sample>> samples) {
  /** Runs the rounds. */
  static Comparison run(
      String title, List<Contender> contenders, int rounds, Measure measure, Progress progress)
      throws Exception {
    Map<String, List<Sample>> samples = new LinkedHashMap<>();
    contenders.forEach(contender -> samples.put(contender.name(), new ArrayList<>()));
    for (int round = 0; round < rounds; round++) {
      List<Contender> order = new ArrayList<>(contenders);
      if (round % 2 == 1) {
        Collections.reverse(order);
      }
      for (Contender contender : order) {
        Sample sample = measure.of(contender);
        samples.get(contender.name()).add(sample);
        progress.measured(title, contender.name(), sample);
      }
    }
    return new Comparison(title, samples);
  }

  String reference() {
    return samples.keySet().iterator().next();
  }

  Numbers perSecond(String contender) {
    return numbers(contender, Sample::perSecond);
  }

  Numbers cpuMicros(String contender) {
    return numbers(contender, Sample::cpuMicros);
  }

  Numbers bytes(String contender) {
    return numbers(contender, Sample::bytes);
  }

  Numbers busy(String contender) {
    return numbers(contender, Sample::busy);
  }

  private Numbers numbers(String contender, ToDoubleFunction<Sample> which) {
    return new Numbers(samples.get(contender).stream().map(which::applyAsDouble).toList());
  }

  /** One run. */
  interface Measure {
    Sample of(Contender contender) throws Exception;
  }

  /** Is told of each run. */
  interface Progress {
    void measured(String title, String contender, Sample sample);
  }
}
