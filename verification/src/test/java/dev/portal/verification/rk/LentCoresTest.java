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
import dev.portal.rknpu.ChainJob;
import dev.portal.rknpu.ChainOptions;
import dev.portal.rknpu.CompiledChain;
import dev.portal.rknpu.Counters.Recovery;
import dev.portal.rknpu.HaltProbe;
import dev.portal.rknpu.MatmulShape;
import dev.portal.rknpu.MatmulType;
import dev.portal.rknpu.RknpuDevice;
import dev.portal.rknpu.RknpuOptions;
import dev.portal.rknpu.StopStrategy;
import dev.portal.scheduler.CoreLoans;
import dev.portal.scheduler.NpuJobResult;
import dev.portal.scheduler.NpuPriority;
import dev.portal.scheduler.NpuWorkload;
import dev.portal.scheduler.Preemption;
import java.util.function.BooleanSupplier;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** A chain of several cores under an arbiter that lends what is idle and wants it back. */
class LentCoresTest {
    private static final MatmulShape SHAPE = new MatmulShape(MatmulType.INT8_INT32, 1, 512, 128);
    private static final int EVERY_CORE = 0b111;

    static LongStream few() {
        return seeds(40);
    }

    static LongStream many() {
        return seeds(500);
    }

    private static LongStream seeds(int count) {
        Long given = Long.getLong("portal.seed");
        return given == null ? LongStream.rangeClosed(1, count) : LongStream.of(given);
    }

    /** An arbiter's side of the loans: lends idle cores, and checks that the job keeps to what it was given. */
    private static final class Lender implements CoreLoans {
        final int own;
        int idle;
        int lent;
        int wanted;
        int loans;

        /** What a lane does that got its core back. */
        Runnable arrived = () -> {};

        /** Whether a look finds somebody who waits for a lent core. */
        BooleanSupplier arrival = () -> false;

        Lender(int own, int idle) {
            this.own = own;
            this.idle = idle & ~own;
        }

        @Override
        public int own() {
            return own;
        }

        @Override
        public int borrow(int cores) {
            assertThat(cores & (own | lent))
                    .as("cores that the job has already")
                    .isZero();
            int granted = cores & idle & ~wanted;
            lent |= granted;
            loans += Integer.bitCount(granted);
            return granted;
        }

        @Override
        public int wanted() {
            if (lent != 0 && arrival.getAsBoolean()) {
                wanted |= Integer.lowestOneBit(lent);
            }
            return wanted;
        }

        @Override
        public void giveBack(int cores) {
            assertThat(cores & ~lent).as("cores that the job never had").isZero();
            lent &= ~cores;
            if ((wanted & cores) != 0) {
                wanted &= ~cores;
                arrived.run();
            }
        }
    }

    private static Preemption flag(BooleanSupplier requested, CoreLoans loans) {
        return new Preemption() {
            @Override
            public boolean requested() {
                return requested.getAsBoolean();
            }

            @Override
            public CoreLoans loans() {
                return loans;
            }
        };
    }

    private static EmulatedBoard board(Fault... faults) {
        return EmulatedBoard.with(faults);
    }

    private static ChainOptions three(boolean oneSubmit) {
        return ChainOptions.DEFAULT.withCores(3).withOneSubmit(oneSubmit);
    }

    /** Cores that refuse another chain now. */
    private static int taken(RknpuDevice device, StepSet other) {
        int mask = 0;
        for (int core = 0; core < 3; core++) {
            try {
                assertThat(device.begin(other.steps, ChainOptions.DEFAULT.onCore(core))
                                .end())
                        .isEqualTo(other.steps.size());
            } catch (DeviceException.Busy e) {
                mask |= 1 << core;
            }
        }
        return mask;
    }

    /** The core of its lane, whatever core the chain was compiled for; others only as they are lent. */
    @ParameterizedTest
    @CsvSource({"4,0,4", "4,3,7", "4,1,5", "4,2,6", "1,6,7", "2,0,2"})
    void onlyItsOwnCoreAndThoseThatAreLentAreUsed(int own, int idle, int used) {
        for (boolean oneSubmit : new boolean[] {false, true}) {
            EmulatedBoard board = board();
            try (RknpuDevice device = board.open(RknpuOptions.DEFAULT);
                    StepSet set = new StepSet(device, 30, SHAPE, 2, 1);
                    StepSet other = new StepSet(device, 2, SHAPE, 1, 2);
                    CompiledChain chain = device.compile(set.steps, three(oneSubmit))) {
                Lender lender = new Lender(own, idle);
                int[] seen = {0, 0};
                Preemption flag = flag(
                        () -> {
                            if (seen[0]++ == 0) {
                                seen[1] = taken(device, other);
                            }
                            return false;
                        },
                        lender);
                ChainJob job = new ChainJob(chain, NpuWorkload.LLM, StopStrategy.DRAIN);
                assertThat(job.execute(flag)).isEqualTo(NpuJobResult.DONE);
                assertThat(seen[1]).isEqualTo(used);
                assertThat(set.right().cardinality()).isEqualTo(30);
                assertThat(lender.lent).isZero();
                assertThat(lender.loans).isGreaterThanOrEqualTo(Integer.bitCount(idle));
                assertThat(device.counters().get(Recovery.RESET)).isZero();
            }
            assertThat(board.report.faults()).isEmpty();
            board.assertNothingLeaked();
        }
    }

    @Test
    void aChainOfOneCoreBorrowsNothingAndRunsInItsLane() {
        EmulatedBoard board = board();
        try (RknpuDevice device = board.open(RknpuOptions.DEFAULT);
                StepSet set = new StepSet(device, 10, SHAPE, 1, 1);
                CompiledChain chain = device.compile(set.steps)) {
            Lender lender = new Lender(4, EVERY_CORE);
            new ChainJob(chain, NpuWorkload.LLM, StopStrategy.DRAIN).execute(flag(() -> false, lender));
            assertThat(lender.loans).isZero();
            assertThat(set.right().cardinality()).isEqualTo(10);
            set.wipe();
            // Without an arbiter it is on the core that it was compiled for, again.
            chain.run();
            assertThat(set.right().cardinality()).isEqualTo(10);
        }
        board.assertNothingLeaked();
    }

    /** A job of the other lane arrives while the chain runs: it gets its core within a few programs, the chain goes on. */
    @ParameterizedTest
    @CsvSource({"DRAIN,false", "DRAIN,true", "CHUNK,false", "CHUNK,true", "HALT,false", "HALT,true"})
    void aLentCoreGoesBackAtAProgramBoundaryAndTheChainGoesOnWithoutYielding(StopStrategy strategy, boolean oneSubmit) {
        EmulatedBoard board = new EmulatedBoard(Rk3588Options.standard().withHaltRetires(true));
        try (RknpuDevice device = board.open(RknpuOptions.DEFAULT);
                StepSet set = new StepSet(device, 120, SHAPE, 2, 1);
                StepSet other = new StepSet(device, 3, SHAPE, 1, 2);
                CompiledChain chain = device.compile(set.steps, three(oneSubmit))) {
            HaltProbe.measure(device, 0);
            Lender lender = new Lender(4, EVERY_CORE);
            long begun = board.clock.nanos();
            long[] wantedAt = {-1, -1};
            lender.arrival = () -> {
                boolean now = wantedAt[0] < 0 && board.clock.nanos() - begun >= 200_000;
                if (now) {
                    wantedAt[0] = board.clock.nanos();
                }
                return now;
            };
            ChainJob job = new ChainJob(chain, NpuWorkload.LLM, NpuPriority.LOW, strategy, 4);
            lender.arrived = () -> {
                wantedAt[1] = board.clock.nanos();
                // Core 0 is the one that was wanted: the lowest.
                device.begin(other.steps, ChainOptions.DEFAULT.onCore(0)).end();
            };
            assertThat(job.execute(flag(() -> false, lender))).isEqualTo(NpuJobResult.DONE);
            assertThat(wantedAt[1] - wantedAt[0]).isBetween(0L, job.segmentNanos());
            assertThat(job.returns()).isPositive();
            assertThat(job.stops()).isZero();
            assertThat(lender.lent).isZero();
            assertThat(set.right().cardinality()).isEqualTo(120);
            assertThat(other.right().cardinality()).isEqualTo(3);
            assertThat(device.counters().get(Recovery.RESET)).isZero();
        }
        assertThat(board.report.faults()).isEmpty();
        board.assertNothingLeaked();
    }

    /** The driver may own the cores of one job until the last has ended (spec 8.3), so that they go back together. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void aCoreWithNothingLeftToDoGoesBackAtOnceUnlessItSharesAJob(boolean oneSubmit) {
        EmulatedBoard board = board();
        MatmulShape large = new MatmulShape(MatmulType.INT8_INT32, 1, 4096, 1024);
        try (RknpuDevice device = board.open(RknpuOptions.DEFAULT);
                StepSet small = new StepSet(device, 1, SHAPE, 1, 1);
                StepSet others = new StepSet(device, 2, large, 1, 2);
                CompiledChain chain = device.compile(
                        Stream.concat(small.steps.stream(), others.steps.stream())
                                .toList(),
                        three(oneSubmit))) {
            Lender lender = new Lender(4, EVERY_CORE);
            ChainJob job = new ChainJob(chain, NpuWorkload.LLM, StopStrategy.DRAIN);
            int[] doneWhenItArrived = {-1};
            lender.arrival = () -> doneWhenItArrived[0] < 0 && job.stepsDone() > 0;
            lender.arrived = () -> doneWhenItArrived[0] = job.stepsDone();
            assertThat(job.execute(flag(() -> false, lender))).isEqualTo(NpuJobResult.DONE);
            assertThat(doneWhenItArrived[0]).isEqualTo(oneSubmit ? 3 : 1);
            assertThat(small.isRight(0) && others.isRight(0) && others.isRight(1))
                    .isTrue();
        }
        board.assertNothingLeaked();
    }

    @Test
    void everyCoreGoesBackWhenTheChainNeverEnds() {
        EmulatedBoard board = board(new Fault(Kind.LOST_DISPATCH, new Trigger.Count(4, 1_000), 0));
        try (RknpuDevice device = board.open(RknpuOptions.DEFAULT.withTimeoutMs(100));
                StepSet set = new StepSet(device, 30, SHAPE, 1, 1);
                StepSet other = new StepSet(device, 3, SHAPE, 1, 2);
                CompiledChain chain = device.compile(set.steps, three(false))) {
            Lender lender = new Lender(4, EVERY_CORE);
            ChainJob job = new ChainJob(chain, NpuWorkload.LLM, StopStrategy.DRAIN);
            assertThatThrownBy(() -> job.execute(flag(() -> false, lender))).isInstanceOf(DeviceException.class);
            assertThat(lender.lent).isZero();
            board.driver.heal();
            assertThat(taken(device, other)).isZero();
            assertThat(job.execute(flag(() -> false, lender))).isEqualTo(NpuJobResult.DONE);
            assertThat(set.right().cardinality()).isEqualTo(30);
        }
        board.assertNothingLeaked();
    }

    @Test
    void aFailureOfTheFlagLandsTheChainBeforeTheCoresGoBack() {
        EmulatedBoard board = board();
        try (RknpuDevice device = board.open(RknpuOptions.DEFAULT);
                StepSet set = new StepSet(device, 60, SHAPE, 1, 1);
                StepSet other = new StepSet(device, 3, SHAPE, 1, 2);
                CompiledChain chain = device.compile(set.steps, three(true))) {
            Lender lender = new Lender(4, EVERY_CORE);
            ChainJob job = new ChainJob(chain, NpuWorkload.LLM, StopStrategy.DRAIN);
            int[] looks = {0};
            BooleanSupplier failing = () -> {
                if (looks[0]++ == 2) {
                    throw new IllegalStateException("the processor's part failed");
                }
                return false;
            };
            assertThatThrownBy(() -> job.execute(flag(failing, lender))).hasMessage("the processor's part failed");
            assertThat(lender.lent).isZero();
            assertThat(taken(device, other)).isZero();
            assertThat(job.execute(flag(failing, lender))).isEqualTo(NpuJobResult.DONE);
            assertThat(set.right().cardinality()).isEqualTo(60);
        }
        assertThat(board.report.faults()).isEmpty();
        board.assertNothingLeaked();
    }

    @ParameterizedTest
    @MethodSource("few")
    void resultsAreThoseOfAnUndisturbedRunWhateverIsLentAndWanted(long seed) {
        random(seed);
    }

    @Tag("slow")
    @ParameterizedTest
    @MethodSource("many")
    void resultsAreThoseOfAnUndisturbedRunInManyRuns(long seed) {
        random(seed);
    }

    /** One call; a sick board may fail it, is healed, and the job goes on. */
    private static boolean isDone(ChainJob job, Preemption flag, EmulatedBoard board, boolean sick) {
        try {
            return !(job.execute(flag) instanceof NpuJobResult.Yielded);
        } catch (DeviceException e) {
            if (!sick) {
                throw e;
            }
            board.driver.heal();
            return false;
        }
    }

    private static void random(long seed) {
        RandomStream random = new RandomStream(seed).derive("loans");
        int cores = 1 + random.nextInt(3);
        ChainOptions options = new ChainOptions(random.nextInt(4 - cores), cores, false, random.nextInt(2) == 0);
        StopStrategy strategy = StopStrategy.values()[random.nextInt(3)];
        boolean retires = random.nextInt(2) == 0;
        int steps = 1 + random.nextInt(50);
        int own = 1 << random.nextInt(3);
        boolean sick = random.nextInt(4) == 0;
        Fault[] faults = sick
                ? new Fault[] {
                    new Fault(Kind.LOST_DISPATCH, new Trigger.Ratio(0.02), 0),
                    new Fault(Kind.FOREIGN_RESET, new Trigger.Ratio(0.02), 0)
                }
                : new Fault[0];
        String what = steps + " steps, " + options + ", " + strategy + ", own " + own + ", halt retires " + retires
                + ", faults " + sick + "; rerun with -Dportal.seed=" + seed;
        EmulatedBoard board = new EmulatedBoard(
                Rk3588Options.standard().withSeed(seed).withHaltRetires(retires).withFaults(FaultPlan.of(faults)));
        try (RknpuDevice device = board.open(RknpuOptions.DEFAULT.withTimeoutMs(50));
                StepSet set = new StepSet(device, steps, SHAPE, 1 + random.nextInt(3), seed);
                StepSet other = new StepSet(device, 1 + random.nextInt(4), SHAPE, 1, seed + 1);
                CompiledChain chain = device.compile(set.steps, options)) {
            if (retires && random.nextInt(2) == 0) {
                HaltProbe.measure(device, random.nextInt(3));
            }
            Lender lender = new Lender(own, random.nextInt(8));
            double arrivals = 0.3 * random.nextDouble();
            double stops = random.nextInt(2) == 0 ? 0 : 0.1 * random.nextDouble();
            lender.arrival = () -> {
                lender.idle = random.nextInt(8) & ~own;
                return random.nextDouble() < arrivals;
            };
            lender.arrived = () -> {
                other.wipe();
                int free = EVERY_CORE & ~(own | lender.lent);
                ChainOptions there = ChainOptions.DEFAULT.onCore(Integer.numberOfTrailingZeros(free));
                assertThat(device.begin(other.steps, there).end()).as(what).isEqualTo(other.steps.size());
                assertThat(other.right().cardinality()).as(what).isEqualTo(other.steps.size());
            };
            ChainJob job = new ChainJob(chain, NpuWorkload.LLM, NpuPriority.LOW, strategy, 1 + random.nextInt(5));
            Preemption flag = flag(() -> random.nextDouble() < stops, lender);
            for (int run = 0; run < 3; run++) {
                int calls = 0;
                while (!isDone(job, flag, board, sick)) {
                    calls++;
                    assertThat(calls)
                            .as("every call gets a step done; %s", what)
                            .isLessThanOrEqualTo(steps + 1);
                    assertThat(lender.lent).as(what).isZero();
                }
                assertThat(lender.lent).as(what).isZero();
                assertThat(set.right().cardinality()).as(what).isEqualTo(steps);
                set.renew();
            }
        }
        assertThat(board.log.contains("Unknown core mask")).as(what).isFalse();
        assertThat(board.report.faults()).as(what).allMatch(found -> sick);
        board.assertNothingLeaked();
    }
}
