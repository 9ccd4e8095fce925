package dev.portal.base;

import java.nio.charset.StandardCharsets;
import java.util.random.RandomGenerator;

/**
 * Randomness as a tree: each component derives its own stream from the seed and its path, so that one more draw here
 * does not shift the neighbours.
 *
 * <p>SplitMix64 (Steele, Lea, Flood, OOPSLA 2014). Not synchronised: one stream, one owner.
 */
public final class RandomStream implements RandomGenerator {
    private static final long GOLDEN_GAMMA = 0x9E3779B97F4A7C15L;

    private final long seed;
    private final String path;
    private long state;

    /** The root stream of a run; print the seed with anything that went wrong. */
    public RandomStream(long seed) {
        this(seed, "");
    }

    private RandomStream(long seed, String path) {
        this.seed = seed;
        this.path = path;
        long mixed = seed;
        for (byte b : path.getBytes(StandardCharsets.UTF_8)) {
            mixed = mix(mixed + b + GOLDEN_GAMMA);
        }
        this.state = mixed;
    }

    /** The stream of a part, the same for the same seed and path, whatever was drawn here before. */
    public RandomStream derive(String part) {
        return new RandomStream(seed, path + "/" + part);
    }

    @Override
    public long nextLong() {
        state += GOLDEN_GAMMA;
        return mix(state);
    }

    private static long mix(long z) {
        z = (z ^ (z >>> 30)) * 0xBF58476D1CE4E5B9L;
        z = (z ^ (z >>> 27)) * 0x94D049BB133111EBL;
        return z ^ (z >>> 31);
    }

    @Override
    public String toString() {
        return "seed " + seed + (path.isEmpty() ? "" : " path " + path);
    }
}
