package dev.portal.emulator.hexagon;

import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/** What the DSP has done since it was made, restarts included: for tests and reports. Any thread. */
public final class Telemetry {
    private final Map<String, Long> executions = new TreeMap<>();
    private final Set<String> loaded = new TreeSet<>();
    private long calls;

    /** A container was read out of the DSP's memory, and these graphs out of it. */
    synchronized void loaded(byte[] container, List<GraphImage> graphs) {
        loaded.add(sha256(container));
        graphs.forEach(graph -> loaded.add(sha256(graph.body())));
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

    /** SHA-256, in hex, of every container that model_load read out of the DSP's memory, and of each graph's bytes in it. */
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
