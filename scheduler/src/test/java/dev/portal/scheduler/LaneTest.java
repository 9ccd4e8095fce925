package dev.portal.scheduler;

import static dev.portal.scheduler.Fixtures.MS;
import static dev.portal.scheduler.Fixtures.MULTI_CORE;
import static dev.portal.scheduler.Fixtures.SINGLE_CORE;
import static dev.portal.scheduler.Fixtures.runAll;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.portal.base.VirtualClock;
import dev.portal.scheduler.Fixtures.Recorder;
import dev.portal.scheduler.JobTrace.Outcome;
import dev.portal.scheduler.NpuJobResult.Completed;
import dev.portal.scheduler.Preemption.Cause;
import dev.portal.scheduler.Preemption.Phase;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** One lane on a virtual clock: the preemption rule, yields, traces, cancellation, closing. */
@SuppressWarnings("FutureReturnValueIgnored") // what becomes of the jobs is asserted on the jobs
class LaneTest {
    private final VirtualClock clock = new VirtualClock();
    private final Recorder recorder = new Recorder();
    private PortalNpuScheduler scheduler =
            PortalNpuScheduler.stepped(SINGLE_CORE, SchedulerOptions.singleCore(), clock, recorder);

    private void use(SchedulerOptions options) {
        scheduler =
                PortalNpuScheduler.stepped(options.cores() == 1 ? SINGLE_CORE : MULTI_CORE, options, clock, recorder);
    }

    private CompletableFuture<Completed> submit(TestJob job) {
        return scheduler.sharedSubmit(job.workload(), job.priority(), job);
    }

    private TestJob job(NpuWorkload workload, NpuPriority priority, int segments) {
        return new TestJob(clock, workload, priority, segments, 10 * MS);
    }

    @ParameterizedTest
    @CsvSource({
        // running job, arriving priority, whether it is asked to stop
        "TTS_DECODER, LOW, LOW, false",
        "TTS_DECODER, LOW, MEDIUM, true",
        "TTS_ENCODER, LOW, MEDIUM, true",
        "LLM, LOW, MEDIUM, true",
        "LLM, LOW, HIGH, true",
        "STT_ENCODER, LOW, MEDIUM, false",
        "STT_ENCODER, LOW, HIGH, true",
        "STT_ENCODER, MEDIUM, HIGH, true",
        "STT_ENCODER, MEDIUM, MEDIUM, false",
        "TTS_DECODER, MEDIUM, MEDIUM, false",
        "LLM, MEDIUM, HIGH, true",
        "TTS_DECODER, HIGH, MEDIUM, false",
        "TTS_DECODER, HIGH, HIGH, false",
    })
    void anArrivalSetsTheFlagIfItIsHighOrMediumOverTtsAndLlmAndAboveTheRunningJob(
            NpuWorkload running, NpuPriority runningPriority, NpuPriority arriving, boolean asked) {
        TestJob first = job(running, runningPriority, 4);
        TestJob second = job(NpuWorkload.STT_JOINER, arriving, 1);
        submit(first);
        clock.at(5 * MS, () -> submit(second));
        runAll(scheduler);
        assertThat(first.dispatches()).isEqualTo(asked ? 2 : 1);
        assertThat(second.firstStartNanos()).isEqualTo(asked ? 10 * MS : 40 * MS);
        assertThat(first.endNanos()).isEqualTo(asked ? 50 * MS : 40 * MS);
    }

    @Test
    void aYieldedJobGoesOnBeforeLaterOnesOfItsClassAndKeepsItsArrival() {
        TestJob llm = job(NpuWorkload.LLM, NpuPriority.LOW, 3);
        TestJob tts = job(NpuWorkload.TTS_DECODER, NpuPriority.LOW, 1);
        TestJob stt = job(NpuWorkload.STT_ENCODER, NpuPriority.MEDIUM, 1);
        submit(llm);
        clock.at(MS, () -> submit(tts));
        clock.at(2 * MS, () -> submit(stt));
        runAll(scheduler);
        assertThat(stt.firstStartNanos()).isEqualTo(10 * MS);
        assertThat(llm.runs.get(1).startNanos()).isEqualTo(20 * MS);
        assertThat(tts.firstStartNanos()).isEqualTo(40 * MS);
        assertThat(recorder.of(NpuWorkload.LLM).submittedNanos()).isZero();
    }

    @Test
    void everyDispatchMakesProgressHoweverOftenAJobIsPreempted() {
        TestJob llm = job(NpuWorkload.LLM, NpuPriority.LOW, 50);
        submit(llm);
        for (int i = 0; i < 200; i++) {
            clock.at(i * 7L * MS, () -> submit(new TestJob(clock, NpuWorkload.STT_JOINER, NpuPriority.HIGH, 1, MS)));
        }
        runAll(scheduler);
        assertThat(llm.ended).isTrue();
        assertThat(llm.dispatches()).isBetween(40, 50);
    }

    @Test
    void anOldRequestDoesNotStopALaterDispatch() {
        TestJob llm = job(NpuWorkload.LLM, NpuPriority.LOW, 5);
        TestJob stt = job(NpuWorkload.STT_ENCODER, NpuPriority.MEDIUM, 1);
        submit(llm);
        clock.at(MS, () -> submit(stt));
        runAll(scheduler);
        assertThat(llm.dispatches()).isEqualTo(2);
    }

    @Test
    void theSeventeenthWaitingJobIsRefused() {
        List<CompletableFuture<Completed>> futures = new ArrayList<>();
        for (int i = 0; i < 16; i++) {
            futures.add(submit(job(NpuWorkload.LLM, NpuPriority.LOW, 1)));
        }
        TestJob refused = job(NpuWorkload.STT_ENCODER, NpuPriority.HIGH, 1);
        assertThat(submit(refused))
                .failsWithin(0, TimeUnit.SECONDS)
                .withThrowableThat()
                .withCauseInstanceOf(NpuException.QueueFull.class)
                .withMessageContaining("16 jobs waiting");
        assertThat(scheduler.queueDepth()).isEqualTo(16);
        assertThat(recorder.lines).containsExactly("refused core 0 STT_ENCODER HIGH");
        runAll(scheduler);
        assertThat(futures).allMatch(CompletableFuture::isDone);
        assertThat(refused.dispatches()).isZero();
        assertThat(scheduler.utilization().getFirst().maxQueueDepth()).isEqualTo(16);
    }

    @Test
    void aDirectJobAtAFullQueueIsRefusedToo() {
        for (int i = 0; i < 16; i++) {
            submit(job(NpuWorkload.LLM, NpuPriority.LOW, 1));
        }
        assertThatThrownBy(() -> scheduler.submitInference(NpuCore.LLM, job(NpuWorkload.LLM, NpuPriority.HIGH, 1)))
                .isInstanceOf(NpuException.QueueFull.class);
    }

    @Test
    void aYieldedJobReturnsToAFullQueue() {
        TestJob llm = job(NpuWorkload.LLM, NpuPriority.LOW, 2);
        submit(llm);
        clock.at(MS, () -> {
            for (int i = 0; i < 16; i++) {
                submit(job(NpuWorkload.STT_JOINER, NpuPriority.MEDIUM, 1));
            }
        });
        runAll(scheduler);
        assertThat(llm.ended).isTrue();
        assertThat(recorder.lines).isEmpty();
    }

    @Test
    void withDisplacementAHighArrivalTakesThePlaceOfTheNewestOfTheLowest() {
        use(SchedulerOptions.singleCore().withDisplacement(true));
        List<CompletableFuture<Completed>> futures = new ArrayList<>();
        for (int i = 0; i < 15; i++) {
            futures.add(submit(job(NpuWorkload.LLM, NpuPriority.LOW, 1)));
        }
        futures.add(submit(job(NpuWorkload.STT_JOINER, NpuPriority.MEDIUM, 1)));
        assertThat(submit(job(NpuWorkload.STT_JOINER, NpuPriority.MEDIUM, 1))).isCompletedExceptionally();
        CompletableFuture<Completed> high = submit(job(NpuWorkload.STT_ENCODER, NpuPriority.HIGH, 1));
        assertThat(high).isNotDone();
        assertThat(futures.get(14))
                .failsWithin(0, TimeUnit.SECONDS)
                .withThrowableThat()
                .withCauseInstanceOf(NpuException.QueueFull.class)
                .withMessageContaining("displaced");
        assertThat(recorder.only().outcome()).isEqualTo(Outcome.DISPLACED);
        runAll(scheduler);
        futures.remove(14);
        assertThat(futures).allMatch(f -> f.isDone() && !f.isCompletedExceptionally());
    }

    @Test
    void aFullQueueOfHighJobsDisplacesNothing() {
        use(SchedulerOptions.singleCore().withDisplacement(true));
        for (int i = 0; i < 16; i++) {
            submit(job(NpuWorkload.LLM, NpuPriority.HIGH, 1));
        }
        assertThat(submit(job(NpuWorkload.STT_ENCODER, NpuPriority.HIGH, 1))).isCompletedExceptionally();
        assertThat(scheduler.queueDepth()).isEqualTo(16);
    }

    @Test
    void cancellingTakesAWaitingJobOutAndFreesItsPlace() {
        TestJob first = job(NpuWorkload.LLM, NpuPriority.LOW, 1);
        CompletableFuture<Completed> future = submit(first);
        assertThat(future.cancel(true)).isTrue();
        assertThat(scheduler.queueDepth()).isZero();
        runAll(scheduler);
        assertThat(first.dispatches()).isZero();
        assertThat(recorder.only().outcome()).isEqualTo(Outcome.CANCELLED);
        assertThat(scheduler.monitor().consecutiveFailures()).isZero();
    }

    @Test
    void cancellingARunningJobAsksItToStopAndItIsNotRunAgain() {
        TestJob llm = job(NpuWorkload.LLM, NpuPriority.LOW, 10);
        CompletableFuture<Completed> future = submit(llm);
        clock.at(15 * MS, () -> future.cancel(true));
        runAll(scheduler);
        assertThat(llm.done).isEqualTo(2);
        assertThat(llm.dispatches()).isEqualTo(1);
        assertThat(future).isCancelled();
        assertThat(recorder.only().outcome()).isEqualTo(Outcome.CANCELLED);
        assertThat(recorder.only().segments().getFirst().cause()).isEqualTo(Cause.CANCELLED);
    }

    @Test
    void aFutureCompletedFromOutsideWithdrawsItsJob() {
        TestJob timedOut = job(NpuWorkload.LLM, NpuPriority.LOW, 1);
        submit(timedOut).completeExceptionally(new TimeoutException());
        assertThat(scheduler.queueDepth()).isZero();
    }

    @Test
    void stagesThatDependOnTheFutureDoNotWithdrawTheJobWhenCancelled() {
        TestJob llm = job(NpuWorkload.LLM, NpuPriority.LOW, 1);
        CompletableFuture<Completed> future = submit(llm);
        future.thenApply(result -> result).cancel(true);
        runAll(scheduler);
        assertThat(llm.ended).isTrue();
        assertThat(future).isCompleted();
    }

    @Test
    void closingFailsWhatWaitsAsksWhatRunsAndAdmitsNothing() {
        TestJob running = job(NpuWorkload.LLM, NpuPriority.LOW, 10);
        TestJob waiting = job(NpuWorkload.LLM, NpuPriority.LOW, 1);
        CompletableFuture<Completed> first = submit(running);
        CompletableFuture<Completed> second = submit(waiting);
        clock.at(15 * MS, scheduler::close);
        runAll(scheduler);
        assertThat(running.done).isEqualTo(2);
        assertThat(waiting.dispatches()).isZero();
        for (CompletableFuture<Completed> future : List.of(first, second, submit(running))) {
            assertThat(future)
                    .failsWithin(0, TimeUnit.SECONDS)
                    .withThrowableThat()
                    .withCauseInstanceOf(NpuException.Closed.class);
        }
        assertThatThrownBy(() -> scheduler.submitInference(NpuCore.LLM, waiting))
                .isInstanceOf(NpuException.Closed.class);
        assertThat(recorder.traces).extracting(JobTrace::outcome).containsExactly(Outcome.CLOSED, Outcome.CLOSED);
    }

    @Test
    void aDirectJobThatYieldsIsRunAgainUntilItIsComplete() {
        TestJob llm = job(NpuWorkload.LLM, NpuPriority.LOW, 3);
        TestJob stt = job(NpuWorkload.STT_ENCODER, NpuPriority.MEDIUM, 1);
        clock.at(MS, () -> submit(stt));
        assertThat(scheduler.submitInference(NpuCore.LLM, llm)).isSameAs(NpuJobResult.DONE);
        assertThat(llm.dispatches()).isEqualTo(2);
        assertThat(llm.done).isEqualTo(3);
        assertThat(stt.firstStartNanos()).isEqualTo(10 * MS);
        JobTrace trace = recorder.of(NpuWorkload.LLM);
        assertThat(trace.direct()).isFalse();
        assertThat(trace.segments()).hasSize(2);
        assertThat(trace.preemptedNanos()).isEqualTo(10 * MS);
        assertThat(trace.partsNanos()).isEqualTo(trace.totalNanos()).isEqualTo(40 * MS);
    }

    @Test
    void aDirectJobWaitsItsTurnBehindAnotherLikeAnyArrival() {
        TestJob tts = job(NpuWorkload.TTS_DECODER, NpuPriority.LOW, 1);
        submit(tts);
        TestJob low = job(NpuWorkload.LLM, NpuPriority.LOW, 1);
        scheduler.submitInference(NpuCore.LLM, low);
        assertThat(low.firstStartNanos()).isEqualTo(10 * MS);
        assertThat(recorder.of(NpuWorkload.LLM).direct()).isFalse();
    }

    @Test
    void waitingForTheOwnLaneFromInsideAJobIsAnErrorNotAHang() {
        TestJob outer = new TestJob(clock, NpuWorkload.LLM, NpuPriority.LOW, 1, MS) {
            @Override
            void segment(Preemption preemption) {
                scheduler.submitInference(NpuCore.LLM, job(NpuWorkload.LLM, NpuPriority.LOW, 1));
            }
        };
        CompletableFuture<Completed> future = submit(outer);
        runAll(scheduler);
        assertThat(future)
                .failsWithin(0, TimeUnit.SECONDS)
                .withThrowableThat()
                .withMessageContaining("inside a job of that lane");
    }

    @Test
    void aTraceSaysWhereTheTimeWentAndItsPartsAreTheWhole() {
        TestJob llm = new TestJob(clock, NpuWorkload.LLM, NpuPriority.LOW, 2, 10 * MS) {
            @Override
            public String label() {
                return "turn 7";
            }

            @Override
            void segment(Preemption preemption) {
                preemption.enter(Phase.COPY_IN);
                clock.advance(2 * MS);
                preemption.enter(Phase.DEVICE);
                clock.advance(7 * MS);
                preemption.enter(Phase.COPY_OUT);
                clock.advance(MS);
            }
        };
        TestJob first = job(NpuWorkload.TTS_DECODER, NpuPriority.LOW, 1);
        TestJob stt = job(NpuWorkload.STT_ENCODER, NpuPriority.MEDIUM, 1);
        submit(first);
        submit(llm);
        clock.at(14 * MS, () -> submit(stt));
        runAll(scheduler);
        JobTrace trace = recorder.of(NpuWorkload.LLM);
        assertThat(trace.label()).isEqualTo("turn 7");
        assertThat(trace.lane()).isEqualTo("npu-core-0");
        assertThat(trace.queuedNanos()).isEqualTo(10 * MS);
        assertThat(trace.blockedNanos()).isZero();
        assertThat(trace.copyInNanos()).isEqualTo(4 * MS);
        assertThat(trace.deviceNanos()).isEqualTo(14 * MS);
        assertThat(trace.copyOutNanos()).isEqualTo(2 * MS);
        assertThat(trace.preemptedNanos()).isEqualTo(10 * MS);
        assertThat(trace.partsNanos()).isEqualTo(trace.totalNanos()).isEqualTo(40 * MS);
        assertThat(trace.outcome()).isEqualTo(Outcome.COMPLETED);
        JobTrace sttTrace = recorder.of(NpuWorkload.STT_ENCODER);
        assertThat(sttTrace.blockedNanos()).isEqualTo(6 * MS);
        assertThat(sttTrace.blockedBy()).isEqualTo(trace.jobId());
        assertThat(sttTrace.queuedNanos()).isZero();
        assertThat(sttTrace.partsNanos()).isEqualTo(sttTrace.totalNanos()).isEqualTo(16 * MS);
        assertThat(trace.segments())
                .containsExactly(
                        new JobTrace.Segment(10 * MS, 20 * MS, true, Cause.PRIORITY, 14 * MS, sttTrace.jobId()),
                        new JobTrace.Segment(30 * MS, 40 * MS, false, null, 0, 0));
    }

    @Test
    void obeyingIsMeasuredFromTheFlagToTheYield() {
        TestJob llm = job(NpuWorkload.LLM, NpuPriority.LOW, 3);
        submit(llm);
        clock.at(13 * MS, () -> submit(job(NpuWorkload.STT_ENCODER, NpuPriority.MEDIUM, 1)));
        runAll(scheduler);
        WorkloadTelemetry measured = scheduler.telemetry().workloads().stream()
                .filter(w -> w.workload() == NpuWorkload.LLM)
                .findFirst()
                .orElseThrow();
        assertThat(measured.asked()).isEqualTo(1);
        assertThat(measured.obeyingMaxNanos()).isEqualTo(7 * MS);
        assertThat(measured.segmentMaxNanos()).isEqualTo(10 * MS);
        assertThat(measured.runningMaxNanos()).isEqualTo(30 * MS);
        assertThat(measured.responseMaxNanos()).isEqualTo(40 * MS);
        assertThat(measured.overruns()).isZero();
        assertThat(recorder.lines).isEmpty();
    }

    @Test
    void aSegmentIsTheLongestWayToALookAndTheLongestStopAfterIt() {
        TestJob llm = new TestJob(clock, NpuWorkload.LLM, NpuPriority.LOW, 2, 10 * MS) {
            @Override
            public NpuJobResult execute(Preemption preemption) {
                clock.advance(10 * MS);
                if (preemption.requested()) {
                    clock.advance(4 * MS);
                    return NpuJobResult.YIELDED;
                }
                return NpuJobResult.DONE;
            }
        };
        submit(llm);
        clock.at(MS, () -> submit(job(NpuWorkload.STT_ENCODER, NpuPriority.MEDIUM, 1)));
        runAll(scheduler);
        WorkloadTelemetry measured = scheduler.telemetry().workloads().stream()
                .filter(w -> w.workload() == NpuWorkload.LLM)
                .findFirst()
                .orElseThrow();
        assertThat(measured.obeyingMaxNanos()).isEqualTo(13 * MS);
        assertThat(measured.segmentMaxNanos()).isEqualTo(14 * MS);
        assertThat(measured.overruns()).isZero();
    }

    @Test
    void aJobAboveItsDeclaredSegmentIsReported() {
        TestJob llm = new TestJob(clock, NpuWorkload.LLM, NpuPriority.LOW, 1, 10 * MS) {
            @Override
            void segment(Preemption preemption) {
                clock.advance(67 * MS);
            }
        };
        submit(llm);
        runAll(scheduler);
        assertThat(recorder.lines).containsExactly("overran core 0 LLM 1 " + 10 * MS + " " + 67 * MS);
        assertThat(scheduler.telemetry().workloads().getFirst().overruns()).isEqualTo(1);
        assertThat(scheduler.count(LaneEvent.OVERRAN)).isEqualTo(1);
    }

    @Test
    void lanesWithTokensOfTheirOwnDoNotPreemptEachOther() {
        use(SchedulerOptions.defaults());
        TestJob llm = job(NpuWorkload.LLM, NpuPriority.LOW, 2);
        submit(llm);
        clock.at(MS, () -> submit(job(NpuWorkload.STT_ENCODER, NpuPriority.MEDIUM, 1)));
        runAll(scheduler);
        assertThat(llm.dispatches()).isEqualTo(1);
    }

    @Test
    void lanesThatShareOneTokenContend() {
        use(SchedulerOptions.defaults().withLanesPerDevice(1));
        TestJob llm = job(NpuWorkload.LLM, NpuPriority.LOW, 2);
        TestJob tts = job(NpuWorkload.TTS_DECODER, NpuPriority.LOW, 1);
        TestJob stt = job(NpuWorkload.STT_ENCODER, NpuPriority.MEDIUM, 1);
        submit(llm);
        clock.at(MS, () -> submit(tts));
        clock.at(2 * MS, () -> submit(stt));
        runAll(scheduler);
        assertThat(stt.firstStartNanos()).isEqualTo(10 * MS);
        assertThat(llm.runs.get(1).startNanos()).isEqualTo(20 * MS);
        assertThat(tts.firstStartNanos()).isEqualTo(30 * MS);
        assertThat(recorder.of(NpuWorkload.STT_ENCODER).blockedBy()).isEqualTo(1);
    }

    @Test
    void withTwoTokensForThreeLanesTheLeastUrgentRunningJobGivesWay() throws ExecutionException {
        use(SchedulerOptions.defaults().withLanesPerDevice(2));
        TestJob stt = job(NpuWorkload.STT_ENCODER, NpuPriority.HIGH, 1);
        TestJob tts = new TestJob(clock, NpuWorkload.TTS_DECODER, NpuPriority.MEDIUM, 2, 10 * MS) {
            @Override
            void segment(Preemption preemption) throws Exception {
                if (done == 0) {
                    // The LLM's lane runs inside this job's first segment, as it would beside it.
                    scheduler.step();
                }
                super.segment(preemption);
            }
        };
        TestJob llm = new TestJob(clock, NpuWorkload.LLM, NpuPriority.LOW, 2, 10 * MS) {
            @Override
            void segment(Preemption preemption) throws Exception {
                if (done == 0) {
                    submit(stt);
                }
                super.segment(preemption);
            }
        };
        submit(tts);
        submit(llm);
        runAll(scheduler);
        assertThat(llm.dispatches()).isEqualTo(2);
        assertThat(tts.dispatches()).isEqualTo(1);
        assertThat(stt.ended).isTrue();
    }

    @Test
    void anUnexpectedNullIsAFailureOfTheJob() {
        @SuppressWarnings("NullAway")
        NpuJob bad = new TestJob(clock, NpuWorkload.LLM, NpuPriority.LOW, 1, MS) {
            @Override
            public NpuJobResult execute(Preemption preemption) {
                return null;
            }
        };
        assertThatThrownBy(() -> scheduler.submitInference(NpuCore.LLM, bad))
                .isInstanceOf(NpuException.JobFailed.class)
                .hasMessageContaining("returned null");
    }
}
