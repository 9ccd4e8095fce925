package dev.portal.app.trace;

import dev.portal.scheduler.JobTrace;
import dev.portal.scheduler.NpuWorkload;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;

/**
 * Draws the lanes over time, one row each:
 *
 * <pre>
 *   cpu-lane-0  SSSSSSSSS······S·S····   12 % busy
 *   cpu-lane-2  ·········LLLLL!·LL····
 *               0 ms          480 ms
 * </pre>
 *
 * S, T and L are speech-to-text, text-to-speech and the language model; {@code !} a place where a job gave way. A column
 * shows the work that took most of it.
 */
public final class LaneTimeline {
    private static final char IDLE = '·';
    private static final char YIELD = '!';

    private LaneTimeline() {}

    /**
     * The drawing, one line each.
     *
     * @param jobs traces, in any order
     * @param spans rows of their own, drawn above the lanes
     * @param columns of time, 10 or more
     */
    public static List<String> draw(List<JobTrace> jobs, List<Span> spans, int columns) {
        long start = Long.MAX_VALUE;
        long end = Long.MIN_VALUE;
        for (JobTrace job : jobs) {
            start = Math.min(start, job.submittedNanos());
            end = Math.max(end, job.endedNanos());
        }
        for (Span span : spans) {
            start = Math.min(start, span.startNanos());
            end = Math.max(end, span.endNanos());
        }
        if (start >= end) {
            return List.of();
        }
        Map<String, Row> marks = new TreeMap<>();
        for (Span span : spans) {
            row(marks, span.track(), start, end, columns)
                    .fill(span.startNanos(), span.endNanos(), span.name().charAt(0));
        }
        Map<String, Row> lanes = new TreeMap<>();
        for (JobTrace job : jobs) {
            Row row = row(lanes, job.lane(), start, end, columns);
            for (JobTrace.Segment segment : job.segments()) {
                row.fill(segment.startNanos(), segment.endNanos(), letter(job.workload()));
                if (segment.yielded()) {
                    row.mark(segment.endNanos());
                }
            }
        }
        int width = Math.max(longest(marks), longest(lanes));
        List<String> lines = new ArrayList<>();
        marks.forEach((name, row) -> lines.add(pad(name, width) + "  " + row.text()));
        lanes.forEach((name, row) -> lines.add(pad(name, width) + "  " + row.text()
                + String.format(Locale.ROOT, "  %3.0f %% busy", 100.0 * row.busyNanos / row.spanNanos)));
        String last = (end - start) / 1_000_000 + " ms";
        lines.add(pad("", width) + "  0 ms" + pad("", Math.max(1, columns - 4 - last.length())) + last);
        return lines;
    }

    private static Row row(Map<String, Row> rows, String name, long start, long end, int columns) {
        return rows.computeIfAbsent(name, n -> new Row(start, end, columns));
    }

    private static int longest(Map<String, Row> rows) {
        return rows.keySet().stream().mapToInt(String::length).max().orElse(0);
    }

    private static String pad(String text, int width) {
        return text + " ".repeat(Math.max(0, width - text.length()));
    }

    private static char letter(NpuWorkload workload) {
        return switch (workload.family()) {
            case VAD -> 'V';
            case STT -> 'S';
            case TTS -> 'T';
            case LLM -> 'L';
        };
    }

    private static final class Row {
        private final long start;
        private final long spanNanos;
        private final char[] shown;
        private final long[] filled;
        private long busyNanos;

        private Row(long start, long end, int columns) {
            this.start = start;
            this.spanNanos = end - start;
            this.shown = new char[columns];
            Arrays.fill(shown, IDLE);
            this.filled = new long[columns];
        }

        private int column(long nanos) {
            return Math.clamp((nanos - start) * shown.length / spanNanos, 0, shown.length - 1);
        }

        private void fill(long from, long to, char letter) {
            busyNanos += to - from;
            for (int c = column(from); c <= column(Math.max(from, to - 1)); c++) {
                long left = start + c * spanNanos / shown.length;
                long right = start + (c + 1) * spanNanos / shown.length;
                long part = Math.min(to, right) - Math.max(from, left);
                if (part >= filled[c] && shown[c] != YIELD) {
                    filled[c] = part;
                    shown[c] = letter;
                }
            }
        }

        private void mark(long at) {
            shown[column(at - 1)] = YIELD;
        }

        private String text() {
            return new String(shown);
        }
    }
}
