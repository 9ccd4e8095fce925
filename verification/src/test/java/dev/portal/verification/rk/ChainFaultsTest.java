package dev.portal.verification.rk;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.portal.base.RandomStream;
import dev.portal.emulator.FaultPlan;
import dev.portal.emulator.FaultPlan.Fault;
import dev.portal.emulator.FaultPlan.Kind;
import dev.portal.emulator.FaultPlan.Trigger;
import dev.portal.emulator.rk3588.Rk3588Options;
import dev.portal.kernel.DeviceException;
import dev.portal.kernel.Errno;
import dev.portal.rknpu.Chain;
import dev.portal.rknpu.ChainJob;
import dev.portal.rknpu.ChainOptions;
import dev.portal.rknpu.CompiledChain;
import dev.portal.rknpu.Counters;
import dev.portal.rknpu.Counters.Recovery;
import dev.portal.rknpu.HaltProbe;
import dev.portal.rknpu.MatmulShape;
import dev.portal.rknpu.MatmulType;
import dev.portal.rknpu.RknpuDevice;
import dev.portal.rknpu.RknpuOptions;
import dev.portal.rknpu.StopStrategy;
import dev.portal.scheduler.NpuJobResult;
import dev.portal.scheduler.NpuPriority;
import dev.portal.scheduler.NpuWorkload;
import dev.portal.scheduler.Preemption;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Chains on an emulated board on which things go wrong: right results or a typed failure, no hang, no leak. */
class ChainFaultsTest {
    private static final MatmulShape SHAPE = new MatmulShape(MatmulType.INT8_INT32, 1, 512, 64);

    /** Three cores with one submit. */
    private static final ChainOptions TOGETHER =
            ChainOptions.DEFAULT.withCores(3).withOneSubmit(true);

    static LongStream few() {
        return seeds(30);
    }

    static LongStream many() {
        return seeds(400);
    }

    private static LongStream seeds(int count) {
        Long given = Long.getLong("portal.seed");
        return given == null ? LongStream.rangeClosed(1, count) : LongStream.of(given);
    }

    private static EmulatedBoard board(Fault... faults) {
        return new EmulatedBoard(Rk3588Options.standard().withFaults(FaultPlan.of(faults)));
    }

    private static Fault count(Kind kind, long first, long times, long amount) {
        return new Fault(kind, new Trigger.Count(first, times), amount);
    }

    @Test
    void aLostDispatchIsFoundAndItsStepsAreSubmittedAgain() {
        // The commits before are those of the warm-up, one a core.
        EmulatedBoard board = board(count(Kind.LOST_DISPATCH, 5, 1, 0));
        try (RknpuDevice device = board.open(RknpuOptions.DEFAULT);
                StepSet set = new StepSet(device, 30, SHAPE, 2, 1)) {
            assertThat(device.begin(set.steps, 3).end()).isEqualTo(30);
            assertThat(set.right().cardinality()).isEqualTo(30);
            Counters counters = device.counters();
            assertThat(counters.get(Recovery.LOST_DISPATCH)).isEqualTo(1);
            assertThat(counters.get(Recovery.RESET)).isEqualTo(1);
            assertThat(counters.get(Recovery.RESUBMITTED)).isEqualTo(1);
            assertThat(counters.get(Recovery.PARKED)).isZero();
        }
        board.assertNothingLeaked();
    }

    /** Core 1 alone has its steps left then, and gets a job of its own. */
    @Test
    void aCoreOfAJobForThreeThatDoesNotStartIsFoundAndItsStepsAreSubmittedAgain() {
        EmulatedBoard board = board(count(Kind.LOST_DISPATCH, 5, 1, 0));
        try (RknpuDevice device = board.open(RknpuOptions.DEFAULT);
                StepSet set = new StepSet(device, 30, SHAPE, 2, 1);
                Chain chain = device.begin(set.steps, TOGETHER)) {
            assertThat(chain.end()).isEqualTo(30);
            assertThat(set.right().cardinality()).isEqualTo(30);
            Counters counters = device.counters();
            assertThat(counters.get(Recovery.LOST_DISPATCH)).isEqualTo(1);
            assertThat(counters.get(Recovery.RESET)).isEqualTo(1);
            assertThat(counters.get(Recovery.RESUBMITTED)).isEqualTo(1);
            assertThat(counters.get(Recovery.PARKED)).isZero();
        }
        assertThat(board.report.faults()).isEmpty();
        board.assertNothingLeaked();
    }

    /** Cores 0 and 2 have steps left: together they would be core mask 5, which is never started. */
    @Test
    void whatIsLeftOnCoresThatCannotShareAJobIsSubmittedCoreByCore() {
        EmulatedBoard board = board(count(Kind.LOST_DISPATCH, 4, 1, 0), count(Kind.LOST_DISPATCH, 6, 1, 0));
        try (RknpuDevice device = board.open(RknpuOptions.DEFAULT);
                StepSet set = new StepSet(device, 30, SHAPE, 2, 1);
                Chain chain = device.begin(set.steps, TOGETHER)) {
            assertThat(chain.end()).isEqualTo(30);
            assertThat(set.right().cardinality()).isEqualTo(30);
            assertThat(device.counters().get(Recovery.RESUBMITTED)).isEqualTo(2);
            assertThat(board.log.contains("Unknown core mask")).isFalse();
        }
        board.assertNothingLeaked();
    }

    /**
     * A reset ends the jobs that run and leaves the queues as they are (spec 8.5). The interrupt of the first chain is so
     * late that the second one's job still waits behind it when the reset comes; were its steps submitted again, they would
     * run twice, the second time in memory that was given back.
     */
    @ParameterizedTest
    @CsvSource({"1,false", "3,false", "3,true"})
    void aJobThatAResetLeftInTheQueueIsOverBeforeItsBuffersGo(int cores, boolean oneSubmit) {
        ChainOptions options = ChainOptions.DEFAULT.withCores(cores).withOneSubmit(oneSubmit);
        // The interrupts before are those of the warm-up, one a core.
        EmulatedBoard board = board(count(Kind.LATE_INTERRUPT, 4, 1, 400_000_000));
        try (RknpuDevice device = board.open(RknpuOptions.DEFAULT);
                StepSet first = new StepSet(device, 6, SHAPE, 2, 1)) {
            StepSet second = new StepSet(device, 60, SHAPE, 2, 2);
            assertThat(device.begin(first.steps, options).end()).isEqualTo(6);
            assertThat(device.begin(second.steps, options).end()).isEqualTo(60);
            assertThat(second.right().cardinality()).isEqualTo(60);
            assertThat(device.counters().get(Recovery.LOST_DISPATCH)).isEqualTo(1);
            second.close();
            board.clock.advance(10_000_000);
            assertThat(device.begin(first.steps, options).end()).isEqualTo(6);
            assertThat(first.right().cardinality()).isEqualTo(6);
        }
        assertThat(board.report.faults()).isEmpty();
        board.assertNothingLeaked();
    }

    @Test
    void aChainThatNeverRunsFailsInTimeAndItsBuffersStayUntilAReset() {
        EmulatedBoard board = board(count(Kind.LOST_DISPATCH, 4, 1000, 0));
        try (RknpuDevice device = board.open(RknpuOptions.DEFAULT.withTimeoutMs(100))) {
            long before = board.clock.nanos();
            StepSet set = new StepSet(device, 8, SHAPE, 1, 2);
            assertThatThrownBy(() -> {
                        try (Chain chain = device.begin(set.steps)) {
                            chain.end();
                        }
                    })
                    .isInstanceOf(DeviceException.class);
            assertThat(board.clock.nanos() - before).isLessThan(10_000_000_000L);
            assertThat(device.counters().get(Recovery.PARKED)).isEqualTo(1);
            assertThatThrownBy(set.results::close).hasMessageContaining("in flight");
            board.driver.heal();
            assertThat(new ChainRun(device, 3).isRight()).isTrue();
            set.close();
        }
        board.assertNothingLeaked();
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void aResetByAnotherProcessCostsTimeAndNoResult(boolean oneSubmit) {
        EmulatedBoard board = board(count(Kind.FOREIGN_RESET, 5, 2, 0));
        try (RknpuDevice device = board.open(RknpuOptions.DEFAULT);
                StepSet set = new StepSet(device, 60, SHAPE, 2, 3)) {
            assertThat(device.begin(set.steps, TOGETHER.withOneSubmit(oneSubmit))
                            .end())
                    .isEqualTo(60);
            assertThat(set.right().cardinality()).isEqualTo(60);
        }
        board.assertNothingLeaked();
    }

    @Test
    void ourOwnResetEndsTheChainsOfOtherCoresAndTheyGoOn() {
        // A reset hits after 105 ms; the chain takes 113 ms.
        EmulatedBoard board = board();
        MatmulShape shape = new MatmulShape(MatmulType.INT8_INT32, 1, 4096, 256);
        try (RknpuDevice device = board.open(RknpuOptions.DEFAULT);
                StepSet set = new StepSet(device, 1024, shape, 1, 4);
                Chain chain = device.begin(set.steps, ChainOptions.DEFAULT.onCore(1))) {
            while (chain.progress() < 20) {
                chain.spin();
            }
            device.reset();
            assertThat(chain.remaining()).isPositive();
            assertThat(chain.end()).isEqualTo(1024);
            for (int i = 0; i < 1024; i += 31) {
                assertThat(set.isRight(i)).isTrue();
            }
            assertThat(device.counters().get(Recovery.RESET)).isEqualTo(1);
            assertThat(device.counters().get(Recovery.RESUBMITTED)).isEqualTo(1);
        }
        board.assertNothingLeaked();
    }

    @Test
    void aTimeoutOfABlockingJobDoesNotLeaveAChainHanging() {
        EmulatedBoard board = board(count(Kind.LOST_DISPATCH, 5, 1, 0));
        try (RknpuDevice device = board.open(RknpuOptions.DEFAULT.withTimeoutMs(20));
                StepSet set = new StepSet(device, 40, new MatmulShape(MatmulType.INT8_INT32, 1, 512, 512), 1, 5);
                Chain chain = device.begin(set.steps, ChainOptions.DEFAULT.onCore(0))) {
            // Its first dispatch is lost; the driver resets all cores, also the one of the chain.
            assertThat(new ChainRun(device, 1).isRight()).isTrue();
            assertThat(chain.end()).isEqualTo(40);
            assertThat(set.right().cardinality()).isEqualTo(40);
        }
        board.assertNothingLeaked();
    }

    /** A NONBLOCK submit resets a device whose job is older than its timeout number, in microseconds (Q21). */
    @Test
    void noSubmitResetsTheDeviceByAccident() {
        EmulatedBoard board = board();
        MatmulShape wide = new MatmulShape(MatmulType.INT8_INT32, 1, 4096, 1024);
        try (RknpuDevice device = board.open(RknpuOptions.DEFAULT);
                StepSet set = new StepSet(device, 64, wide, 1, 6);
                Chain chain = device.begin(set.steps)) {
            board.clock.advance(20_000_000);
            assertThat(chain.remaining()).isPositive();
            assertThat(device.begin(set.steps.subList(0, 2), ChainOptions.DEFAULT.onCore(1))
                            .end())
                    .isEqualTo(2);
            chain.end();
            assertThat(board.log.contains("soft reset")).isFalse();
        }
        board.assertNothingLeaked();
    }

    @ParameterizedTest
    @ValueSource(ints = {Errno.EINVAL, Errno.EBUSY, Errno.EINTR})
    void transientRefusalsAreTriedAgain(int errno) {
        EmulatedBoard board = board(count(Kind.SUBMIT_ERRNO, 4, 7, errno));
        try (RknpuDevice device = board.open(RknpuOptions.DEFAULT);
                StepSet set = new StepSet(device, 6, SHAPE, 1, 7)) {
            assertThat(device.begin(set.steps, 3).end()).isEqualTo(6);
            assertThat(set.right().cardinality()).isEqualTo(6);
            assertThat(device.counters().get(Recovery.TRANSIENT)).isEqualTo(7);
        }
        board.assertNothingLeaked();
    }

    @Test
    void aRefusalThatStaysIsATypedFailureAndTheDeviceGoesOn() {
        EmulatedBoard board = board(count(Kind.SUBMIT_ERRNO, 5, 21, Errno.EINVAL));
        try (RknpuDevice device = board.open(RknpuOptions.DEFAULT);
                StepSet set = new StepSet(device, 6, SHAPE, 1, 8)) {
            assertThatThrownBy(() -> device.begin(set.steps, 3)).isInstanceOf(DeviceException.Rejected.class);
            assertThat(device.begin(set.steps, 3).end()).isEqualTo(6);
            assertThat(set.right().cardinality()).isEqualTo(6);
        }
        board.assertNothingLeaked();
    }

    @ParameterizedTest
    @MethodSource("few")
    void randomChainsUnderRandomFaults(long seed) {
        random(seed);
    }

    @Tag("slow")
    @ParameterizedTest
    @MethodSource("many")
    void manyRandomChainsUnderRandomFaults(long seed) {
        random(seed);
    }

    private static void random(long seed) {
        RandomStream random = new RandomStream(seed).derive("chain");
        List<Fault> faults = faults(random);
        Rk3588Options options = Rk3588Options.standard()
                .withSeed(seed)
                .withHaltRetires(random.nextInt(2) == 0)
                .withFaults(new FaultPlan(faults));
        EmulatedBoard board = new EmulatedBoard(options, random.nextInt(2) == 0);
        String what = "faults " + faults + "; rerun with -Dportal.seed=" + seed;
        try (RknpuDevice device = open(board)) {
            MatmulShape shape =
                    new MatmulShape(MatmulType.INT8_INT32, 1 + random.nextInt(3), 512, 32 << random.nextInt(4));
            int steps = 1 + random.nextInt(30);
            try {
                if (random.nextInt(3) == 0) {
                    HaltProbe.measure(device, random.nextInt(3));
                }
            } catch (DeviceException expected) {
                assertThat(faults).as(what).isNotEmpty();
            }
            StepSet set = new StepSet(device, steps, shape, 1 + random.nextInt(3), seed);
            try {
                check(device, set, random, what);
            } catch (DeviceException failure) {
                assertThat(faults).as(what + ": " + failure).isNotEmpty();
            }
            // Heal, then everything must work again.
            board.driver.heal();
            assertThat(new ChainRun(device, 3).isRight()).as(what).isTrue();
            if (faults.isEmpty() && !options.haltRetires()) {
                assertThat(device.counters().get(Recovery.LOST_DISPATCH))
                        .as(what)
                        .isZero();
                assertThat(device.counters().get(Recovery.PARKED)).as(what).isZero();
            }
            set.close();
        }
        assertThat(board.report.faults()).as(what).allMatch(found -> !faults.isEmpty());
        board.assertNothingLeaked();
    }

    private static RknpuDevice open(EmulatedBoard board) {
        RknpuOptions options = RknpuOptions.DEFAULT.withTimeoutMs(50);
        try {
            return board.open(options);
        } catch (DeviceException e) {
            // The board was sick when it was opened; opening it failed with a typed error and left nothing behind.
            board.assertNothingLeaked();
            board.driver.heal();
            return board.open(options);
        }
    }

    private static void check(RknpuDevice device, StepSet set, RandomStream random, String what) {
        int steps = set.steps.size();
        int cores = 1 + random.nextInt(3);
        int firstCore = random.nextInt(4 - cores);
        ChainOptions options = new ChainOptions(firstCore, cores, false, random.nextInt(2) == 0);
        if (random.nextInt(3) == 0) {
            preempted(device, set, options, random, what);
            return;
        }
        if (random.nextInt(3) == 0) {
            try (CompiledChain chain = device.compile(set.steps, options)) {
                for (int run = 0; run < 3; run++) {
                    chain.run();
                    assertThat(set.right().cardinality()).as(what).isEqualTo(steps);
                    set.renew();
                }
            }
            return;
        }
        try (Chain chain = device.begin(set.steps, options)) {
            int upTo = random.nextInt(steps + 1) - 1;
            while (chain.progress() < upTo) {
                chain.spin();
            }
            switch (random.nextInt(4)) {
                case 0 -> chain.stop(StopStrategy.DRAIN);
                case 1 -> chain.stop(StopStrategy.HALT);
                case 2 -> {
                    if (chain.cores() == 1) {
                        chain.halt(random.nextInt(steps));
                    }
                }
                default -> {}
            }
            chain.end();
            for (int i = 0; i < steps; i++) {
                if (chain.isDone(i)) {
                    assertThat(set.isRight(i)).as("step %d; %s", i, what).isTrue();
                }
            }
        }
    }

    /** A job that is asked to stop at random looks, each time until it obeys. */
    private static void preempted(
            RknpuDevice device, StepSet set, ChainOptions options, RandomStream random, String what) {
        StopStrategy[] strategies = StopStrategy.values();
        StopStrategy strategy = strategies[random.nextInt(strategies.length)];
        double eagerness = 0.02 + 0.3 * random.nextDouble();
        Preemption flag = () -> random.nextDouble() < eagerness;
        try (CompiledChain chain = device.compile(set.steps, options)) {
            ChainJob job = new ChainJob(chain, NpuWorkload.LLM, NpuPriority.LOW, strategy, 1 + random.nextInt(5));
            int calls = 0;
            while (job.execute(flag) instanceof NpuJobResult.Yielded) {
                calls++;
                assertThat(calls).as("every call gets a step done; %s", what).isLessThanOrEqualTo(set.steps.size());
            }
            assertThat(set.right().cardinality()).as(what).isEqualTo(set.steps.size());
        }
    }

    private static List<Fault> faults(RandomStream random) {
        List<Fault> faults = new ArrayList<>();
        Kind[] kinds = {
            Kind.LOST_DISPATCH,
            Kind.LATE_INTERRUPT,
            Kind.COLD_FIRST_PASS,
            Kind.SUBMIT_ERRNO,
            Kind.FOREIGN_RESET,
            Kind.IOMMU_FAULT,
            Kind.DIRTY_LINE_EVICTION
        };
        for (Kind kind : kinds) {
            if (random.nextInt(4) != 0) {
                continue;
            }
            long amount = switch (kind) {
                case LATE_INTERRUPT -> 1000L << random.nextInt(16);
                case SUBMIT_ERRNO -> random.nextInt(2) == 0 ? Errno.EINVAL : Errno.EBUSY;
                default -> 0;
            };
            Trigger trigger = random.nextInt(2) == 0
                    ? new Trigger.Count(1 + random.nextInt(40), 1 + random.nextInt(2))
                    : new Trigger.Ratio(0.002 + 0.05 * random.nextDouble());
            faults.add(new Fault(kind, trigger, amount));
        }
        return faults;
    }

    /** A short chain on every core. */
    private record ChainRun(RknpuDevice device, int cores) {
        boolean isRight() {
            try (StepSet set = new StepSet(device, 12, SHAPE, 1, 99)) {
                ChainOptions options =
                        cores == 1 ? ChainOptions.DEFAULT.onCore(2) : ChainOptions.DEFAULT.withCores(cores);
                return device.begin(set.steps, options).end() == 12
                        && set.right().cardinality() == 12;
            }
        }
    }
}
