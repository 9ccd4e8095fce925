package dev.portal.llm.decoder;

/** Hears when the two parts of a group of matrices began and ended. Called by the decoding thread; must not allocate. */
@FunctionalInterface
public interface SplitListener {
    /** Hears nothing. */
    SplitListener NONE = (group, tokens, npuOutputs, outputs, npuStart, npuEnd, cpuStart, cpuEnd, end) -> {};

    /**
     * A group that was computed without being stopped. Times are nanoseconds of the device's clock. A part that there is
     * not starts and ends at once.
     *
     * @param group its number in the order of the model, from 0
     * @param tokens that it was computed for
     * @param npuOutputs outputs that the NPU computed
     * @param outputs of all matrices of the group
     * @param npuStart when the chain was about to be handed in
     * @param npuEnd when its last doorbell was seen to have rung
     * @param cpuStart when the processor began its rows
     * @param cpuEnd when the last of them was done
     * @param end when both parts were together
     */
    void group(
            int group,
            int tokens,
            int npuOutputs,
            int outputs,
            long npuStart,
            long npuEnd,
            long cpuStart,
            long cpuEnd,
            long end);
}
