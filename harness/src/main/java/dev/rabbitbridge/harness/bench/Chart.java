// SPDX-License-Identifier: Apache-2.0
package dev.rabbitbridge.harness.bench;

import java.util.List;
import java.util.Locale;

/** Bars of messages per second, one group for each comparison, with a line over the range. */
final class Chart {
  private static final int WIDTH = 860;
  private static final int LEFT = 190;
  private static final int RIGHT = 90;
  private static final int BAR = 16;
  private static final int GAP = 5;
  private static final int TITLE = 30;
  private static final String[] COLOURS = {
    "#9aa5b1", "#e07b00", "#5b8db8", "#7a9e5f", "#a06ea3", "#b8a15b", "#6fb3ad"
  };

  private Chart() {}

  /** Draws it. Each group has a scale of its own, from zero. */
  static String of(List<Comparison> comparisons) {
    StringBuilder shapes = new StringBuilder();
    int y = GAP;
    for (Comparison comparison : comparisons) {
      y = group(shapes, comparison, y);
    }
    return String.format(
        Locale.ROOT,
        """
        <svg xmlns="http://www.w3.org/2000/svg" width="%1$d" height="%2$d" viewBox="0 0 %1$d %2$d" font-family="sans-serif" font-size="12">
        <rect width="%1$d" height="%2$d" fill="white"/>
        %3$s</svg>
        """,
        WIDTH,
        y + GAP,
        shapes);
  }

  private static int group(StringBuilder shapes, Comparison comparison, int top) {
    shapes.append(
        text(GAP, top + TITLE - 12, "start", "bold", comparison.title() + ", messages/s"));
    double most =
        comparison.samples().keySet().stream()
            .mapToDouble(name -> comparison.perSecond(name).most())
            .max()
            .orElse(1);
    double scale = (WIDTH - LEFT - RIGHT) / most;
    int y = top + TITLE;
    int colour = 0;
    for (String name : comparison.samples().keySet()) {
      Numbers rate = comparison.perSecond(name);
      double end = LEFT + rate.median() * scale;
      int middle = y + BAR / 2;
      shapes.append(text(LEFT - GAP, middle + 4, "end", "normal", name));
      shapes.append(
          String.format(
              Locale.ROOT,
              "<rect x=\"%d\" y=\"%d\" width=\"%.1f\" height=\"%d\" fill=\"%s\"/>%n",
              LEFT,
              y,
              end - LEFT,
              BAR,
              COLOURS[colour++ % COLOURS.length]));
      shapes.append(
          String.format(
              Locale.ROOT,
              "<line x1=\"%.1f\" y1=\"%d\" x2=\"%.1f\" y2=\"%d\" stroke=\"#222\"/>%n",
              LEFT + rate.least() * scale,
              middle,
              LEFT + rate.most() * scale,
              middle));
      shapes.append(
          text(
              (int) (LEFT + rate.most() * scale) + GAP,
              middle + 4,
              "start",
              "normal",
              String.format(Locale.ROOT, "%,.0f", rate.median())));
      y += BAR + GAP;
    }
    return y + GAP;
  }

  private static String text(int x, int y, String anchor, String weight, String words) {
    return String.format(
        Locale.ROOT,
        "<text x=\"%d\" y=\"%d\" text-anchor=\"%s\" font-weight=\"%s\">%s</text>%n",
        x,
        y,
        anchor,
        weight,
        words.replace("&", "&amp;").replace("<", "&lt;"));
  }
}
