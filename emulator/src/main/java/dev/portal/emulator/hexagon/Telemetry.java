package dev.portal.emulator.hexagon;

import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/** What the DSP has done since it was made, restarts included: for tests and reports. Any thread. */
public final class Telemetry {
    private final Map<String, Long> executions = new TreeMap<>();
    private final Set<String> loaded = new TreeSet<>();
    private long calls;

    /** A model's bytes arrived in the DSP's memory. */
    synchronized void loaded(byte[] model) {
        loaded.add(sha256(model));
    }

    synchronized void executed(String graph) {
        executions.merge(graph, 1L, Long::sum);
    }

    synchronized void called() {
        calls++;
    }

    /** Executions of each graph that ended well, by the graph's name. */
    public synchronized Map<String, Long> executions() {
        return new TreeMap<>(executions);
    }

    /** SHA-256, in hex, of everything that model_load read out of the DSP's memory. */
    public synchronized Set<String> loadedModels() {
        return new TreeSet<>(loaded);
    }

    /** Calls that the DSP was sent, the kernel's own included. */
    public synchronized long calls() {
        return calls;
    }

    /** As {@link #loadedModels} writes it. */
    public static String sha256(byte[] bytes) {
        try {
            return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(bytes));
        } catch (NoSuchAlgorithmException e) {
            throw new AssertionError("every JDK has SHA-256", e);
        }
    }
}
