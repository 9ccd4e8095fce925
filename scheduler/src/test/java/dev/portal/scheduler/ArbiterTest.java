package dev.portal.scheduler;

import static dev.portal.scheduler.Fixtures.ABSENT;
import static dev.portal.scheduler.Fixtures.MS;
import static dev.portal.scheduler.Fixtures.MULTI_CORE;
import static dev.portal.scheduler.Fixtures.SECOND;
import static org.assertj.core.api.Assertions.assertThat;

import dev.portal.base.VirtualClock;
import dev.portal.scheduler.Fixtures.Recorder;
import dev.portal.scheduler.NpuMonitor.Status;
import java.io.IOException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** The NPU first, the CPU lanes as refuge; and the canary that brings the NPU back. */
class ArbiterTest {
    private final VirtualClock clock = new VirtualClock();
    private final Recorder npuEvents = new Recorder();
    private final Recorder cpuEvents = new Recorder();
    private final CpuLanes cpu = CpuLanes.stepped(SchedulerOptions.defaults(), clock, cpuEvents);
    private boolean broken;

    private PortalNpuScheduler npu(NpuDetection detection, SchedulerOptions options) {
        return PortalNpuScheduler.stepped(detection, options, clock, npuEvents);
    }

    private NpuJob llm() {
        return new TestJob(clock, NpuWorkload.LLM, NpuPriority.LOW, 1, MS) {
            @Override
            void segment(Preemption preemption) throws Exception {
                super.segment(preemption);
                if (broken) {
                    throw new IOException("the device does not answer");
                }
            }
        };
    }

    @Test
    void withAHealthyNpuJobsRunThereAndVadRunsOnTheCpu() {
        Arbiter arbiter = new Arbiter(npu(MULTI_CORE, SchedulerOptions.defaults()), cpu);
        arbiter.run(llm());
        arbiter.submit(llm()).join();
        arbiter.run(TestJob.once(clock, NpuWorkload.VAD, MS));
        assertThat(npuEvents.traces).extracting(JobTrace::lane).containsExactly("npu-core-2", "npu-core-2");
        assertThat(npuEvents.traces).extracting(JobTrace::direct).containsExactly(true, false);
        assertThat(cpuEvents.only().lane()).isEqualTo("cpu-lane-0");
    }

    @Test
    void anEngineThatComputesOnTheCpuHasItsJobsThereAlthoughTheNpuIsHealthy() {
        Arbiter arbiter =
                new Arbiter(npu(MULTI_CORE, SchedulerOptions.defaults()), cpu, workload -> workload == NpuWorkload.LLM);
        arbiter.run(llm());
        arbiter.run(TestJob.once(clock, NpuWorkload.TTS_DECODER, MS));
        assertThat(npuEvents.only().lane()).isEqualTo("npu-core-2");
        assertThat(cpuEvents.only().lane()).isEqualTo("cpu-lane-1");
    }

    @Test
    void withoutAnNpuTheSameJobRunsOnTheCpuWithQueueAndTrace() {
        PortalNpuScheduler absent = npu(ABSENT, SchedulerOptions.defaults());
        Arbiter arbiter = new Arbiter(absent, cpu);
        assertThat(arbiter.usesNpu(NpuWorkload.LLM)).isFalse();
        NpuJob job = llm();
        arbiter.submit(job).join();
        assertThat(cpuEvents.only().lane()).isEqualTo("cpu-lane-2");
        assertThat(absent.isAvailable()).isFalse();
        assertThat(cpu.workloads())
                .singleElement()
                .satisfies(w -> assertThat(w.jobs()).isEqualTo(1));
    }

    @Test
    void failuresOnTheNpuLeadToTheCpuAndFailuresThereDoNotCount() {
        PortalNpuScheduler scheduler = npu(MULTI_CORE, SchedulerOptions.defaults());
        Arbiter arbiter = new Arbiter(scheduler, cpu);
        broken = true;
        for (int i = 0; i < 10; i++) {
            assertThat(arbiter.submit(llm())).satisfies(future -> {
                Fixtures.runAll(scheduler);
                assertThat(future)
                        .failsWithin(0, TimeUnit.SECONDS)
                        .withThrowableThat()
                        .withCauseInstanceOf(NpuException.JobFailed.class);
            });
        }
        assertThat(scheduler.monitor().status()).isEqualTo(Status.FALLBACK);
        assertThat(npuEvents.lines).containsExactly("health HEALTHY DEGRADED 3", "health DEGRADED FALLBACK 10");
        var _ = arbiter.submit(llm());
        cpu.step();
        assertThat(cpuEvents.only().outcome()).isEqualTo(JobTrace.Outcome.FAILED);
        assertThat(scheduler.monitor().consecutiveFailures()).isEqualTo(10);
        broken = false;
        arbiter.submit(llm()).join();
        assertThat(scheduler.monitor().status()).isEqualTo(Status.FALLBACK);
        scheduler.monitor().setStatus(Status.HEALTHY);
        assertThat(arbiter.usesNpu(NpuWorkload.LLM)).isTrue();
    }

    @Test
    void threeGoodProbesInARowEndFallbackAndABadOneStartsAgain() {
        PortalNpuScheduler scheduler = npu(
                MULTI_CORE, SchedulerOptions.defaults().withCanary(new SchedulerOptions.Canary(this::llm, 5 * SECOND)));
        scheduler.monitor().setStatus(Status.FALLBACK);
        long[] goodByRound = {0, 0, 0, 0, 0, 0};
        for (int round = 0; round < 6; round++) {
            broken = round == 2;
            Fixtures.runAll(scheduler);
            assertThat(scheduler.step()).as("no second probe within the period").isZero();
            goodByRound[round] = npuEvents.traces.stream()
                    .filter(t -> t.outcome() == JobTrace.Outcome.COMPLETED)
                    .count();
            assertThat(scheduler.monitor().status()).isEqualTo(round < 5 ? Status.FALLBACK : Status.HEALTHY);
            clock.advance(5 * SECOND);
        }
        assertThat(goodByRound).containsExactly(1, 2, 2, 3, 4, 5);
        Fixtures.runAll(scheduler);
        assertThat(npuEvents.traces).as("a healthy device is left alone").hasSize(6);
    }

    @Test
    void withoutACanaryNothingProbes() {
        PortalNpuScheduler scheduler = npu(MULTI_CORE, SchedulerOptions.defaults());
        scheduler.monitor().setStatus(Status.FALLBACK);
        clock.advance(1000 * SECOND);
        assertThat(scheduler.step()).isZero();
    }
}
