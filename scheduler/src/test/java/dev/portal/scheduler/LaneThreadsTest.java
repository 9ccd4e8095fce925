package dev.portal.scheduler;

import static org.assertj.core.api.Assertions.assertThat;

import dev.portal.base.Clock;
import dev.portal.base.RandomStream;
import dev.portal.base.SystemClock;
import dev.portal.scheduler.NpuJobResult.Completed;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicIntegerArray;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Real threads: whatever is submitted, cancelled, preempted and closed at once, nothing is lost or run twice. */
class LaneThreadsTest {
    private static final int SUBMITTERS = 4;

    private final Clock clock = new SystemClock();

    /** A job that notices being run twice at once, being run after its end, and how often it ended. */
    private static final class Witness implements NpuJob {
        final NpuWorkload workload;
        final NpuPriority priority;
        final int segments;
        final AtomicInteger inside = new AtomicInteger();
        final AtomicInteger ends = new AtomicInteger();
        final AtomicInteger borrowed = new AtomicInteger();
        final List<String> wrongs;
        final AtomicInteger together;
        final int tokens;
        final AtomicIntegerArray cores;
        final RandomStream random;
        /** Written without care on purpose: the lanes must hand it over. */
        int done;

        Witness(
                RandomStream random,
                List<String> wrongs,
                AtomicInteger together,
                int tokens,
                AtomicIntegerArray cores) {
            this.random = random.derive("job");
            this.cores = cores;
            this.workload = NpuWorkload.values()[random.nextInt(1, 7)];
            this.priority = NpuPriority.values()[random.nextInt(3)];
            this.segments = random.nextInt(1, 6);
            this.wrongs = wrongs;
            this.together = together;
            this.tokens = tokens;
        }

        private int borrowAndReturn(CoreLoans loans, int lent) {
            int back = loans.wanted();
            if ((back & ~lent) != 0) {
                wrongs.add("cores wanted that it does not have: " + back);
            }
            leave(back);
            loans.giveBack(back);
            int granted = random.nextInt(3) == 0 ? loans.borrow(ALL) : 0;
            if (granted != 0 && tokens < 3) {
                wrongs.add("a loan where lanes share tokens");
            }
            occupy(granted);
            borrowed.addAndGet(Integer.bitCount(granted));
            return (lent & ~back) | granted;
        }

        private void occupy(int set) {
            for (int core = 0; core < 3; core++) {
                if ((set & 1 << core) != 0 && cores.getAndIncrement(core) != 0) {
                    wrongs.add("two jobs on core " + core);
                }
            }
        }

        private void leave(int set) {
            for (int core = 0; core < 3; core++) {
                if ((set & 1 << core) != 0) {
                    cores.decrementAndGet(core);
                }
            }
        }

        @Override
        public NpuWorkload workload() {
            return workload;
        }

        @Override
        public NpuPriority priority() {
            return priority;
        }

        @Override
        public NpuJobResult execute(Preemption preemption) {
            if (inside.incrementAndGet() != 1) {
                wrongs.add("run twice at once");
            }
            if (together.incrementAndGet() > tokens) {
                wrongs.add("more jobs at once than tokens");
            }
            if (ends.get() != 0) {
                wrongs.add("run after its end");
            }
            CoreLoans loans = preemption.loans();
            if (loans.own() != 1 << workload.homeCore().orElseThrow().index()) {
                wrongs.add("on another core than its home");
            }
            occupy(loans.own());
            int lent = 0;
            do {
                done++;
                lent = borrowAndReturn(loans, lent);
                for (int i = 0; i < 200; i++) {
                    Thread.onSpinWait();
                }
            } while (done < segments && !preemption.requested());
            boolean ended = done == segments;
            if (ended) {
                ends.incrementAndGet();
            }
            leave(loans.own() | lent);
            if (random.nextBoolean()) {
                loans.giveBack(lent);
            }
            together.decrementAndGet();
            inside.decrementAndGet();
            return ended ? NpuJobResult.DONE : NpuJobResult.YIELDED;
        }
    }

    private static final int ALL = 7;

    private record Submitted(Witness job, CompletableFuture<Completed> future) {}

    @Test
    void nothingIsLostOrRunTwice() throws Exception {
        Seeds.each(LaneThreadsTest.class, 6, seed -> storm(seed, 300));
    }

    @Test
    @Tag("slow")
    void nothingIsLostOrRunTwiceInALongerStorm() throws Exception {
        Seeds.each(LaneThreadsTest.class, 60, seed -> storm(seed, 2000));
    }

    @Test
    void waitingForTheOwnLaneFromInsideAJobIsAnErrorNotAHang() {
        try (PortalNpuScheduler scheduler = PortalNpuScheduler.start(
                Fixtures.MULTI_CORE, SchedulerOptions.defaults(), clock, SchedulerListener.NONE)) {
            NpuJob inner = new Simple(() -> {});
            NpuJob outer = new Simple(() -> scheduler
                    .sharedSubmit(NpuWorkload.LLM, NpuPriority.LOW, inner)
                    .join());
            for (int i = 0; i < 2; i++) {
                CompletableFuture<Completed> future = i == 0
                        ? scheduler.sharedSubmit(NpuWorkload.LLM, NpuPriority.LOW, outer)
                        : CompletableFuture.supplyAsync(
                                () -> scheduler.submitInference(NpuCore.LLM, outer),
                                command -> new Thread(command).start());
                assertThat(future)
                        .failsWithin(60, TimeUnit.SECONDS)
                        .withThrowableThat()
                        .withStackTraceContaining("would never end");
            }
        }
    }

    @Test
    void waitingForALaneWhoseCoreOneHasBorrowedIsAnErrorNotAHang() {
        try (PortalNpuScheduler scheduler = PortalNpuScheduler.start(
                Fixtures.MULTI_CORE, SchedulerOptions.defaults(), clock, SchedulerListener.NONE)) {
            NpuJob home = new NpuJob() {
                @Override
                public NpuWorkload workload() {
                    return NpuWorkload.STT_ENCODER;
                }

                @Override
                public NpuJobResult execute(Preemption preemption) {
                    return NpuJobResult.DONE;
                }
            };
            NpuJob guest = new NpuJob() {
                @Override
                public NpuWorkload workload() {
                    return NpuWorkload.LLM;
                }

                @Override
                public NpuJobResult execute(Preemption preemption) {
                    preemption.loans().borrow(1);
                    return scheduler
                            .sharedSubmit(NpuWorkload.STT_ENCODER, NpuPriority.HIGH, home)
                            .join();
                }
            };
            assertThat(scheduler.sharedSubmit(NpuWorkload.LLM, NpuPriority.LOW, guest))
                    .failsWithin(60, TimeUnit.SECONDS)
                    .withThrowableThat()
                    .withStackTraceContaining("whose core it has borrowed");
            assertThat(scheduler.submitInference(NpuCore.STT, home)).isNotNull();
        }
    }

    /** A job of the LLM that runs something. */
    private record Simple(Runnable action) implements NpuJob {
        @Override
        public NpuWorkload workload() {
            return NpuWorkload.LLM;
        }

        @Override
        public NpuJobResult execute(Preemption preemption) {
            action.run();
            return NpuJobResult.DONE;
        }
    }

    private void storm(long seed, int jobsPerThread) throws Exception {
        RandomStream random = new RandomStream(seed);
        int tokens = random.nextInt(1, 4);
        SchedulerOptions options = SchedulerOptions.defaults()
                .withLanesPerDevice(tokens)
                .withDisplacement(random.nextBoolean())
                .withReservation(
                        random.nextBoolean() ? null : new SchedulerOptions.Reservation(50_000, random.nextLong(30_000)))
                .withSpinNanos(random.nextBoolean() ? SchedulerOptions.SPINNING_NANOS : 0);
        boolean closesEarly = random.nextInt(3) == 0;
        PortalNpuScheduler scheduler =
                PortalNpuScheduler.start(Fixtures.MULTI_CORE, options, clock, SchedulerListener.NONE);
        List<String> wrongs = Collections.synchronizedList(new ArrayList<>());
        List<Submitted> all = Collections.synchronizedList(new ArrayList<>());
        AtomicInteger together = new AtomicInteger();
        AtomicIntegerArray cores = new AtomicIntegerArray(3);
        CountDownLatch go = new CountDownLatch(1);
        List<Thread> threads = new ArrayList<>();
        for (int t = 0; t < SUBMITTERS; t++) {
            RandomStream own = random.derive("submitter " + t);
            threads.add(Thread.ofPlatform().start(() -> {
                try {
                    go.await();
                    for (int i = 0; i < jobsPerThread; i++) {
                        all.add(submitOne(scheduler, own, new Witness(own, wrongs, together, tokens, cores)));
                    }
                } catch (InterruptedException e) {
                    wrongs.add("interrupted");
                }
            }));
        }
        go.countDown();
        if (closesEarly) {
            while (all.size() < jobsPerThread) {
                Thread.onSpinWait();
            }
            scheduler.close();
        }
        for (Thread thread : threads) {
            thread.join();
        }
        for (Submitted submitted : all) {
            check(submitted, closesEarly);
        }
        assertThat(wrongs).isEmpty();
        assertThat(scheduler.queueDepth()).isZero();
        assertThat(together).hasValue(0);
        scheduler.close();
        long completed = all.stream().filter(s -> s.job.ends.get() == 1).count();
        assertThat(scheduler.utilization().stream()
                        .mapToLong(NpuCoreUtilization::completed)
                        .sum())
                .isEqualTo(completed);
        assertThat(scheduler.utilization().stream()
                        .mapToLong(NpuCoreUtilization::lentTimes)
                        .sum())
                .as("each loan ended")
                .isEqualTo(all.stream().mapToLong(s -> s.job.borrowed.get()).sum());
    }

    private static Submitted submitOne(PortalNpuScheduler scheduler, RandomStream random, Witness job) {
        if (random.nextInt(4) == 0) {
            CompletableFuture<Completed> direct = new CompletableFuture<>();
            try {
                direct.complete(
                        scheduler.submitInference(job.workload().homeCore().orElseThrow(), job));
            } catch (NpuException e) {
                direct.completeExceptionally(e);
            }
            return new Submitted(job, direct);
        }
        CompletableFuture<Completed> future = scheduler.sharedSubmit(job.workload(), job.priority(), job);
        if (random.nextInt(6) == 0) {
            future.cancel(true);
        } else if (random.nextInt(3) == 0) {
            future.exceptionally(failure -> NpuJobResult.DONE).join();
        }
        return new Submitted(job, future);
    }

    private static void check(Submitted submitted, boolean closesEarly) throws Exception {
        int ends = submitted.job.ends.get();
        try {
            submitted.future.get(60, TimeUnit.SECONDS);
            assertThat(submitted.job.ends.get())
                    .as("a job whose future has a result ended once")
                    .isEqualTo(1);
        } catch (CancellationException e) {
            assertThat(ends).isLessThanOrEqualTo(1);
        } catch (ExecutionException e) {
            switch ((NpuException) Objects.requireNonNull(e.getCause())) {
                case NpuException.QueueFull full -> assertThat(ends).isZero();
                case NpuException.Closed closed -> {
                    assertThat(closesEarly).isTrue();
                    assertThat(ends).isZero();
                }
                default -> throw e;
            }
        }
    }
}
