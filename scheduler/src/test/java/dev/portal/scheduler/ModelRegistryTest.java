package dev.portal.scheduler;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.portal.base.VirtualClock;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ModelRegistryTest {
    private static final long MB = 1024 * 1024;

    private final List<Long> warnings = new ArrayList<>();
    private long nextSize;
    private final ModelRegistry registry = new ModelRegistry(
            new VirtualClock(5000),
            SchedulerOptions.MEMORY_WARNING_BYTES,
            path -> nextSize,
            (total, limit) -> warnings.add(total));

    private void register(NpuCore core, NpuWorkload workload, long bytes) {
        nextSize = bytes;
        registry.register(core, workload, workload + ".so");
    }

    @Test
    void aModelIsKeptWithItsSizeTimeAndCounts() {
        register(NpuCore.LLM, NpuWorkload.LLM, 42);
        registry.record(NpuWorkload.LLM, 100, true);
        registry.record(NpuWorkload.LLM, 50, false);
        assertThat(registry.models())
                .containsExactly(new RegisteredModel(NpuCore.LLM, NpuWorkload.LLM, "LLM.so", 42, 5000, 2, 150, 1));
    }

    @Test
    void theSizeIsThatOfTheRegistrationWhateverBecomesOfTheFile(@TempDir Path folder) throws Exception {
        Path file = Files.write(folder.resolve("model.so"), new byte[1234]);
        ModelRegistry real = new ModelRegistry(new VirtualClock(), 1000, Files::size, (total, limit) -> {});
        real.register(NpuCore.TTS, NpuWorkload.TTS_DECODER, file.toString());
        Files.write(file, new byte[1]);
        assertThat(real.models())
                .singleElement()
                .satisfies(m -> assertThat(m.sizeBytes()).isEqualTo(1234));
        assertThatThrownBy(() -> real.register(
                        NpuCore.TTS,
                        NpuWorkload.TTS_ENCODER,
                        folder.resolve("absent").toString()))
                .isInstanceOf(NpuException.ModelRegistrationFailed.class)
                .hasMessageContaining("absent");
        assertThat(real.totalBytes()).isEqualTo(1234);
    }

    @Test
    void theSameWorkloadOnTheSameCoreTwiceIsAnErrorUntilItIsUnregistered() {
        register(NpuCore.STT, NpuWorkload.STT_ENCODER, 1);
        assertThatThrownBy(() -> register(NpuCore.STT, NpuWorkload.STT_ENCODER, 1))
                .isInstanceOf(NpuException.ModelRegistrationFailed.class)
                .hasMessageContaining("STT_ENCODER on core 0");
        register(NpuCore.TTS, NpuWorkload.STT_ENCODER, 1);
        registry.unregister(NpuCore.STT, NpuWorkload.STT_ENCODER);
        registry.unregister(NpuCore.STT, NpuWorkload.STT_ENCODER);
        register(NpuCore.STT, NpuWorkload.STT_ENCODER, 1);
        assertThat(registry.models()).extracting(RegisteredModel::core).containsExactly(NpuCore.STT, NpuCore.TTS);
    }

    @Test
    void exactlyAHundredMegabytesOverAllCoresDoNotWarnAndOneByteMoreDoes() {
        register(NpuCore.STT, NpuWorkload.STT_ENCODER, 60 * MB);
        register(NpuCore.TTS, NpuWorkload.TTS_DECODER, 40 * MB);
        assertThat(warnings).isEmpty();
        register(NpuCore.LLM, NpuWorkload.LLM, 1);
        assertThat(warnings).containsExactly(100 * MB + 1);
    }

    @Test
    void theWarningComesOncePerCrossingAndNeverPerInference() {
        register(NpuCore.LLM, NpuWorkload.LLM, 222 * MB);
        register(NpuCore.TTS, NpuWorkload.TTS_DECODER, MB);
        for (int i = 0; i < 100; i++) {
            registry.record(NpuWorkload.LLM, 1, true);
        }
        assertThat(warnings).hasSize(1);
        registry.unregister(NpuCore.LLM, NpuWorkload.LLM);
        register(NpuCore.LLM, NpuWorkload.LLM, 222 * MB);
        assertThat(warnings).hasSize(2);
    }

    @Test
    void countingAWorkloadWithoutAModelDoesNothing() {
        registry.record(NpuWorkload.VAD, 10, true);
        assertThat(registry.models()).isEmpty();
    }

    @Test
    void vadsHookCountsAlthoughVadNeverGetsACore() {
        register(NpuCore.STT, NpuWorkload.VAD, 2 * MB);
        registry.record(NpuWorkload.VAD, 300, true);
        assertThat(registry.models()).singleElement().satisfies(m -> {
            assertThat(m.inferences()).isEqualTo(1);
            assertThat(m.totalInferenceUs()).isEqualTo(300);
        });
    }
}
