package dev.portal.scheduler;

import static dev.portal.scheduler.Fixtures.MS;
import static dev.portal.scheduler.Fixtures.MULTI_CORE;
import static dev.portal.scheduler.Fixtures.SECOND;
import static dev.portal.scheduler.Fixtures.SINGLE_CORE;
import static dev.portal.scheduler.Fixtures.runUntil;
import static org.assertj.core.api.Assertions.assertThat;

import dev.portal.base.RandomStream;
import dev.portal.base.VirtualClock;
import dev.portal.scheduler.Fixtures.Recorder;
import dev.portal.scheduler.JobTrace.Outcome;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** No work of another family waits behind speech recognition for longer than the bound, whatever arrives. */
@SuppressWarnings("FutureReturnValueIgnored") // what becomes of the jobs is asserted on the jobs
class StarvationTest {
    private static final long THRESHOLD = 30 * SECOND;

    private final VirtualClock clock = new VirtualClock();
    private final Recorder recorder = new Recorder();

    /** A stream of STT jobs that never lets the queue run out of them. */
    private void floodWithStt(PortalNpuScheduler scheduler, NpuPriority priority, int segments, long segmentNanos) {
        TestJob stt = new TestJob(clock, NpuWorkload.STT_ENCODER, priority, segments, segmentNanos);
        if (scheduler.queueDepth() < 8) {
            var _ = scheduler.sharedSubmit(stt.workload(), priority, stt);
        }
        clock.at(
                clock.nanos() + segments * segmentNanos / 2 + 1,
                () -> floodWithStt(scheduler, priority, segments, segmentNanos));
    }

    private PortalNpuScheduler single() {
        return PortalNpuScheduler.stepped(SINGLE_CORE, SchedulerOptions.singleCore(), clock, recorder);
    }

    @Test
    void underAFloodOfSttATtsDecoderIsServedWithinThirtySecondsAndASegment() {
        PortalNpuScheduler scheduler = single();
        TestJob decoder = new TestJob(clock, NpuWorkload.TTS_DECODER, NpuPriority.LOW, 3, 100 * MS);
        floodWithStt(scheduler, NpuPriority.MEDIUM, 1, 40 * MS);
        clock.at(SECOND, () -> scheduler.sharedSubmit(NpuWorkload.TTS_DECODER, NpuPriority.LOW, decoder));
        runUntil(scheduler, clock, 40 * SECOND);
        assertThat(decoder.firstStartNanos()).isBetween(31 * SECOND, 31 * SECOND + 40 * MS);
        assertThat(decoder.dispatches())
                .as("a promoted job is not preempted by MEDIUM")
                .isEqualTo(1);
        JobTrace trace = recorder.of(NpuWorkload.TTS_DECODER);
        assertThat(trace.promoted()).isTrue();
        assertThat(trace.priority()).isEqualTo(NpuPriority.LOW);
        assertThat(recorder.lines).contains("promoted core 0 TTS_DECODER " + trace.jobId());
    }

    @Test
    void aLongSttJobOfManySegmentsIsToldToStopWhenOtherWorkStarves() {
        PortalNpuScheduler scheduler = single();
        TestJob stt = new TestJob(clock, NpuWorkload.STT_ENCODER, NpuPriority.HIGH, 1000, 100 * MS);
        TestJob llm = TestJob.once(clock, NpuWorkload.LLM, MS);
        scheduler.sharedSubmit(NpuWorkload.STT_ENCODER, NpuPriority.HIGH, stt);
        scheduler.sharedSubmit(NpuWorkload.LLM, NpuPriority.LOW, llm);
        Fixtures.runAll(scheduler);
        assertThat(llm.firstStartNanos()).isEqualTo(30 * SECOND + 100 * MS);
        assertThat(stt.dispatches()).isEqualTo(2);
        assertThat(recorder.of(NpuWorkload.STT_ENCODER).segments().getFirst().cause())
                .isEqualTo(Preemption.Cause.STARVATION);
    }

    @Test
    void withOneTokenForThreeLanesTheBoundHoldsAcrossThem() {
        PortalNpuScheduler scheduler = PortalNpuScheduler.stepped(
                MULTI_CORE, SchedulerOptions.defaults().withLanesPerDevice(1), clock, recorder);
        TestJob decoder = TestJob.once(clock, NpuWorkload.TTS_DECODER, 100 * MS);
        floodWithStt(scheduler, NpuPriority.HIGH, 1, 40 * MS);
        var _ = scheduler.sharedSubmit(NpuWorkload.TTS_DECODER, NpuPriority.LOW, decoder);
        runUntil(scheduler, clock, 40 * SECOND);
        assertThat(decoder.firstStartNanos()).isBetween(30 * SECOND, 30 * SECOND + 40 * MS);
    }

    /** A job whose arrival is remembered. */
    private record Arrived(TestJob job, long atNanos, CompletableFuture<?> future) {
        boolean isOther() {
            return job.workload().family() != NpuWorkload.Family.STT;
        }
    }

    @Test
    void theBoundHoldsUnderAnyArrivals() throws Exception {
        long[] promotions = new long[1];
        Seeds.each(StarvationTest.class, 6, seed -> promotions[0] += boundHolds(seed));
        assertThat(promotions[0]).as("the arrivals starve somebody").isPositive();
    }

    @Test
    @Tag("slow")
    void theBoundHoldsUnderManyMoreArrivals() throws Exception {
        Seeds.each(StarvationTest.class, 60, StarvationTest::boundHolds);
    }

    private static long boundHolds(long seed) {
        StarvationTest test = new StarvationTest();
        test.checkBound(new RandomStream(seed));
        return test.recorder.traces.stream().filter(JobTrace::promoted).count();
    }

    private final List<Arrived> arrived = new ArrayList<>();

    private void checkBound(RandomStream random) {
        boolean lanes = random.nextInt(3) == 0;
        PortalNpuScheduler scheduler = lanes
                ? PortalNpuScheduler.stepped(
                        MULTI_CORE, SchedulerOptions.defaults().withLanesPerDevice(1), clock, recorder)
                : single();
        long end = 600 * SECOND;
        long meanGap = random.nextLong(50 * MS, 600 * MS);
        int sttShare = random.nextInt(60, 100);
        boolean wildPriorities = random.nextBoolean();
        arrive(scheduler, random, meanGap, sttShare, wildPriorities);
        runUntil(scheduler, clock, end);

        List<Arrived> others = arrived.stream()
                .filter(Arrived::isOther)
                .filter(a -> a.job.dispatches() > 0 || !a.future.isDone())
                .toList();
        long sttSegment = arrived.stream()
                .filter(a -> !a.isOther())
                .mapToLong(a -> a.job.segmentNanos())
                .max()
                .orElse(0);
        long otherCost = others.stream().mapToLong(a -> a.job.costNanos()).max().orElse(0);
        for (Arrived waiter : others) {
            long until = waiter.job.dispatches() > 0 ? waiter.job.firstStartNanos() : clock.nanos();
            long before = arrived.stream()
                    .filter(Arrived::isOther)
                    .filter(a -> !a.job.equals(waiter.job)
                            && a.job.runs.stream()
                                    .anyMatch(r -> r.endNanos() > waiter.atNanos && r.startNanos() < until))
                    .count();
            assertThat(until - waiter.atNanos)
                    .as(
                            "%s %s at %d, %d before it",
                            waiter.job.workload(), waiter.job.priority(), waiter.atNanos, before)
                    .isLessThanOrEqualTo((before + 1) * (THRESHOLD + sttSegment) + before * otherCost);
        }
        for (JobTrace trace : recorder.traces) {
            assertThat(trace.partsNanos()).as("%s", trace).isEqualTo(trace.totalNanos());
            if (trace.promoted()) {
                assertThat(trace.segments().getLast().cause())
                        .as("nothing but its owner stops a promoted job: %s", trace)
                        .isIn(null, Preemption.Cause.CANCELLED);
            }
        }
        assertThat(arrived.stream().filter(a -> a.job.ended)).allMatch(a -> a.future.isDone());
        assertFifo();
    }

    /** Inside a class of a lane, jobs that were not promoted start in the order of arrival. */
    private void assertFifo() {
        for (NpuPriority priority : NpuPriority.values()) {
            for (NpuCore core : List.of(NpuCore.STT, NpuCore.TTS, NpuCore.LLM)) {
                List<JobTrace> started = recorder.traces.stream()
                        .filter(t -> t.priority() == priority && t.core().equals(core))
                        .filter(t -> !t.promoted() && t.outcome() == Outcome.COMPLETED)
                        .sorted(Comparator.comparingLong(
                                t -> t.segments().getFirst().startNanos()))
                        .toList();
                assertThat(started).extracting(JobTrace::jobId).isSorted();
            }
        }
    }

    private void arrive(
            PortalNpuScheduler scheduler, RandomStream random, long meanGap, int sttShare, boolean wildPriorities) {
        NpuWorkload workload = random.nextInt(100) < sttShare
                ? NpuWorkload.values()[random.nextInt(1, 4)]
                : NpuWorkload.values()[random.nextInt(4, 7)];
        NpuPriority priority =
                wildPriorities ? NpuPriority.values()[random.nextInt(3)] : workload.conventionalPriority();
        TestJob job = new TestJob(clock, workload, priority, random.nextInt(1, 6), random.nextLong(MS, 400 * MS));
        CompletableFuture<?> future = scheduler.sharedSubmit(workload, priority, job);
        arrived.add(new Arrived(job, clock.nanos(), future));
        if (random.nextInt(20) == 0) {
            clock.at(clock.nanos() + random.nextLong(5 * SECOND), () -> future.cancel(true));
        }
        clock.at(
                clock.nanos() + random.nextLong(2 * meanGap),
                () -> arrive(scheduler, random, meanGap, sttShare, wildPriorities));
    }
}
