package dev.portal.llm.decoder;

/**
 * How a group of matrices is divided.
 *
 * @param cores of the NPU that compute its part; 0 for none
 * @param outputs that the NPU computes: the first ones, counted over all matrices of the group; 0 where cores is
 */
record Split(int cores, int outputs) {
    /** Columns that the chip's weight tiles hold together. */
    static final int COLUMN_GROUP = 32;

    /** All is the processor's. */
    static final Split NONE = new Split(0, 0);

    Split {
        if (cores < 0 || outputs < 0 || (cores == 0) != (outputs == 0)) {
            throw new IllegalArgumentException(outputs + " outputs on " + cores + " cores");
        }
    }

    /** The given part of all outputs, in whole tiles; one tile at least. */
    static Split of(double share, int cores, int all) {
        if (share >= 1) {
            return new Split(cores, all);
        }
        int whole = (int) Math.round(all * share / COLUMN_GROUP) * COLUMN_GROUP;
        return new Split(cores, Math.clamp(whole, Math.min(COLUMN_GROUP, all), all));
    }
}
