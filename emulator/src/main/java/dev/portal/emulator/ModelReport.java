package dev.portal.emulator;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;

/**
 * Where every model says what it was made to do that the hardware would not forgive. Tests treat an entry that is not a
 * note as a failure unless they expect it. The last {@value #KEPT} entries are kept, the count never forgets.
 *
 * <p>Any thread may call.
 */
public final class ModelReport {
    private static final int KEPT = 256;

    private final Deque<Diagnostic> kept = new ArrayDeque<>();
    private long faultCount;

    /** Adds an entry. */
    public synchronized void add(Diagnostic.Severity severity, String code, String message) {
        if (severity != Diagnostic.Severity.NOTE) {
            faultCount++;
        }
        if (kept.size() == KEPT) {
            kept.removeFirst();
        }
        kept.addLast(new Diagnostic(severity, code, message));
    }

    /** The entries kept, oldest first. */
    public synchronized List<Diagnostic> entries() {
        return new ArrayList<>(kept);
    }

    /** The entries kept that are more than a note. */
    public synchronized List<Diagnostic> faults() {
        return kept.stream()
                .filter(entry -> entry.severity() != Diagnostic.Severity.NOTE)
                .toList();
    }

    /** How many entries were more than a note, forgotten ones included. */
    public synchronized long faultCount() {
        return faultCount;
    }

    /** Whether an entry with this code is kept. */
    public synchronized boolean has(String code) {
        return kept.stream().anyMatch(entry -> entry.code().equals(code));
    }

    public synchronized void clear() {
        kept.clear();
        faultCount = 0;
    }
}
