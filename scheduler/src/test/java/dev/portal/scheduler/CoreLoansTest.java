package dev.portal.scheduler;

import static dev.portal.scheduler.Fixtures.MS;
import static dev.portal.scheduler.Fixtures.MULTI_CORE;
import static dev.portal.scheduler.Fixtures.SECOND;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.portal.base.RandomStream;
import dev.portal.base.TraceRing;
import dev.portal.base.VirtualClock;
import dev.portal.scheduler.Fixtures.Recorder;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** Cores of idle lanes are lent to a running job and come back when their own lanes need them. */
@SuppressWarnings("FutureReturnValueIgnored") // what becomes of the jobs is asserted on the jobs
class CoreLoansTest {
    private static final int STT = 1;
    private static final int TTS = 2;
    private static final int LLM = 4;

    private final VirtualClock clock = new VirtualClock();
    private final Recorder recorder = new Recorder();
    private PortalNpuScheduler scheduler = with(SchedulerOptions.defaults());

    private PortalNpuScheduler with(SchedulerOptions options) {
        return PortalNpuScheduler.stepped(MULTI_CORE, options, clock, recorder);
    }

    /** What a borrower does in a segment. */
    private interface Doing {
        void with(CoreLoans loans) throws Exception;
    }

    /** A job of the language model, each of whose segments of 10 ms begins with {@code doing}. */
    private TestJob borrower(int segments, Doing doing) {
        return new TestJob(clock, NpuWorkload.LLM, NpuPriority.LOW, segments, 10 * MS) {
            @Override
            void segment(Preemption preemption) throws Exception {
                doing.with(preemption.loans());
                super.segment(preemption);
            }
        };
    }

    private CompletableFuture<?> submit(NpuJob job) {
        return scheduler.sharedSubmit(job.workload(), job.priority(), job);
    }

    private TestJob stt() {
        return TestJob.once(clock, NpuWorkload.STT_ENCODER, MS);
    }

    @Test
    void withoutAnArbiterEveryCoreIsTheJobs() {
        CoreLoans loans = Preemption.NEVER.loans();
        assertThat(loans.own()).isEqualTo(-1);
        assertThat(loans.borrow(6)).isEqualTo(6);
        assertThat(loans.wanted()).isZero();
        loans.giveBack(6);
    }

    @Test
    void lanesOfProcessorThreadsAreNoCoresOfTheDevice() {
        try (CpuLanes lanes = CpuLanes.stepped(SchedulerOptions.defaults(), clock, recorder)) {
            List<CoreLoans> seen = new ArrayList<>();
            lanes.run(borrower(1, seen::add));
            assertThat(seen).containsExactly(CoreLoans.UNLIMITED);
        }
    }

    @Test
    void coresOfIdleLanesAreLentAndThoseOfOthersAreNot() {
        submit(stt());
        List<Integer> seen = new ArrayList<>();
        TestJob llm = borrower(1, loans -> {
            seen.add(loans.own());
            seen.add(loans.borrow(STT | TTS | LLM | 8));
            seen.add(loans.borrow(STT | TTS));
            loans.giveBack(TTS | STT);
            seen.add(loans.borrow(TTS));
        });
        scheduler.submitInference(NpuCore.LLM, llm);
        assertThat(seen).as("something waits on the lane of STT").containsExactly(LLM, TTS, 0, TTS);
        assertThat(scheduler.utilization())
                .extracting(NpuCoreUtilization::lentTimes)
                .containsExactly(0L, 2L, 0L);
        assertThat(scheduler.utilization().get(1).lentUs()).isEqualTo(10_000);
        assertThat(scheduler.count(LaneEvent.LENT)).as("nobody was held up").isZero();
    }

    @Test
    void whereLanesShareTokensNothingIsLent() {
        scheduler = with(SchedulerOptions.defaults().withLanesPerDevice(2));
        List<Integer> seen = new ArrayList<>();
        scheduler.submitInference(NpuCore.LLM, borrower(1, loans -> seen.add(loans.borrow(STT | TTS))));
        assertThat(seen).containsExactly(0);
    }

    @Test
    void anArrivalOfAnyPriorityGetsItsCoreBackAtTheNextBoundary() {
        TestJob urgent = stt();
        List<Integer> wanted = new ArrayList<>();
        TestJob llm = borrower(4, loans -> {
            wanted.add(loans.wanted());
            loans.giveBack(loans.wanted());
            if (wanted.size() == 1) {
                loans.borrow(STT | TTS);
            }
            scheduler.step();
        });
        clock.at(14 * MS, () -> submit(urgent));
        submit(llm);
        Fixtures.runAll(scheduler);
        assertThat(wanted).containsExactly(0, 0, STT, 0);
        assertThat(urgent.firstStartNanos()).isEqualTo(20 * MS);
        JobTrace trace = recorder.of(NpuWorkload.STT_ENCODER);
        assertThat(trace.blockedBy()).isEqualTo(recorder.of(NpuWorkload.LLM).jobId());
        assertThat(trace.blockedNanos()).isEqualTo(6 * MS);
        assertThat(trace.partsNanos()).isEqualTo(trace.totalNanos()).isEqualTo(7 * MS);
        TraceRing.Event<LaneEvent> held = scheduler.events().stream()
                .filter(event -> event.kind() == LaneEvent.LENT)
                .findFirst()
                .orElseThrow();
        assertThat(LaneEvent.core(held.detail())).isEqualTo(NpuCore.STT);
        assertThat(LaneEvent.workload(held.detail())).isEqualTo(NpuWorkload.LLM);
        assertThat(held.cause()).isEqualTo(trace.jobId());
        NpuCoreUtilization lane = scheduler.utilization().getFirst();
        assertThat(lane.returnMaxUs()).isEqualTo(6_000);
        assertThat(lane.lentUs()).isEqualTo(20_000);
        WorkloadTelemetry measured = scheduler.telemetry().workloads().stream()
                .filter(w -> w.workload() == NpuWorkload.LLM)
                .findFirst()
                .orElseThrow();
        assertThat(measured.returnNanos()).as("its declared segment").isEqualTo(10 * MS);
    }

    @Test
    void whatAJobLeavesWhenItCompletesYieldsOrThrowsIsGivenBack() {
        TestJob completes = borrower(1, loans -> loans.borrow(STT | TTS));
        submit(completes);
        Fixtures.runAll(scheduler);
        TestJob stopped = borrower(2, loans -> {
            loans.borrow(STT | TTS);
            submit(TestJob.once(clock, NpuWorkload.STT_ENCODER, MS));
            scheduler.sharedSubmit(NpuWorkload.LLM, NpuPriority.HIGH, borrower(1, own -> {}));
        });
        submit(stopped);
        Fixtures.runAll(scheduler);
        assertThat(stopped.dispatches()).isEqualTo(2);
        TestJob throwing = borrower(1, loans -> {
            loans.borrow(STT | TTS);
            throw new IllegalStateException("on purpose");
        });
        assertThatThrownBy(() -> scheduler.submitInference(NpuCore.LLM, throwing))
                .hasMessageContaining("on purpose");
        TestJob after = stt();
        scheduler.submitInference(NpuCore.STT, after);
        assertThat(after.ended).isTrue();
        assertThat(scheduler.utilization())
                .extracting(NpuCoreUtilization::lentTimes)
                .containsExactly(4L, 4L, 0L);
    }

    @Test
    void whoeverLeavesAgainIsNotWaitedFor() {
        List<Integer> wanted = new ArrayList<>();
        submit(borrower(1, loans -> {
            loans.borrow(STT);
            CompletableFuture<?> one = submit(stt());
            CompletableFuture<?> other = submit(stt());
            one.cancel(true);
            wanted.add(loans.wanted());
            other.cancel(true);
            wanted.add(loans.wanted());
            submit(stt());
            wanted.add(loans.wanted());
        }));
        Fixtures.runAll(scheduler);
        assertThat(wanted).containsExactly(STT, 0, STT);
    }

    @Test
    void waitingForALaneWhoseCoreOneHasBorrowedIsAnErrorNotAHang() {
        TestJob llm = borrower(1, loans -> {
            loans.borrow(STT);
            scheduler.submitInference(NpuCore.STT, stt());
        });
        assertThatThrownBy(() -> scheduler.submitInference(NpuCore.LLM, llm))
                .hasStackTraceContaining("cannot be stepped to its end");
        assertThat(scheduler.utilization().getFirst().lentTimes()).isEqualTo(1);
    }

    @Test
    void closingGivesEveryLoanBackAndLendsNoMore() {
        List<Integer> seen = new ArrayList<>();
        List<CompletableFuture<?>> waiting = new ArrayList<>();
        submit(borrower(3, loans -> {
            seen.add(loans.borrow(STT));
            waiting.add(submit(stt()));
            scheduler.close();
            loans.giveBack(STT);
            seen.add(loans.borrow(STT));
        }));
        Fixtures.runAll(scheduler);
        assertThat(seen).containsExactly(STT, 0);
        assertThat(waiting.getFirst()).isCompletedExceptionally();
    }

    // Any arrivals.

    @Test
    void noCoreHasTwoJobsAndNoHomeWaitsForMoreThanABoundary() throws Exception {
        long[] waits = new long[1];
        Seeds.each(CoreLoansTest.class, 40, seed -> waits[0] += new CoreLoansTest().check(new RandomStream(seed)));
        assertThat(waits[0]).as("some job waited for a lent core").isPositive();
    }

    private final Map<Integer, JobEntry> users = new HashMap<>();
    private final Map<JobEntry, Integer> lent = new HashMap<>();
    private final List<TestJob> arrived = new ArrayList<>();

    private void occupy(JobEntry entry, int cores) {
        for (int core = 0; core < 3; core++) {
            if ((cores & 1 << core) != 0) {
                assertThat(users.put(core, entry)).as("core %d", core).isNull();
            }
        }
    }

    private void leave(JobEntry entry, int cores) {
        for (int core = 0; core < 3; core++) {
            if ((cores & 1 << core) != 0) {
                assertThat(users.remove(core)).isSameAs(entry);
            }
        }
    }

    /** What a boundary is: what is wanted goes back, and perhaps something is borrowed. */
    private void boundary(JobEntry entry, RandomStream random) {
        CoreLoans loans = entry.loans();
        Integer before = lent.putIfAbsent(entry, 0);
        if (before == null) {
            occupy(entry, loans.own());
        }
        int has = before == null ? 0 : before;
        int wanted = loans.wanted();
        assertThat(wanted & ~has).as("wanted of what it has").isZero();
        leave(entry, wanted);
        loans.giveBack(wanted);
        int granted = random.nextBoolean() ? loans.borrow(random.nextInt(8)) : 0;
        occupy(entry, granted);
        lent.put(entry, (has & ~wanted) | granted);
    }

    private long check(RandomStream random) {
        RandomStream choices = random.derive("loans");
        ParallelLanes lanes =
                new ParallelLanes(clock, SchedulerOptions.defaults(), 3, entry -> boundary(entry, choices), entry -> {
                    int has = Objects.requireNonNull(lent.remove(entry));
                    leave(entry, entry.loans().own() | has);
                    if (choices.nextBoolean()) {
                        entry.loans().giveBack(has);
                    }
                });
        arrive(lanes, random, random.nextLong(5, 120) * MS);
        clock.advanceTo(30 * SECOND);
        assertThat(lanes.ended).extracting(entry -> entry.job).containsExactlyInAnyOrderElementsOf(arrived);
        assertThat(users).isEmpty();
        long longest = arrived.stream().mapToLong(TestJob::segmentNanos).max().orElseThrow();
        for (Lane lane : lanes.lanes) {
            assertThat(lane.utilization(1).returnMaxUs()).isLessThanOrEqualTo(longest / 1000);
            assertThat(lane.group.isIdle(lane)).as("its token is back").isTrue();
        }
        long blocked = 0;
        for (JobEntry entry : lanes.ended) {
            blocked += entry.blockedNanos > 0 && entry.blockedBy % 3 != entry.id % 3 ? 1 : 0;
        }
        return blocked;
    }

    private void arrive(ParallelLanes lanes, RandomStream random, long meanGap) {
        NpuWorkload workload = NpuWorkload.values()[random.nextInt(1, 7)];
        Lane lane = lanes.lanes.get(workload.homeCore().orElseThrow().index());
        if (!lane.group.isFull(lane)) {
            TestJob job = new TestJob(
                    clock,
                    workload,
                    NpuPriority.values()[random.nextInt(3)],
                    random.nextInt(1, 8),
                    random.nextLong(1, 30) * MS);
            arrived.add(job);
            lanes.arrive(job);
        }
        if (clock.nanos() < 20 * SECOND) {
            clock.at(clock.nanos() + random.nextLong(2 * meanGap), () -> arrive(lanes, random, meanGap));
        }
    }
}
