package dev.portal.scheduler;

import static dev.portal.scheduler.Fixtures.MS;
import static dev.portal.scheduler.Fixtures.MULTI_CORE;
import static dev.portal.scheduler.Fixtures.SECOND;
import static dev.portal.scheduler.Fixtures.SINGLE_CORE;
import static dev.portal.scheduler.Fixtures.runUntil;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.portal.base.RandomStream;
import dev.portal.base.VirtualClock;
import dev.portal.scheduler.Fixtures.Recorder;
import dev.portal.scheduler.Preemption.Cause;
import dev.portal.scheduler.SchedulerOptions.Reservation;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** With a reservation the language model is never without the device for longer than the bound, whatever arrives. */
@SuppressWarnings("FutureReturnValueIgnored") // what becomes of the jobs is asserted on the jobs
class ReservationTest {
    private final VirtualClock clock = new VirtualClock();
    private final Recorder recorder = new Recorder();
    private final List<TestJob> jobs = new ArrayList<>();

    private PortalNpuScheduler single(Reservation reservation) {
        return PortalNpuScheduler.stepped(
                SINGLE_CORE, SchedulerOptions.singleCore().withReservation(reservation), clock, recorder);
    }

    private TestJob job(NpuWorkload workload, NpuPriority priority, int segments, long segmentNanos) {
        TestJob job = new TestJob(clock, workload, priority, segments, segmentNanos);
        jobs.add(job);
        return job;
    }

    /** Keeps eight jobs waiting for ever. */
    private void flood(PortalNpuScheduler scheduler, NpuWorkload workload, NpuPriority priority, long segmentNanos) {
        while (scheduler.queueDepth() < 8) {
            TestJob job = job(workload, priority, 1, segmentNanos);
            scheduler.sharedSubmit(workload, priority, job);
        }
        clock.at(clock.nanos() + segmentNanos, () -> flood(scheduler, workload, priority, segmentNanos));
    }

    private static List<Long> starts(TestJob job) {
        return job.runs.stream().map(run -> run.startNanos() / MS).toList();
    }

    @Test
    void underContinuousSpeechATurnComesEachPeriodAfterTheRunningSegment() {
        PortalNpuScheduler scheduler = single(new Reservation(100 * MS, 0));
        TestJob llm = job(NpuWorkload.LLM, NpuPriority.LOW, 5, 10 * MS);
        clock.at(0, () -> scheduler.sharedSubmit(NpuWorkload.LLM, NpuPriority.LOW, llm));
        clock.at(1, () -> flood(scheduler, NpuWorkload.STT_ENCODER, NpuPriority.HIGH, 15 * MS));
        runUntil(scheduler, clock, SECOND);
        // The first segment found the device idle; then a turn is due at 110 and comes when the running job ends at
        // 115.
        assertThat(starts(llm)).containsExactly(0L, 115L, 230L, 345L, 460L);
        assertThat(recorder.of(NpuWorkload.LLM).segments().get(1).cause()).isEqualTo(Cause.RESERVATION);
        assertThat(scheduler.count(LaneEvent.RESERVED)).isEqualTo(4);
        ReservationBound bound = scheduler.reservation(0).orElseThrow();
        assertThat(bound.boundNanos()).isEqualTo(115 * MS);
        assertThat(bound.observedMaxNanos()).isEqualTo(105 * MS);
        assertThat(bound.turns()).isEqualTo(4);
        assertThat(bound.turnNanos()).isEqualTo(10 * MS);
    }

    @Test
    void withoutOneTheLanguageModelWaitsForTheStarvationBound() {
        PortalNpuScheduler scheduler =
                PortalNpuScheduler.stepped(SINGLE_CORE, SchedulerOptions.singleCore(), clock, recorder);
        TestJob llm = job(NpuWorkload.LLM, NpuPriority.LOW, 5, 10 * MS);
        clock.at(0, () -> scheduler.sharedSubmit(NpuWorkload.LLM, NpuPriority.LOW, llm));
        clock.at(1, () -> flood(scheduler, NpuWorkload.STT_ENCODER, NpuPriority.HIGH, 15 * MS));
        runUntil(scheduler, clock, 40 * SECOND);
        assertThat(llm.runs.get(1).startNanos()).isGreaterThan(30 * SECOND);
        assertThat(scheduler.reservation(0)).isEmpty();
        assertThat(scheduler.llmLongestPauseNanos()).isGreaterThan(30 * SECOND);
    }

    @Test
    void aTurnLastsItsQuantumAndTheSegmentThatRunsThen() {
        PortalNpuScheduler scheduler = single(new Reservation(100 * MS, 25 * MS));
        TestJob llm = job(NpuWorkload.LLM, NpuPriority.LOW, 100, 10 * MS);
        scheduler.sharedSubmit(
                NpuWorkload.STT_ENCODER, NpuPriority.HIGH, job(NpuWorkload.STT_ENCODER, NpuPriority.HIGH, 1, MS));
        scheduler.sharedSubmit(NpuWorkload.LLM, NpuPriority.LOW, llm);
        clock.at(1, () -> flood(scheduler, NpuWorkload.STT_ENCODER, NpuPriority.HIGH, 15 * MS));
        runUntil(scheduler, clock, SECOND);
        assertThat(llm.runs)
                .isNotEmpty()
                .allSatisfy(run -> assertThat(run.endNanos() - run.startNanos()).isEqualTo(30 * MS));
        assertThat(scheduler.reservation(0).orElseThrow().turnNanos()).isEqualTo(35 * MS);
    }

    @Test
    void anArrivalDoesNotCutTheQuantumShort() {
        PortalNpuScheduler scheduler = single(new Reservation(20 * MS, 30 * MS));
        TestJob llm = job(NpuWorkload.LLM, NpuPriority.LOW, 10, 10 * MS);
        for (int i = 0; i < 4; i++) {
            scheduler.sharedSubmit(
                    NpuWorkload.STT_ENCODER,
                    NpuPriority.MEDIUM,
                    job(NpuWorkload.STT_ENCODER, NpuPriority.MEDIUM, 1, 15 * MS));
        }
        scheduler.sharedSubmit(NpuWorkload.LLM, NpuPriority.LOW, llm);
        TestJob urgent = job(NpuWorkload.STT_JOINER, NpuPriority.HIGH, 1, MS);
        clock.at(31 * MS, () -> scheduler.sharedSubmit(NpuWorkload.STT_JOINER, NpuPriority.HIGH, urgent));
        Fixtures.runAll(scheduler);
        assertThat(llm.runs.getFirst()).isEqualTo(new TestJob.Run(30 * MS, 60 * MS));
        assertThat(urgent.firstStartNanos()).isEqualTo(60 * MS);
    }

    @Test
    void aLongJobIsInterruptedForATurnAndGoesOnBeforeTheLanguageModel() {
        PortalNpuScheduler scheduler = single(new Reservation(100 * MS, 0));
        TestJob speech = job(NpuWorkload.TTS_DECODER, NpuPriority.LOW, 30, 10 * MS);
        TestJob later = job(NpuWorkload.TTS_ENCODER, NpuPriority.LOW, 1, 10 * MS);
        TestJob llm = job(NpuWorkload.LLM, NpuPriority.LOW, 4, 10 * MS);
        TestJob last = job(NpuWorkload.TTS_ENCODER, NpuPriority.LOW, 1, 10 * MS);
        for (TestJob job : List.of(speech, later, llm, last)) {
            scheduler.sharedSubmit(job.workload(), NpuPriority.LOW, job);
        }
        Fixtures.runAll(scheduler);
        assertThat(starts(llm)).as("where it stood: before the last").containsExactly(100L, 210L, 320L, 340L);
        assertThat(starts(speech)).containsExactly(0L, 110L, 220L);
        assertThat(starts(later)).containsExactly(330L);
        assertThat(starts(last)).containsExactly(350L);
        assertThat(recorder.of(NpuWorkload.TTS_DECODER).segments().getFirst().cause())
                .isEqualTo(Cause.RESERVATION);
        assertThat(recorder.of(NpuWorkload.LLM).segments().getLast().cause())
                .as("nobody was passed")
                .isNull();
    }

    @Test
    void aPromotedJobIsNotInterrupted() {
        PortalNpuScheduler scheduler = PortalNpuScheduler.stepped(
                MULTI_CORE,
                SchedulerOptions.defaults().withLanesPerDevice(1).withReservation(new Reservation(100 * MS, 0)),
                clock,
                recorder);
        TestJob decoder = job(NpuWorkload.TTS_DECODER, NpuPriority.LOW, 40, 10 * MS);
        TestJob llm = job(NpuWorkload.LLM, NpuPriority.LOW, 1000, 5 * MS);
        clock.at(0, () -> scheduler.sharedSubmit(NpuWorkload.TTS_DECODER, NpuPriority.LOW, decoder));
        clock.at(0, () -> scheduler.sharedSubmit(NpuWorkload.LLM, NpuPriority.LOW, llm));
        clock.at(0, () -> flood(scheduler, NpuWorkload.STT_ENCODER, NpuPriority.HIGH, 15 * MS));
        runUntil(scheduler, clock, 45 * SECOND);
        assertThat(decoder.dispatches()).isEqualTo(1);
        assertThat(decoder.firstStartNanos()).isBetween(30 * SECOND, 35 * SECOND);
        ReservationBound bound = scheduler.reservation(0).orElseThrow();
        assertThat(bound.observedMaxNanos()).isGreaterThan(400 * MS).isLessThanOrEqualTo(bound.boundNanos());
        assertThat(bound.boundNanos()).isEqualTo((100 + 15 + 400) * MS);
    }

    @Test
    void aCancelledTurnTakesNothing() {
        PortalNpuScheduler scheduler = single(new Reservation(100 * MS, 0));
        TestJob llm = job(NpuWorkload.LLM, NpuPriority.LOW, 5, 10 * MS);
        List<CompletableFuture<?>> future = new ArrayList<>();
        clock.at(0, () -> flood(scheduler, NpuWorkload.STT_ENCODER, NpuPriority.HIGH, 15 * MS));
        clock.at(MS, () -> future.add(scheduler.sharedSubmit(NpuWorkload.LLM, NpuPriority.LOW, llm)));
        clock.at(102 * MS, () -> future.getFirst().cancel(true));
        runUntil(scheduler, clock, SECOND);
        assertThat(llm.dispatches()).isZero();
        assertThat(scheduler.count(LaneEvent.RESERVED)).isZero();
        assertThat(jobs.stream()
                        .filter(j -> !j.equals(llm) && !j.runs.isEmpty())
                        .mapToInt(TestJob::dispatches))
                .containsOnly(1);
    }

    @Test
    void aDirectJobOfTheLanguageModelThatIsInterruptedHasItsTurnToo() throws ExecutionException {
        PortalNpuScheduler scheduler = single(new Reservation(100 * MS, 0));
        TestJob llm = job(NpuWorkload.LLM, NpuPriority.LOW, 3, 10 * MS);
        clock.at(MS, () -> flood(scheduler, NpuWorkload.STT_ENCODER, NpuPriority.HIGH, 15 * MS));
        scheduler.submitInference(NpuCore.LLM, llm);
        assertThat(starts(llm)).containsExactly(0L, 115L, 230L);
    }

    @Test
    void anImpossibleReservationIsRefused() {
        assertThatThrownBy(() -> new Reservation(0, 0)).hasMessageContaining("everyNanos of the reservation is 0");
        assertThatThrownBy(() -> new Reservation(1, -1)).hasMessageContaining("quantumNanos of the reservation is -1");
    }

    @Test
    void speechWaitsForATurnMoreInItsPublishedBound() {
        Reservation share = new Reservation(200 * MS, 20 * MS);
        Admission.Declaration stt = new Admission.Declaration(
                NpuWorkload.STT_ENCODER, NpuPriority.MEDIUM, 320 * MS, List.of(45 * MS), SECOND);
        Admission.Declaration llm = new Admission.Declaration(
                NpuWorkload.LLM, NpuPriority.LOW, 500 * MS, List.of(15 * MS, 15 * MS), 5 * SECOND);
        List<Admission.Declaration> both = List.of(stt, llm);
        // A segment of 15 less a tick and the promoted 30 block; a turn is 20 and the segment of 15 that runs then.
        long promotion = 30 * SECOND;
        assertThat(Admission.responses(both, promotion, null, 0)
                        .getFirst()
                        .bound()
                        .orElseThrow()
                        .response())
                .isEqualTo((15 + 30 + 45) * MS - 1);
        assertThat(Admission.responses(both, promotion, share, 0)
                        .getFirst()
                        .bound()
                        .orElseThrow()
                        .response())
                .isEqualTo((15 + 30 + 45 + 35) * MS - 1);
        assertThat(Admission.responses(both, promotion, share, 0).getLast())
                .as("the language model's own bound is that of its class")
                .isEqualTo(Admission.responses(both, promotion, null, 0).getLast());
    }

    // Any arrivals.

    @Test
    void theBoundsHoldUnderAnyArrivals() throws Exception {
        long[] turns = new long[1];
        Seeds.each(ReservationTest.class, 20, seed -> turns[0] += new ReservationTest().check(new RandomStream(seed)));
        assertThat(turns[0]).as("the reservation is made use of").isPositive();
    }

    @Test
    @Tag("slow")
    void theBoundsHoldUnderManyMoreArrivals() throws Exception {
        Seeds.each(ReservationTest.class, 200, seed -> new ReservationTest().check(new RandomStream(seed)));
    }

    private long check(RandomStream random) {
        Reservation share = share(random);
        boolean one = random.nextBoolean();
        SchedulerOptions options = one
                ? SchedulerOptions.singleCore()
                : SchedulerOptions.defaults().withLanesPerDevice(1);
        PortalNpuScheduler scheduler = PortalNpuScheduler.stepped(
                one ? SINGLE_CORE : MULTI_CORE, options.withReservation(share), clock, recorder);
        int sttShare = random.nextInt(50, 95);
        arrivals(random, random.nextLong(20, 120) * MS, () -> {
            TestJob job = randomJob(random, sttShare);
            CompletableFuture<?> future = scheduler.sharedSubmit(job.workload(), job.priority(), job);
            if (random.nextInt(20) == 0) {
                clock.at(clock.nanos() + random.nextLong(5 * SECOND), () -> future.cancel(true));
            }
        });
        runUntil(scheduler, clock, 120 * SECOND);

        long promoted = recorder.traces.stream()
                .filter(trace -> trace.promoted() && trace.workload() != NpuWorkload.LLM)
                .mapToLong(JobTrace::runningNanos)
                .max()
                .orElse(0);
        assertThat(scheduler.llmLongestPauseNanos())
                .as("a job of the language model waited while none was served; %s", options)
                .isLessThanOrEqualTo(share.everyNanos() + longestSegment(false) + promoted);
        List<TestJob.Run> turns = new ArrayList<>();
        for (JobTrace trace : recorder.traces) {
            assertThat(trace.partsNanos()).as("%s", trace).isEqualTo(trace.totalNanos());
            if (trace.workload() == NpuWorkload.LLM) {
                trace.segments().stream()
                        .filter(s -> s.cause() == Cause.RESERVATION)
                        .map(s -> new TestJob.Run(s.startNanos(), s.endNanos()))
                        .forEach(turns::add);
            }
            if (trace.promoted()) {
                assertThat(trace.segments().getLast().cause()).as("%s", trace).isIn(null, Cause.CANCELLED);
            }
        }
        checkTurns(turns, share);
        return turns.size();
    }

    private static Reservation share(RandomStream random) {
        return new Reservation(random.nextLong(50, 500) * MS, random.nextInt(2) * random.nextLong(60) * MS);
    }

    /** Turns are no longer than published, and {@code every} lies between two. */
    private void checkTurns(List<TestJob.Run> turns, Reservation share) {
        turns.sort(Comparator.comparingLong(TestJob.Run::startNanos));
        for (int i = 0; i < turns.size(); i++) {
            TestJob.Run turn = turns.get(i);
            assertThat(turn.endNanos() - turn.startNanos()).isLessThanOrEqualTo(share.turnNanos(longestSegment(true)));
            if (i > 0) {
                assertThat(turn.startNanos() - turns.get(i - 1).endNanos()).isGreaterThanOrEqualTo(share.everyNanos());
            }
        }
    }

    private long longestSegment(boolean ofTheModel) {
        return jobs.stream()
                .filter(j -> ofTheModel == (j.workload() == NpuWorkload.LLM))
                .mapToLong(TestJob::segmentNanos)
                .max()
                .orElse(0);
    }

    private TestJob randomJob(RandomStream random, int sttShare) {
        NpuWorkload workload = random.nextInt(100) < sttShare
                ? NpuWorkload.values()[random.nextInt(1, 4)]
                : NpuWorkload.values()[random.nextInt(4, 7)];
        NpuPriority priority =
                random.nextInt(4) == 0 ? NpuPriority.values()[random.nextInt(3)] : workload.conventionalPriority();
        int segments = workload == NpuWorkload.LLM ? random.nextInt(1, 40) : random.nextInt(1, 8);
        return job(workload, priority, segments, random.nextLong(1, 40) * MS);
    }

    private void arrivals(RandomStream random, long meanGap, Runnable arrival) {
        arrival.run();
        clock.at(clock.nanos() + random.nextLong(2 * meanGap), () -> arrivals(random, meanGap, arrival));
    }

    // Several at once.

    @Test
    void theBoundsHoldWhereSeveralLanesComputeAtOnce() throws Exception {
        long[] turns = new long[1];
        Seeds.each(ReservationTest.class, 30, seed -> turns[0] += new ReservationTest().atOnce(new RandomStream(seed)));
        assertThat(turns[0]).as("the reservation is made use of").isPositive();
    }

    private long atOnce(RandomStream random) {
        Reservation share = share(random);
        int tokens = random.nextInt(1, 3);
        ParallelLanes device = new ParallelLanes(
                clock, SchedulerOptions.defaults().withReservation(share), tokens, entry -> {}, entry -> {});
        int sttShare = random.nextInt(30, 90);
        long meanGap = random.nextLong(10, 60) * MS;
        arrivals(random, meanGap, () -> device.arrive(randomJob(random, sttShare)));
        clock.advanceTo(120 * SECOND);
        assertThat(device.groups.getFirst().llmLongestPauseNanos())
                .as("a job of the language model waited while none was served; %d tokens", tokens)
                .isLessThanOrEqualTo(share.everyNanos() + longestSegment(false) + device.promotedNanos);
        checkTurns(device.turns, share);
        return device.turns.size();
    }
}
