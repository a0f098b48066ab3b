// SPDX-License-Identifier: Apache-2.0
package dev.rabbitbridge.harness.chaos;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** A picture of a run: throughput, what is in flight, and the faults as bands. */
final class Timeline {
  private static final int WIDTH = 1200;
  private static final int HEIGHT = 420;
  private static final int LEFT = 60;
  private static final int TOP = 20;
  private static final int BOTTOM = 340;

  /** A second of the run. */
  private record Point(long nanos, long acknowledged, long delivered) {}

  /**
   * A fault.
   *
   * @param ended 0 while it lasts
   */
  record Band(String name, long begun, long ended) {}

  private long start = System.nanoTime();
  private final List<Point> points = new ArrayList<>();
  private final List<Band> bands = new ArrayList<>();

  /** Notes a second; the first one begins the picture. */
  synchronized void note(long acknowledged, long delivered) {
    if (points.isEmpty()) {
      start = System.nanoTime();
    }
    points.add(new Point(System.nanoTime(), acknowledged, delivered));
  }

  synchronized void band(String name, long begun, long ended) {
    bands.add(new Band(name, begun, ended));
  }

  /** Returns seconds since the start. */
  synchronized double seconds(long nanos) {
    return (nanos - start) / 1e9;
  }

  synchronized String svg(String title) {
    double end = points.isEmpty() ? 1 : seconds(points.get(points.size() - 1).nanos);
    double rate = 1;
    double flight = 1;
    for (int i = 1; i < points.size(); i++) {
      rate = Math.max(rate, rate(i));
      flight = Math.max(flight, inFlight(points.get(i)));
    }
    StringBuilder svg = new StringBuilder();
    svg.append(
        ("<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\""
                + " font-family=\"sans-serif\" font-size=\"11\">\n"
                + "<rect width=\"100%%\" height=\"100%%\" fill=\"white\"/>\n")
            .formatted(WIDTH, HEIGHT));
    svg.append("<text x=\"%d\" y=\"14\">%s</text>%n".formatted(LEFT, title));
    for (Band band : bands) {
      double from = x(band.begun, end);
      double to = Math.max(from + 1, x(band.ended, end));
      svg.append(
          format(
              "<rect x=\"%.1f\" y=\"%d\" width=\"%.1f\" height=\"%d\" fill=\"#f4b6b0\"/>%n",
              from, TOP, to - from, BOTTOM - TOP));
      svg.append(
          format(
              "<text transform=\"translate(%.1f %d) rotate(45)\">%s</text>%n",
              from, BOTTOM + 12, band.name));
    }
    StringBuilder area = new StringBuilder(format("%d,%d", LEFT, BOTTOM));
    StringBuilder line = new StringBuilder();
    for (int i = 1; i < points.size(); i++) {
      double x = x(points.get(i).nanos, end);
      area.append(format(" %.1f,%.1f", x, y(inFlight(points.get(i)) / flight)));
      line.append(format(" %.1f,%.1f", x, y(rate(i) / rate)));
    }
    area.append(format(" %.1f,%d", x(start, end) + (WIDTH - LEFT), BOTTOM));
    svg.append("<polygon points=\"%s\" fill=\"#9db8dd\" opacity=\"0.6\"/>%n".formatted(area));
    svg.append(
        "<polyline points=\"%s\" fill=\"none\" stroke=\"#0b6e4f\" stroke-width=\"1.5\"/>%n"
            .formatted(line.toString().strip()));
    svg.append(
        format(
            "<text x=\"2\" y=\"%d\" fill=\"#0b6e4f\">%.0f/s</text><text x=\"2\" y=\"%d\""
                + " fill=\"#3b67a5\">%.0f in</text><text x=\"2\" y=\"%d\""
                + " fill=\"#3b67a5\">flight</text>%n",
            TOP + 10, rate, TOP + 28, flight, TOP + 40));
    svg.append(
        format(
            "<line x1=\"%d\" y1=\"%d\" x2=\"%d\" y2=\"%d\" stroke=\"black\"/>%n<text x=\"%d\""
                + " y=\"%d\">%.0f s</text>%n</svg>%n",
            LEFT, BOTTOM, WIDTH, BOTTOM, WIDTH - 40, BOTTOM - 4, end));
    return svg.toString();
  }

  private double rate(int i) {
    Point now = points.get(i);
    Point before = points.get(i - 1);
    return (now.delivered - before.delivered) * 1e9 / Math.max(1, now.nanos - before.nanos);
  }

  private static double inFlight(Point point) {
    return Math.max(0, point.acknowledged - point.delivered);
  }

  private synchronized double x(long nanos, double end) {
    return LEFT + seconds(nanos) / end * (WIDTH - LEFT);
  }

  private static double y(double share) {
    return BOTTOM - share * (BOTTOM - TOP - 4);
  }

  private static String format(String pattern, Object... values) {
    return String.format(Locale.ROOT, pattern, values);
  }
}
