package dev.portal.voice;

import dev.portal.scheduler.NpuWorkload;
import java.util.Map;
import java.util.Set;

/**
 * How the voice stack is put together.
 *
 * @param npuEnabled whether an NPU scheduler may be made; the features must ask for one, too
 * @param features what is switched on, implications included ({@link Feature#parse})
 * @param periodsNanos least times between two jobs of a workload, for the published bounds
 * @param lastTurns how many turns the telemetry remembers
 */
public record VoiceConfig(
        boolean npuEnabled, Set<Feature> features, Map<NpuWorkload, Long> periodsNanos, int lastTurns) {
    private static final long MS = 1_000_000;

    /** One chunk of speech each 100 ms, a sentence and an answer each second: what the bounds assume. */
    public static final Map<NpuWorkload, Long> PERIODS = Map.of(
            NpuWorkload.STT_ENCODER, 100 * MS,
            NpuWorkload.STT_DECODER, 1000 * MS,
            NpuWorkload.STT_JOINER, 1000 * MS,
            NpuWorkload.TTS_ENCODER, 1000 * MS,
            NpuWorkload.TTS_DECODER, 1000 * MS,
            NpuWorkload.LLM, 1000 * MS);

    /** What the published bounds allow the host for a dispatch: waking a parked thread took 0.1 to 0.3 ms where measured. */
    public static final long DISPATCH_NANOS = MS;

    public VoiceConfig {
        features = Set.copyOf(features);
        periodsNanos = Map.copyOf(periodsNanos);
    }

    /** These features, the NPU enabled, the last ten turns. */
    public static VoiceConfig of(Set<Feature> features) {
        return new VoiceConfig(true, features, PERIODS, 10);
    }

    /** Whether {@link Voice} has a scheduler. */
    public boolean withScheduler() {
        return npuEnabled && Feature.withScheduler(features);
    }
}
