package dev.portal.scheduler;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import org.junit.jupiter.api.Test;

class NpuWorkloadTest {
    @Test
    void coresAndPrioritiesAreThoseOfTheSeedsTable() {
        assertThat(Arrays.stream(NpuWorkload.values())
                        .map(w -> w + " on "
                                + w.homeCore().map(NpuCore::toString).orElse("CPU")
                                + (w.homeCore().isPresent() ? " at " + w.conventionalPriority() : "")))
                .containsExactly(
                        "VAD on CPU",
                        "STT_ENCODER on core 0 at MEDIUM",
                        "STT_DECODER on core 0 at MEDIUM",
                        "STT_JOINER on core 0 at MEDIUM",
                        "TTS_ENCODER on core 1 at LOW",
                        "TTS_DECODER on core 1 at LOW",
                        "LLM on core 2 at LOW");
    }
}
