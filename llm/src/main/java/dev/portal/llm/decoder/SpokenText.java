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
    String add(CharSequence piece) {
        if (stopped) {
            return "";
        }
        int from = all.length();
        int blank = 0;
        while (from == 0 && blank < piece.length() && Character.isWhitespace(piece.charAt(blank))) {
            blank++;
        }
        all.append(piece, blank, piece.length());
        for (int i = 0; i < stops.size(); i++) {
            String stop = stops.get(i);
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
        for (int i = 0; i < stops.size(); i++) {
            String stop = stops.get(i);
            for (int length = Math.min(stop.length() - 1, all.length()); length > held; length--) {
                if (begins(stop, length)) {
                    held = length;
                }
            }
        }
        return held;
    }

    /** Whether a stop text begins with the last characters, so many. */
    private boolean begins(String stop, int length) {
        int from = all.length() - length;
        for (int i = 0; i < length; i++) {
            if (stop.charAt(i) != all.charAt(from + i)) {
                return false;
            }
        }
        return true;
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
