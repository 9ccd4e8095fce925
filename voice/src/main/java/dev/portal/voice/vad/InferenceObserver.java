package dev.portal.voice.vad;

/**
 * Is told of every inference of a detector. The detector never runs on the NPU; this is how the arbiter's statistics see
 * it: {@code (us, ok) -> scheduler.recordInferenceFor(NpuWorkload.VAD, us, ok)}.
 */
@FunctionalInterface
public interface InferenceObserver {
    /** Nobody wants to know. */
    InferenceObserver NONE = (inferenceUs, success) -> {};

    /**
     * One inference ended, on the thread that ran it.
     *
     * @param inferenceUs how long it took, in microseconds
     * @param success false when it failed
     */
    void inferenceEnded(long inferenceUs, boolean success);
}
