package dev.portal.emulator;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;

/** What the emulated kernel would print to its ring buffer: the driver's own lines, since people search for them. */
public final class KernelLog {
    private static final int KEPT = 1024;

    private final Deque<String> lines = new ArrayDeque<>();

    /** Appends a line without its time stamp. */
    public synchronized void add(String line) {
        if (lines.size() == KEPT) {
            lines.removeFirst();
        }
        lines.addLast(line);
    }

    /** The lines kept, oldest first. */
    public synchronized List<String> lines() {
        return new ArrayList<>(lines);
    }

    /** Whether a kept line contains {@code text}. */
    public synchronized boolean contains(String text) {
        return lines.stream().anyMatch(line -> line.contains(text));
    }

    public synchronized void clear() {
        lines.clear();
    }
}
