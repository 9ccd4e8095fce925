package dev.portal.llm.decoder;

/** What the matrices of one decoder share on the processor: threads, kernels, and room for what they unpack. */
public final class CpuScratch {
    private final Team team;
    private final Kernels kernels;
    private final Activations activations;
    private final byte[][] bytes;
    private final float[][] floats;
    private final float[][] offsets;
    private final short[][] halves;

    /**
     * Room for batches.
     *
     * @param tokens the largest batch
     * @param width the longest row
     */
    CpuScratch(Team team, Kernels kernels, int tokens, int width) {
        this.team = team;
        this.kernels = kernels;
        activations = new Activations(tokens, width);
        bytes = new byte[team.threads()][width];
        floats = new float[team.threads()][Kernels.room(width)];
        offsets = new float[team.threads()][width / Activations.BLOCK + 1];
        halves = new short[team.threads()][width];
    }

    Team team() {
        return team;
    }

    Kernels kernels() {
        return kernels;
    }

    Activations activations() {
        return activations;
    }

    byte[] bytes(int worker) {
        return bytes[worker];
    }

    float[] floats(int worker) {
        return floats[worker];
    }

    float[] offsets(int worker) {
        return offsets[worker];
    }

    short[] halves(int worker) {
        return halves[worker];
    }
}
