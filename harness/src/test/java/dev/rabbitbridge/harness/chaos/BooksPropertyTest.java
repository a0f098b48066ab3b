// SPDX-License-Identifier: Apache-2.0
package dev.rabbitbridge.harness.chaos;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;

/** Any entries in any order, against the definitions read out loud. */
class BooksPropertyTest {
  private static final int LANES = 2;
  private static final int NUMBERS = 5;

  private enum Kind {
    ATTEMPT,
    ACKNOWLEDGE,
    DELIVER,
    DEAD_LETTER,
    DESTROY,
    REMAIN,
    CLAIM,
    CLAIM_ONE
  }

  /** An entry; the detail is a digest, or the place of a claim. */
  private record Entry(Kind kind, int lane, int number, int detail) {}

  @Property
  void theAccountIsWhatTheDefinitionsSay(@ForAll("histories") List<Entry> history) {
    Books books = new Books();
    List<Entry> entered = new ArrayList<>();
    int deliveries = 0;
    for (Entry entry : history) {
      boolean attempted = has(entered, Kind.ATTEMPT, entry.lane, entry.number);
      switch (entry.kind) {
        case ATTEMPT -> {
          if (attempted) {
            continue;
          }
          books.attempt(entry.lane, entry.number, entry.detail);
        }
        case ACKNOWLEDGE -> {
          if (!attempted) {
            continue;
          }
          books.acknowledge(entry.lane, entry.number, entry.number);
        }
        case DELIVER -> {
          books.deliver(entry.lane, entry.number, entry.detail);
          entered.add(new Entry(Kind.DELIVER, entry.lane, entry.number, entry.detail));
          deliveries++;
          continue;
        }
        case DEAD_LETTER -> books.deadLetter(entry.lane, entry.number);
        case DESTROY -> books.destroy(entry.lane, entry.number);
        case REMAIN -> books.remain(entry.lane, entry.number);
        case CLAIM -> {
          books.claim(entry.lane, entry.number, deliveries);
          entered.add(new Entry(Kind.CLAIM, entry.lane, entry.number, deliveries));
          continue;
        }
        case CLAIM_ONE -> {
          if (attempted) {
            books.claimOne(entry.lane, entry.number, deliveries);
            entered.add(new Entry(Kind.CLAIM_ONE, entry.lane, entry.number, deliveries));
          }
          continue;
        }
      }
      entered.add(entry);
    }

    assertThat(books.account()).isEqualTo(oracle(entered));
    assertThat(books.isComplete()).isEqualTo(oracle(entered).lost() == 0);
  }

  private static Account oracle(List<Entry> all) {
    long attempted = 0;
    long acknowledged = 0;
    long delivered = 0;
    long lost = 0;
    long recovered = 0;
    long tooFar = 0;
    long unaccounted = 0;
    long dead = 0;
    long destroyed = 0;
    long duplicated = 0;
    long reordered = 0;
    long corrupted = 0;
    long unexpected = 0;
    for (int lane = 0; lane < LANES; lane++) {
      for (int number = 0; number < NUMBERS; number++) {
        boolean acked = has(all, Kind.ACKNOWLEDGE, lane, number);
        boolean came = !deliveries(all, lane, number).isEmpty();
        boolean deadLettered = isAttemptedBefore(all, Kind.DEAD_LETTER, lane, number);
        boolean gone = has(all, Kind.DESTROY, lane, number);
        attempted += has(all, Kind.ATTEMPT, lane, number) ? 1 : 0;
        acknowledged += acked ? 1 : 0;
        delivered += came ? 1 : 0;
        recovered += came && !acked ? 1 : 0;
        dead += deadLettered ? 1 : 0;
        destroyed += gone && !came ? 1 : 0;
        boolean missing = acked && !came && !deadLettered && !gone;
        lost += missing ? 1 : 0;
        unaccounted += missing && !has(all, Kind.REMAIN, lane, number) ? 1 : 0;
        duplicated += Math.max(0, deliveries(all, lane, number).size() - 1);
        tooFar += acked && !deadLettered && !gone && isClaimedEarly(all, lane, number) ? 1 : 0;
      }
    }
    for (int i = 0; i < all.size(); i++) {
      Entry entry = all.get(i);
      List<Entry> before = all.subList(0, i);
      boolean known = has(before, Kind.ATTEMPT, entry.lane, entry.number);
      if (entry.kind == Kind.DEAD_LETTER && !known) {
        unexpected++;
      }
      if (entry.kind != Kind.DELIVER) {
        continue;
      }
      if (!known) {
        unexpected++;
        continue;
      }
      corrupted += digest(before, entry) == entry.detail ? 0 : 1;
      boolean first = deliveries(before, entry.lane, entry.number).isEmpty();
      boolean overtaken = false;
      for (int later = entry.number + 1; later < NUMBERS; later++) {
        overtaken |= !deliveries(before, entry.lane, later).isEmpty();
      }
      reordered += first && overtaken ? 1 : 0;
    }
    return new Account(
        attempted,
        acknowledged,
        delivered,
        lost,
        unexpected,
        duplicated,
        recovered,
        reordered,
        corrupted,
        tooFar,
        unaccounted,
        dead,
        destroyed);
  }

  /** Positions are numbers here: a claim covers what is below it, a single one only its own. */
  private static boolean isClaimedEarly(List<Entry> all, int lane, int number) {
    List<Integer> places = deliveries(all, lane, number);
    return all.stream()
        .filter(e -> e.lane == lane)
        .filter(
            e ->
                (e.kind == Kind.CLAIM && e.number > number)
                    || (e.kind == Kind.CLAIM_ONE && e.number == number))
        .anyMatch(claim -> places.isEmpty() || places.get(0) >= claim.detail);
  }

  /** Returns where in the sequence of all deliveries those of a message are, once it is known. */
  private static List<Integer> deliveries(List<Entry> all, int lane, int number) {
    List<Integer> places = new ArrayList<>();
    int place = 0;
    boolean known = false;
    for (Entry entry : all) {
      boolean same = entry.lane == lane && entry.number == number;
      known |= same && entry.kind == Kind.ATTEMPT;
      if (entry.kind == Kind.DELIVER) {
        if (same && known) {
          places.add(place);
        }
        place++;
      }
    }
    return places;
  }

  private static boolean isAttemptedBefore(List<Entry> all, Kind kind, int lane, int number) {
    boolean known = false;
    for (Entry entry : all) {
      if (entry.lane == lane && entry.number == number) {
        known |= entry.kind == Kind.ATTEMPT;
        if (known && entry.kind == kind) {
          return true;
        }
      }
    }
    return false;
  }

  private static int digest(List<Entry> all, Entry of) {
    return all.stream()
        .filter(e -> e.kind == Kind.ATTEMPT && e.lane == of.lane && e.number == of.number)
        .findFirst()
        .orElseThrow()
        .detail;
  }

  private static boolean has(List<Entry> all, Kind kind, int lane, int number) {
    return all.stream().anyMatch(e -> e.kind == kind && e.lane == lane && e.number == number);
  }

  @Provide
  Arbitrary<List<Entry>> histories() {
    Arbitrary<Kind> kinds =
        Arbitraries.frequency(
            net.jqwik.api.Tuple.of(4, Kind.ATTEMPT),
            net.jqwik.api.Tuple.of(4, Kind.ACKNOWLEDGE),
            net.jqwik.api.Tuple.of(4, Kind.DELIVER),
            net.jqwik.api.Tuple.of(1, Kind.DEAD_LETTER),
            net.jqwik.api.Tuple.of(1, Kind.DESTROY),
            net.jqwik.api.Tuple.of(1, Kind.REMAIN),
            net.jqwik.api.Tuple.of(2, Kind.CLAIM),
            net.jqwik.api.Tuple.of(2, Kind.CLAIM_ONE));
    return Combinators.combine(
            kinds,
            Arbitraries.integers().between(0, LANES - 1),
            Arbitraries.integers().between(0, NUMBERS - 1),
            Arbitraries.integers().between(0, 1))
        .as(Entry::new)
        .list()
        .ofMaxSize(60);
  }
}
