package dev.portal.llm.decoder;

import java.util.List;

/**
 * Text on its way to the consumer: without leading white space, cut at the first stop text, and held back as long as it
 * may be the beginning of one. One thread.
 */
final class SpokenText {
    private final List<String> stops;
    private final StringBuilder all = new StringBuilder();
    private int passedOn;
    private int sequence;
    private boolean stopped;

    SpokenText(List<String> stops) {
        this.stops = stops.stream().filter(stop -> !stop.isEmpty()).toList();
    }

    /** Takes a piece; returns what can be passed on by now. */
    String add(String piece) {
        if (stopped) {
            return "";
        }
        int from = all.length();
        all.append(from == 0 ? piece.stripLeading() : piece);
        for (String stop : stops) {
            int at = all.indexOf(stop, Math.max(0, from - stop.length() + 1));
            if (at >= 0) {
                stopped = true;
                all.setLength(at);
            }
        }
        return pass(stopped ? all.length() : all.length() - held());
    }

    /** How many of the last characters may begin a stop text. */
    private int held() {
        int held = 0;
        for (String stop : stops) {
            for (int length = Math.min(stop.length() - 1, all.length()); length > held; length--) {
                if (stop.startsWith(all.substring(all.length() - length))) {
                    held = length;
                }
            }
        }
        return held;
    }

    /** What was held back, at the end of the answer. */
    String rest() {
        return pass(all.length());
    }

    private String pass(int to) {
        if (to <= passedOn) {
            return "";
        }
        String text = all.substring(passedOn, to);
        passedOn = to;
        return text;
    }

    int nextSequence() {
        return sequence++;
    }

    boolean stopped() {
        return stopped;
    }

    /** All of the answer. */
    String all() {
        return all.toString();
    }
}
