package dev.portal.scheduler;

import static dev.portal.scheduler.Fixtures.ABSENT;
import static dev.portal.scheduler.Fixtures.MS;
import static dev.portal.scheduler.Fixtures.MULTI_CORE;
import static dev.portal.scheduler.Fixtures.stepped;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.portal.base.VirtualClock;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What the seed's trait promises beside running jobs. */
class NpuContractTest {
    private final VirtualClock clock = new VirtualClock();

    @Test
    void detectionDecidesAvailabilityAndTheFirstStatus() {
        assertThat(stepped(clock, MULTI_CORE).isAvailable()).isTrue();
        assertThat(stepped(clock, MULTI_CORE).monitor().status()).isEqualTo(NpuMonitor.Status.HEALTHY);
        assertThat(stepped(clock, ABSENT).isAvailable()).isFalse();
        assertThat(stepped(clock, ABSENT).monitor().status()).isEqualTo(NpuMonitor.Status.FALLBACK);
    }

    @Test
    void releasingACoreDoesNothing() {
        NpuScheduler scheduler = stepped(clock, MULTI_CORE);
        NpuCoreReservation reservation = scheduler.allocateCore(NpuCore.LLM, NpuWorkload.LLM, NpuPriority.LOW);
        scheduler.releaseCore(reservation);
        assertThatThrownBy(() -> scheduler.allocateCore(NpuCore.LLM, NpuWorkload.LLM, NpuPriority.LOW))
                .isInstanceOf(NpuException.CoreAllocationFailed.class);
    }

    @Test
    void vadIsNeverAJobOfTheNpu() {
        PortalNpuScheduler scheduler = stepped(clock, MULTI_CORE);
        TestJob job = TestJob.once(clock, NpuWorkload.VAD, MS);
        assertThat(scheduler.sharedSubmit(NpuWorkload.VAD, NpuPriority.HIGH, job))
                .failsWithin(0, TimeUnit.SECONDS)
                .withThrowableThat()
                .withMessageContaining("VAD runs on CPU, not NPU");
        assertThat(job.dispatches()).isZero();
    }

    @Test
    void modelsAreCountedAndAboveAHundredMegabytesTheListenerIsWarned(@TempDir Path folder) throws IOException {
        Path model = folder.resolve("llm.bin");
        try (RandomAccessFile sparse = new RandomAccessFile(model.toFile(), "rw")) {
            sparse.setLength(SchedulerOptions.MEMORY_WARNING_BYTES);
        }
        Path small = Files.write(folder.resolve("tts.so"), new byte[1]);
        Fixtures.Recorder recorder = new Fixtures.Recorder();
        NpuScheduler scheduler = PortalNpuScheduler.stepped(MULTI_CORE, SchedulerOptions.defaults(), clock, recorder);
        scheduler.registerModel(NpuCore.LLM, NpuWorkload.LLM, model.toString());
        assertThat(recorder.lines).isEmpty();
        scheduler.registerModel(NpuCore.TTS, NpuWorkload.TTS_DECODER, small.toString());
        assertThat(recorder.lines).containsExactly("memory 104857601 104857600");
        scheduler.recordInferenceFor(NpuWorkload.TTS_DECODER, 40, false);
        scheduler.unregisterModel(NpuCore.LLM, NpuWorkload.LLM);
        assertThat(scheduler.registeredModels()).singleElement().satisfies(left -> {
            assertThat(left.workload()).isEqualTo(NpuWorkload.TTS_DECODER);
            assertThat(left.inferences()).isEqualTo(1);
            assertThat(left.totalInferenceUs()).isEqualTo(40);
            assertThat(left.failedInferences()).isEqualTo(1);
        });
    }
}
