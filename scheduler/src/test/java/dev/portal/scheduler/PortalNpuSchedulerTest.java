package dev.portal.scheduler;

import static dev.portal.scheduler.Fixtures.ABSENT;
import static dev.portal.scheduler.Fixtures.MS;
import static dev.portal.scheduler.Fixtures.MULTI_CORE;
import static dev.portal.scheduler.Fixtures.SINGLE_CORE;
import static dev.portal.scheduler.Fixtures.runAll;
import static dev.portal.scheduler.Fixtures.stepped;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.portal.base.VirtualClock;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class PortalNpuSchedulerTest {
    private final VirtualClock clock = new VirtualClock();

    @Test
    void withoutADeviceSubmissionsFailAtOnceAndTheJobIsUntouched() {
        PortalNpuScheduler scheduler = stepped(clock, ABSENT);
        TestJob job = TestJob.once(clock, NpuWorkload.LLM, MS);
        assertThat(scheduler.isAvailable()).isFalse();
        assertThat(scheduler.monitor().status()).isEqualTo(NpuMonitor.Status.FALLBACK);
        assertThatThrownBy(() -> scheduler.submitInference(NpuCore.LLM, job))
                .isInstanceOf(NpuException.NotAvailable.class)
                .hasMessageContaining("aarch64");
        assertThat(scheduler.sharedSubmit(NpuWorkload.LLM, NpuPriority.LOW, job))
                .failsWithin(0, TimeUnit.SECONDS)
                .withThrowableThat()
                .withCauseInstanceOf(NpuException.NotAvailable.class);
        assertThat(job.dispatches()).isZero();
    }

    @Test
    void sharedJobsGoToTheirHomeCores() {
        PortalNpuScheduler scheduler = stepped(clock, MULTI_CORE);
        for (NpuWorkload workload : NpuWorkload.values()) {
            if (workload != NpuWorkload.VAD) {
                var _ = scheduler.sharedSubmit(
                        workload, workload.conventionalPriority(), TestJob.once(clock, workload, MS));
            }
        }
        assertThat(scheduler.queueDepth()).isEqualTo(6);
        assertThat(scheduler.utilization())
                .extracting(NpuCoreUtilization::queueDepth)
                .containsExactly(3, 2, 1);
        runAll(scheduler);
        assertThat(scheduler.utilization())
                .extracting(NpuCoreUtilization::completed)
                .containsExactly(3L, 2L, 1L);
    }

    @Test
    void withOneCoreEverythingGoesToCoreZero() {
        PortalNpuScheduler scheduler = stepped(clock, SINGLE_CORE);
        CompletableFuture<?> tts = scheduler.sharedSubmit(
                NpuWorkload.TTS_DECODER, NpuPriority.LOW, TestJob.once(clock, NpuWorkload.TTS_DECODER, MS));
        scheduler.submitInference(NpuCore.LLM, TestJob.once(clock, NpuWorkload.LLM, MS));
        tts.join();
        assertThat(scheduler.utilization()).singleElement().satisfies(core -> {
            assertThat(core.core()).isEqualTo(new NpuCore(0));
            assertThat(core.completed()).isEqualTo(2);
            assertThat(core.busyUs()).isEqualTo(2000);
        });
    }

    @Test
    void aDirectJobThatThrowsFailsWithItsCauseAndCountsForTheMonitor() {
        PortalNpuScheduler scheduler = stepped(clock, MULTI_CORE);
        IllegalStateException broken = new IllegalStateException("broken");
        NpuJob job = new TestJob(clock, NpuWorkload.LLM, NpuPriority.LOW, 1, MS) {
            @Override
            public NpuJobResult execute(Preemption preemption) {
                throw broken;
            }
        };
        assertThatThrownBy(() -> scheduler.submitInference(NpuCore.LLM, job))
                .isInstanceOf(NpuException.JobFailed.class)
                .hasCause(broken);
        assertThat(scheduler.monitor().consecutiveFailures()).isEqualTo(1);
        assertThat(scheduler.sharedSubmit(NpuWorkload.LLM, NpuPriority.LOW, job))
                .isNotDone();
        runAll(scheduler);
        assertThat(scheduler.monitor().consecutiveFailures()).isEqualTo(2);
        scheduler.submitInference(NpuCore.LLM, TestJob.once(clock, NpuWorkload.LLM, MS));
        assertThat(scheduler.monitor().consecutiveFailures()).isZero();
    }

    @Test
    void aWorkloadThatTakesLongerThanItWasAdmittedOnIsNamed() {
        PortalNpuScheduler scheduler = stepped(clock, MULTI_CORE);
        assertThat(scheduler
                        .admission()
                        .admit(new Admission.Declaration(
                                NpuWorkload.LLM, NpuPriority.LOW, 100 * MS, List.of(2 * MS), 50 * MS)))
                .hasSize(1);
        scheduler.submitInference(NpuCore.LLM, TestJob.once(clock, NpuWorkload.LLM, 2 * MS));
        assertThat(scheduler.reviewAdmission()).isEmpty();
        scheduler.submitInference(NpuCore.LLM, TestJob.once(clock, NpuWorkload.LLM, 60 * MS));
        assertThat(scheduler.reviewAdmission())
                .containsExactly(
                        "LLM was admitted on 2 ms, now seen 60 ms",
                        "LLM would answer within 60 ms, 10 ms after its deadline of 50 ms");
    }
}
