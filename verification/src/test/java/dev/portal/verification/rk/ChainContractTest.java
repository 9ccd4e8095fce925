package dev.portal.verification.rk;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.portal.base.SystemClock;
import dev.portal.emulator.rk3588.Rk3588Options;
import dev.portal.kernel.DeviceException;
import dev.portal.kernel.LinuxKernel;
import dev.portal.rknpu.Chain;
import dev.portal.rknpu.ChainJob;
import dev.portal.rknpu.ChainOptions;
import dev.portal.rknpu.ChainStep;
import dev.portal.rknpu.CompiledChain;
import dev.portal.rknpu.Counters;
import dev.portal.rknpu.DeviceBuffer;
import dev.portal.rknpu.HaltBehaviour;
import dev.portal.rknpu.HaltProbe;
import dev.portal.rknpu.MatmulShape;
import dev.portal.rknpu.MatmulType;
import dev.portal.rknpu.ProgramPool;
import dev.portal.rknpu.ProgramRefusedException;
import dev.portal.rknpu.RknpuDevice;
import dev.portal.rknpu.RknpuOptions;
import dev.portal.rknpu.StopStrategy;
import dev.portal.rknpu.SubmissionQueue;
import dev.portal.scheduler.NpuJobResult;
import dev.portal.scheduler.NpuWorkload;
import dev.portal.scheduler.Preemption;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * What chains promise, on whatever is there: a board with {@code -Dportal.device=/dev/dri/renderD129}, otherwise the
 * emulated one. Nothing here asks the emulator for more than a board could tell.
 */
class ChainContractTest {
    private static final MatmulShape SHAPE = new MatmulShape(MatmulType.INT8_INT32, 1, 512, 32);

    /** Programs that take long enough to be stopped on a board. */
    private static final MatmulShape LONG = new MatmulShape(MatmulType.INT8_INT32, 1, 512, 512);

    private final Optional<String> node = Optional.ofNullable(System.getProperty("portal.device"));
    private RknpuDevice device;

    @BeforeAll
    static void sayWhereThisRuns() {
        System.out.println("contract of chains: on "
                + Optional.ofNullable(System.getProperty("portal.device"))
                        .orElse("the emulated board; -Dportal.device=/dev/dri/renderD129 runs it on a real one"));
    }

    @BeforeEach
    void open() {
        if (node.isEmpty()) {
            EmulatedBoard board = new EmulatedBoard(Rk3588Options.standard());
            device = board.open(RknpuOptions.DEFAULT);
        } else {
            RknpuOptions options = new RknpuOptions(
                    node,
                    RknpuOptions.DEFAULT.timeoutMs(),
                    RknpuOptions.DEFAULT.domain(),
                    true,
                    true,
                    RknpuOptions.DEFAULT.omittedSyncs());
            device = RknpuDevice.open(new LinuxKernel(), new SystemClock(), options);
        }
    }

    @AfterEach
    void close() {
        device.close();
    }

    private static ChainOptions on(int cores, boolean oneSubmit) {
        return ChainOptions.DEFAULT.withCores(cores).withOneSubmit(oneSubmit);
    }

    private static BitSet first(int count) {
        BitSet set = new BitSet();
        set.set(0, count);
        return set;
    }

    @ParameterizedTest
    @CsvSource({
        "1,1,false",
        "2,1,false",
        "16,1,false",
        "100,1,false",
        "1,2,false",
        "3,3,false",
        "16,2,false",
        "17,3,false",
        "100,3,false",
        "1,1,true",
        "1,2,true",
        "2,3,true",
        "3,3,true",
        "16,2,true",
        "17,3,true",
        "100,3,true",
        "1024,3,true"
    })
    void everyStepOfAChainIsRight(int steps, int cores, boolean oneSubmit) {
        try (StepSet set = new StepSet(device, steps, SHAPE, 3, 1)) {
            try (Chain chain = device.begin(set.steps, on(cores, oneSubmit))) {
                assertThat(chain.steps()).isEqualTo(steps);
                assertThat(chain.end()).isEqualTo(steps);
                assertThat(chain.progress()).isEqualTo(steps - 1);
                assertThat(chain.remaining()).isZero();
            }
            assertThat(set.right()).isEqualTo(first(steps));
        }
    }

    @Test
    void progressOnlyGrowsAndEachStepIsSeen() {
        try (StepSet set = new StepSet(device, 32, LONG, 1, 2);
                Chain chain = device.begin(set.steps)) {
            BitSet seen = new BitSet();
            int before = -1;
            while (chain.remaining() > 0) {
                int progress = chain.progress();
                assertThat(progress).isGreaterThanOrEqualTo(before);
                if (progress >= 0) {
                    seen.set(progress);
                    assertThat(chain.isDone(progress)).isTrue();
                }
                before = progress;
                chain.spin();
            }
            chain.end();
            // On a board the processor may be away for a while; most steps are seen nevertheless.
            assertThat(seen.cardinality()).isGreaterThan(16);
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 8, 14})
    void aHaltedChainComputesUpToItsHaltAndNoMore(int at) {
        try (StepSet set = new StepSet(device, 16, LONG, 1, 3)) {
            try (Chain chain = device.begin(set.steps)) {
                int last = chain.halt(at);
                assertThat(last).isBetween(at, at + 3);
                int done = chain.end();
                assertThat(done).isBetween(at + 1, last + 1);
                assertThat(set.right()).isEqualTo(first(done));
                for (int i = done; i < 16; i++) {
                    assertThat(set.isUntouched(i)).isTrue();
                }
            }
            // The device is usable at once, whatever the driver did with the halted job.
            set.wipe();
            device.begin(set.steps).end();
            assertThat(set.right()).isEqualTo(first(16));
        }
    }

    /** Cores 1 and 2 together would be core mask 6, which no driver ever starts. */
    @Test
    void coresThatTheDriverTakesNoOneJobForGetOneEach() {
        try (StepSet set = new StepSet(device, 20, SHAPE, 2, 19)) {
            assertThat(device.begin(set.steps, new ChainOptions(1, 2, false, true))
                            .end())
                    .isEqualTo(20);
            assertThat(set.right()).isEqualTo(first(20));
            assertThat(device.counters().get(Counters.Recovery.RESET)).isZero();
        }
    }

    @ParameterizedTest
    @EnumSource(StopStrategy.class)
    void coresThatShareAJobStopTogetherAndTheNextOneRuns(StopStrategy strategy) {
        if (strategy == StopStrategy.HALT) {
            HaltProbe.measure(device, 0);
        }
        try (StepSet set = new StepSet(device, 96, LONG, 1, 20)) {
            try (Chain chain = device.begin(set.steps, on(3, true))) {
                while (chain.progress() < 3) {
                    chain.spin();
                }
                chain.stop(strategy);
                chain.end();
                for (int i = 0; i < 96; i++) {
                    assertThat(set.isRight(i)).as("step %d", i).isEqualTo(chain.isDone(i));
                }
                if (strategy != StopStrategy.CHUNK) {
                    assertThat(set.right().cardinality()).isLessThan(60);
                }
            }
            set.wipe();
            device.begin(set.steps, on(3, true)).end();
            assertThat(set.right()).isEqualTo(first(96));
        }
    }

    @ParameterizedTest
    @EnumSource(StopStrategy.class)
    void aStoppedChainEndsInOrderAndTheNextOneRuns(StopStrategy strategy) {
        try (StepSet set = new StepSet(device, 64, LONG, 1, 4)) {
            int done;
            try (Chain chain = device.begin(set.steps)) {
                while (chain.progress() < 5) {
                    chain.spin();
                }
                chain.stop(strategy);
                done = chain.end();
            }
            assertThat(done).isBetween(6, strategy == StopStrategy.CHUNK ? 64 : 16);
            assertThat(set.right()).isEqualTo(first(done));
            set.wipe();
            device.begin(set.steps).end();
            assertThat(set.right()).isEqualTo(first(64));
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void drainingNeedsNoReset(boolean oneSubmit) {
        try (StepSet set = new StepSet(device, 64, LONG, 1, 5)) {
            try (Chain chain = device.begin(set.steps, on(3, oneSubmit))) {
                chain.stop(StopStrategy.DRAIN);
                chain.end();
            }
            set.wipe();
            device.begin(set.steps, on(3, oneSubmit)).end();
            assertThat(set.right()).isEqualTo(first(64));
            assertThat(device.counters().get(Counters.Recovery.RESET)).isZero();
        }
    }

    @ParameterizedTest
    @CsvSource({
        "2,512,64,3,false",
        "7,512,32,1,false",
        "64,512,32,2,false",
        "5,96,64,3,false",
        "1,8192,32,3,false",
        "1,32,8192,1,false",
        "2,512,64,3,true",
        "64,512,32,2,true",
        "1,8192,32,3,true"
    })
    void otherShapesRunOnSeveralCores(int m, int k, int n, int cores, boolean oneSubmit) {
        MatmulShape shape = new MatmulShape(MatmulType.INT8_INT32, m, k, n);
        try (StepSet set = new StepSet(device, 7, shape, 2, 6)) {
            assertThat(device.begin(set.steps, on(cores, oneSubmit)).end()).isEqualTo(7);
            assertThat(set.right()).isEqualTo(first(7));
        }
    }

    /** Memory that is not cached needs no sync; the processor sees each doorbell as it rings. */
    @Test
    void resultsMayLieInUncachedMemory() {
        try (StepSet set = new StepSet(device, 20, SHAPE, 2, 18);
                DeviceBuffer uncached = device.allocate(20 * SHAPE.cBytes(), DeviceBuffer.Use.UNCACHED)) {
            List<ChainStep> steps = new ArrayList<>();
            for (int i = 0; i < 20; i++) {
                ChainStep step = set.steps.get(i);
                steps.add(new ChainStep(SHAPE, step.a(), step.b(), 0, uncached, i * SHAPE.cBytes()));
            }
            assertThat(device.begin(steps, 3).end()).isEqualTo(20);
            assertThat(device.begin(set.steps, 3).end()).isEqualTo(20);
            assertThat(uncached.memory()
                            .asSlice(0, 20 * SHAPE.cBytes())
                            .mismatch(set.results.memory().asSlice(0, 20 * SHAPE.cBytes())))
                    .isEqualTo(-1);
        }
    }

    @ParameterizedTest
    @CsvSource({"512,16416,8192", "64,96,32", "512,8192,8192"})
    void moreColumnsThanAProgramDoesAreSeveralSteps(int k, int n, int most) {
        MatmulShape shape = new MatmulShape(MatmulType.INT8_INT32, 1, k, n);
        try (StepSet set = new StepSet(device, 2, shape, 2, 17)) {
            var parts = set.steps.stream()
                    .flatMap(step -> step.byColumns(most).stream())
                    .toList();
            assertThat(parts).hasSize(2 * Math.ceilDiv(n, most));
            assertThat(device.begin(parts, 3).end()).isEqualTo(parts.size());
            assertThat(set.right()).isEqualTo(first(2));
        }
    }

    @ParameterizedTest
    @CsvSource({"false,false", "true,false", "false,true", "true,true"})
    void halfPrecisionIsExactBothWays(boolean asynchronous, boolean oneSubmit) {
        MatmulShape shape = new MatmulShape(MatmulType.FP16_FP32, 2, 512, 256);
        try (StepSet set = new StepSet(device, 9, shape, 2, 7)) {
            ChainOptions options = on(3, oneSubmit).withAsynchronousHalf(asynchronous);
            try (Chain chain = device.begin(set.steps, options)) {
                assertThat(chain.progress()).isEqualTo(8);
                chain.end();
            }
            assertThat(set.right()).isEqualTo(first(9));
        }
    }

    @Test
    void theSeedsLimitsHoldForOneCore() {
        for (MatmulShape shape : new MatmulShape[] {
            new MatmulShape(MatmulType.INT8_INT32, 2, 512, 32),
            new MatmulShape(MatmulType.INT8_INT32, 1, 256, 32),
            new MatmulShape(MatmulType.INT8_INT32, 1, 4608, 32),
            new MatmulShape(MatmulType.FP16_FP32, 1, 512, 32)
        }) {
            try (StepSet set = new StepSet(device, 1, shape, 1, 8)) {
                assertThatThrownBy(() -> device.begin(set.steps))
                        .isInstanceOf(ProgramRefusedException.class)
                        .hasMessageContaining("begin(steps, cores)");
            }
        }
        assertThat(Chain.MAX_STEPS).isEqualTo(1024);
        try (StepSet set = new StepSet(device, 1025, SHAPE, 1, 8)) {
            assertThatThrownBy(() -> device.begin(set.steps)).hasMessageContaining("1 to 1024");
        }
    }

    @Test
    void aCoreHasOneChainAndItsBuffersStayOpen() {
        try (StepSet set = new StepSet(device, 16, LONG, 1, 9);
                Chain chain = device.begin(set.steps)) {
            assertThatThrownBy(() -> device.begin(set.steps))
                    .isInstanceOf(DeviceException.Busy.class)
                    .hasMessageContaining("core 0");
            assertThatThrownBy(set.results::close).hasMessageContaining("in flight");
            assertThatThrownBy(device::close).hasMessageContaining("in flight");
            try (Chain other = device.begin(set.steps.subList(0, 1), ChainOptions.DEFAULT.onCore(2))) {
                assertThat(other.end()).isEqualTo(1);
            }
            assertThatThrownBy(() -> device.begin(set.steps, 2)).isInstanceOf(DeviceException.Busy.class);
            assertThat(chain.end()).isEqualTo(16);
            try (Chain both = device.begin(set.steps, 2)) {
                assertThatThrownBy(() -> both.halt(3)).hasMessageContaining("one core");
            }
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void aCompiledChainRunsManyTimesOnOtherFeatures(boolean oneSubmit) {
        try (StepSet set = new StepSet(device, 16, SHAPE, 2, 10);
                CompiledChain chain = device.compile(set.steps, on(3, oneSubmit))) {
            for (int run = 0; run < 5; run++) {
                chain.run();
                assertThat(set.right()).isEqualTo(first(16));
                set.renew();
            }
        }
    }

    @Test
    void aCompiledChainIsInvalidOnceABufferOfItWasClosed() {
        StepSet set = new StepSet(device, 4, SHAPE, 2, 11);
        try (CompiledChain chain = device.compile(set.steps)) {
            chain.run();
            assertThat(chain.isValid()).isTrue();
            set.weights.getLast().close();
            assertThat(chain.isValid()).isFalse();
            assertThatThrownBy(chain::run).hasMessageContaining("Compile it again");
        }
        set.weights.getFirst().close();
        set.results.close();
    }

    @ParameterizedTest
    @CsvSource({"1,false", "3,false", "2,true", "3,true"})
    void aPoolLinksTheChosenExpertsOfEachToken(int cores, boolean oneSubmit) {
        int experts = 64;
        try (StepSet set = new StepSet(device, experts, SHAPE, 64, 12);
                ProgramPool pool = device.pool(set.steps, on(cores, oneSubmit))) {
            int[][] tokens = {
                {3, 17, 60, 5, 44, 9, 31, 0},
                {63, 62, 61, 60, 59, 58, 57, 56},
                {8, 1, 63, 30, 2, 40, 21, 12},
                {7},
                {7, 20}
            };
            for (int[] chosen : tokens) {
                set.renew();
                pool.run(chosen);
                BitSet expected = new BitSet();
                for (int expert : chosen) {
                    expected.set(expert);
                }
                assertThat(set.right()).isEqualTo(expected);
            }
            assertThatThrownBy(() -> pool.run(1, 2, 1)).hasMessageContaining("twice");
            assertThatThrownBy(() -> pool.run(64)).hasMessageContaining("not in the pool");
        }
    }

    @ParameterizedTest
    @CsvSource({"1,false", "3,false", "3,true"})
    void aQueueRunsEverythingInChunksWhileTheCallerWorks(int cores, boolean oneSubmit) {
        try (StepSet set = new StepSet(device, 100, SHAPE, 2, 13);
                SubmissionQueue queue =
                        new SubmissionQueue(device, 16, on(cores, oneSubmit), SubmissionQueue.LINGER_NANOS)) {
            assertThat(queue.isIdle()).isTrue();
            set.steps.forEach(queue::push);
            queue.drain();
            assertThat(queue.isIdle()).isTrue();
            assertThat(queue.pending()).isZero();
            assertThat(queue.done()).isEqualTo(100);
            assertThat(queue.chunks()).isBetween(7L, 100L);
            assertThat(set.right()).isEqualTo(first(100));
        }
    }

    @Test
    void aFullQueueRefusesUntilThereIsRoom() {
        try (StepSet set = new StepSet(device, 40, LONG, 1, 14);
                SubmissionQueue queue = new SubmissionQueue(device, 4, 1, 1_000_000_000)) {
            int taken = 0;
            while (queue.offer(set.steps.get(taken))) {
                taken++;
            }
            assertThat(taken).isBetween(queue.capacity(), 39);
            assertThat(queue.pending()).isGreaterThan(queue.capacity());
            queue.drain();
            assertThat(queue.offer(set.steps.get(taken))).isTrue();
            queue.flush();
            queue.drain();
            assertThat(queue.done()).isEqualTo(taken + 1);
        }
    }

    @Test
    void theProbeTellsWhatAHaltLeavesBehindAndTheDeviceRemembers() {
        assertThat(device.haltBehaviour()).isEqualTo(HaltBehaviour.UNKNOWN);
        HaltProbe.Finding finding = HaltProbe.measure(device, 0);
        assertThat(finding.computed()).isEqualTo(finding.haltedAfter() + 1);
        assertThat(device.haltBehaviour()).isEqualTo(finding.behaviour()).isNotEqualTo(HaltBehaviour.UNKNOWN);
        try (StepSet set = new StepSet(device, 16, SHAPE, 1, 15)) {
            assertThat(device.begin(set.steps, 3).end()).isEqualTo(16);
            assertThat(set.right()).isEqualTo(first(16));
        }
    }

    @ParameterizedTest
    @CsvSource({
        "HALT,1,false",
        "DRAIN,1,false",
        "CHUNK,1,false",
        "HALT,3,true",
        "DRAIN,3,true",
        "CHUNK,3,true",
        "DRAIN,3,false"
    })
    void aJobThatIsStoppedAgainAndAgainHasTheResultsOfAnUndisturbedRun(
            StopStrategy strategy, int cores, boolean oneSubmit) throws Exception {
        if (strategy == StopStrategy.HALT) {
            HaltProbe.measure(device, 0);
        }
        try (StepSet set = new StepSet(device, 24 * cores, LONG, 2, 16);
                CompiledChain chain = device.compile(set.steps, on(cores, oneSubmit))) {
            ChainJob job = new ChainJob(chain, NpuWorkload.LLM, strategy);
            int calls = 0;
            int before = 0;
            Preemption always = () -> true;
            while (job.execute(always) instanceof NpuJobResult.Yielded) {
                assertThat(job.stepsDone()).isGreaterThan(before);
                before = job.stepsDone();
                calls++;
            }
            assertThat(calls).isPositive();
            assertThat(set.right()).isEqualTo(first(24 * cores));
        }
    }
}
