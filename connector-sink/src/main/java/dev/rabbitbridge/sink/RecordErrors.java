// SPDX-License-Identifier: Apache-2.0
package dev.rabbitbridge.sink;

import dev.rabbitbridge.failure.Fault;
import dev.rabbitbridge.metrics.Meter;
import dev.rabbitbridge.metrics.Tally;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Iterator;
import java.util.concurrent.CancellationException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.function.Consumer;
import org.apache.kafka.connect.errors.ConnectException;
import org.apache.kafka.connect.sink.ErrantRecordReporter;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Hands records that RabbitMQ will never take to the framework's reporter, which may write them to
 * a dead letter topic. Such a record is done when the report is, not before. For the task thread
 * only: older frameworks mix up records when reports come from elsewhere.
 */
final class RecordErrors {
  private static final Logger LOG = LoggerFactory.getLogger(RecordErrors.class);

  private final @Nullable ErrantRecordReporter reporter;
  private final Meter count;
  private final Tally tally;
  private final Deque<Report> reports = new ArrayDeque<>();
  private @Nullable ConnectException failure;

  RecordErrors(@Nullable ErrantRecordReporter reporter, String name, Meter count) {
    this.reporter = reporter;
    this.count = count;
    this.tally =
        new Tally(
            LOG,
            name,
            "cannot be delivered to RabbitMQ and reported to Connect " + Fault.UNDELIVERABLE);
  }

  /**
   * Reports a record.
   *
   * @throws ConnectException if nobody takes reports, or errors are not tolerated: the task has to
   *     fail
   */
  void report(InFlight item, String reason) {
    count.add(1, System.nanoTime());
    String sentence = item.where() + " cannot be delivered to RabbitMQ: " + reason;
    if (reporter == null) {
      throw Fault.UNDELIVERABLE.exception(
          sentence
              + ". To send such records to a dead letter topic, set errors.tolerance to all and"
              + " errors.deadletterqueue.topic.name; to skip them, errors.tolerance to all and"
              + " errors.log.enable to true",
          null);
    }
    ConnectException error = Fault.UNDELIVERABLE.exception(sentence, null);
    try {
      reports.add(new Report(item, reporter.report(item.record, error)));
      tally.add(() -> item.where() + ": " + reason);
    } catch (ConnectException notTolerated) {
      error.addSuppressed(notTolerated);
      throw error;
    }
  }

  /** Passes on the records whose reports are complete. Never throws. */
  void takeDone(Consumer<InFlight> done) {
    tally.flush();
    for (Iterator<Report> all = reports.iterator(); all.hasNext(); ) {
      Report report = all.next();
      if (report.future.isDone()) {
        all.remove();
        take(report, done);
      }
    }
  }

  private void take(Report report, Consumer<InFlight> done) {
    try {
      report.future.get();
      done.accept(report.item);
    } catch (CancellationException e) {
      // The partition was lost while the report was on its way; its next owner meets the record
      // again.
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } catch (ExecutionException e) {
      failure =
          Fault.DEAD_LETTER.exception(
              report.item.where()
                  + " could not be written to the dead letter topic: "
                  + e.getCause(),
              e);
    }
  }

  /**
   * Fails the task over a report that could not be made.
   *
   * @throws ConnectException if one that {@link #takeDone} came across could not
   */
  void failIfOneDid() {
    if (failure != null) {
      throw failure;
    }
  }

  private record Report(InFlight item, Future<Void> future) {}
}
