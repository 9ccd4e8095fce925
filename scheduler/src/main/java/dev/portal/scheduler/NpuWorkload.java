package dev.portal.scheduler;

import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * What a job computes. Each workload belongs to a family, and each family but VAD has a home core and a conventional
 * priority (scheduling seed, table of workload to core).
 */
public enum NpuWorkload {
    /** Voice activity detection. Runs on the CPU and is refused by the scheduler. */
    VAD(Family.VAD, null, NpuPriority.MEDIUM),
    STT_ENCODER(Family.STT, NpuCore.STT, NpuPriority.MEDIUM),
    STT_DECODER(Family.STT, NpuCore.STT, NpuPriority.MEDIUM),
    STT_JOINER(Family.STT, NpuCore.STT, NpuPriority.MEDIUM),
    TTS_ENCODER(Family.TTS, NpuCore.TTS, NpuPriority.LOW),
    TTS_DECODER(Family.TTS, NpuCore.TTS, NpuPriority.LOW),
    LLM(Family.LLM, NpuCore.LLM, NpuPriority.LOW);

    /** Workloads that share a core and a reservation. */
    public enum Family {
        VAD,
        STT,
        TTS,
        LLM
    }

    private final Family family;
    private final @Nullable NpuCore home;
    private final NpuPriority priority;

    NpuWorkload(Family family, @Nullable NpuCore home, NpuPriority priority) {
        this.family = family;
        this.home = home;
        this.priority = priority;
    }

    public Family family() {
        return family;
    }

    /** The core it runs on where there are three; empty for VAD. */
    public Optional<NpuCore> homeCore() {
        return Optional.ofNullable(home);
    }

    /** The priority by convention: MEDIUM for what the user started, LOW for what the system started. */
    public NpuPriority conventionalPriority() {
        return priority;
    }
}
