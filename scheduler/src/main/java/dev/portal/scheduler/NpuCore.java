package dev.portal.scheduler;

/**
 * A core of the accelerator by number. On RK3588 these are three cores; on Hexagon they are logical lanes over one DSP.
 *
 * @param index 0 to 31
 */
public record NpuCore(int index) {
    /** Home of speech-to-text. */
    public static final NpuCore STT = new NpuCore(0);
    /** Home of text-to-speech. */
    public static final NpuCore TTS = new NpuCore(1);
    /** Home of the language model. */
    public static final NpuCore LLM = new NpuCore(2);

    public NpuCore {
        if (index < 0 || index > 31) {
            throw new IllegalArgumentException("core index " + index + " is outside 0..31");
        }
    }

    @Override
    public String toString() {
        return "core " + index;
    }
}
