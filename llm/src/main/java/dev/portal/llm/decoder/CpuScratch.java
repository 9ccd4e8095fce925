package dev.portal.llm.decoder;

/** What the matrices of one decoder share on the processor: threads, kernels, and room for what they unpack. */
public final class CpuScratch {
    private final Team team;
    private final Kernels kernels;
    private final Activations activations;
    private final float[][] floats;

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
        floats = new float[team.threads()][Kernels.room(width)];
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

    float[] floats(int worker) {
        return floats[worker];
    }
}
