// SPDX-License-Identifier: Apache-2.0
package dev.rabbitbridge.harness.bench;

/** What a run finds, made anew for each. */
enum Arena {
  /** A topic with all messages, an empty queue. */
  TO_QUEUE,
  /** A queue with all messages, an empty topic. */
  FROM_QUEUE;

  /** Lays everything out for one run, measures it, and clears it away. */
  Sample measure(Lab lab, Contender contender, Load load) throws Exception {
    Place place =
        this == TO_QUEUE
            ? new Place(
                load, lab.filledTopic(load.size(), load.messages(), 1, 1), lab.queue(load.kind()))
            : new Place(load, lab.emptyTopic(), lab.filledQueue(load));
    lab.settle();
    try (Run run = contender.begin(place)) {
      return Sample.of(run, load);
    } finally {
      lab.deleteQueue(place.queue());
      if (this == FROM_QUEUE) {
        lab.kafka().deleteTopics(java.util.List.of(place.topic()));
      }
    }
  }
}
