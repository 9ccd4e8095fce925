package dev.portal.rknpu;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.portal.base.RandomStream;
import dev.portal.base.VirtualClock;
import dev.portal.hardware.rk3588.RknpuAbi;
import dev.portal.hardware.rk3588.RknpuSubcoreTask;
import dev.portal.hardware.rk3588.RknpuSubmit;
import dev.portal.kernel.Answer;
import dev.portal.rknpu.DeviceBuffer.Use;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What chains of several cores hand to the driver; a scripted kernel rings every doorbell in the call. */
class OneSubmitTest {
    private static final MatmulShape SHAPE = new MatmulShape(MatmulType.INT8_INT32, 1, 512, 32);
    private static final int NONBLOCK = RknpuAbi.JOB_PC | RknpuAbi.JOB_PINGPONG | RknpuAbi.JOB_NONBLOCK;

    static LongStream seeds() {
        Long given = Long.getLong("portal.seed");
        return given == null ? LongStream.rangeClosed(1, 60) : LongStream.of(given);
    }

    /** What was submitted for chains of random lengths on random cores covers each step once, in jobs that are started. */
    @ParameterizedTest
    @MethodSource("seeds")
    void theRangesOfAJobAreTheStepsOfItsCores(long seed) {
        RandomStream random = new RandomStream(seed).derive("one submit");
        int steps = 1 + random.nextInt(40);
        int cores = 1 + random.nextInt(3);
        int firstCore = random.nextInt(4 - cores);
        boolean oneSubmit = random.nextInt(3) != 0;
        String what = steps + " steps on " + cores + " cores from " + firstCore + ", one submit " + oneSubmit
                + "; rerun with -Dportal.seed=" + seed;
        ChainOptions options = new ChainOptions(firstCore, cores, false, oneSubmit);
        List<RknpuSubmit> submitted = submitted(steps, options);
        int used = Math.min(cores, steps);
        boolean together = oneSubmit && firstCore == 0;
        assertThat(submitted).as(what).hasSize(together ? 1 : used);
        int total = 0;
        for (RknpuSubmit submit : submitted) {
            int mask = submit.coreMask();
            assertThat(mask).as(what).isIn(1, 2, 3, 4, 7);
            assertThat(submit.flags()).as(what).isEqualTo(NONBLOCK);
            assertThat(submit.timeout()).as(what).isEqualTo(SubmitCall.ASYNC_TIMEOUT);
            int next = submit.taskStart();
            for (int core = 0; core < 3; core++) {
                if ((mask >>> core & 1) != 0) {
                    RknpuSubcoreTask range = submit.subcoreTask(mask == 7 ? core + 2 : core);
                    int own = core - firstCore;
                    assertThat(range.taskStart()).as(what).isEqualTo(next);
                    assertThat(range.taskNumber())
                            .as(what)
                            .isEqualTo((own + 1) * steps / used - own * steps / used)
                            .isPositive();
                    next += range.taskNumber();
                }
            }
            assertThat(submit.taskNumber()).as(what).isEqualTo(next - submit.taskStart());
            total += submit.taskNumber();
        }
        assertThat(total).as(what).isEqualTo(steps);
    }

    private static List<RknpuSubmit> submitted(int count, ChainOptions options) {
        ScriptedKernel kernel = ScriptedKernel.board();
        try (RknpuDevice device = RknpuDevice.open(kernel, new VirtualClock(), RknpuOptions.DEFAULT.withoutWarmUp());
                DeviceBuffer weights = device.allocate(SHAPE.bBytes(), Use.DATA);
                DeviceBuffer results = device.allocate(count * SHAPE.cBytes(), Use.DATA)) {
            List<ChainStep> steps = new ArrayList<>();
            for (int i = 0; i < count; i++) {
                MemorySegment a = MemorySegment.ofArray(new byte[SHAPE.k()]);
                steps.add(new ChainStep(SHAPE, a, weights, 0, results, i * SHAPE.cBytes()));
            }
            MemorySegment doorbells = results.memory();
            kernel.submit = () -> {
                doorbells.fill((byte) 0);
                return Answer.of(0);
            };
            try (CompiledChain chain = device.compile(steps, options)) {
                chain.begin();
                List<RknpuSubmit> submitted = List.copyOf(kernel.submitted);
                chain.end();
                // Behind it comes a fence for each core, which rings in memory of its own.
                kernel.submit = () -> Answer.of(0);
                return submitted;
            }
        }
    }

    @Test
    void everyEntryThatTheDriverMightReadHasTasks() {
        for (RknpuSubmit submit : submitted(9, ChainOptions.DEFAULT.withCores(2).withOneSubmit(true))) {
            for (int entry = 0; entry < 3; entry++) {
                assertThat(submit.subcoreTask(entry).taskNumber()).isPositive();
            }
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 5, 6})
    void aJobForCoresThatTheDriverNeverStartsIsRefused(int mask) {
        ScriptedKernel kernel = ScriptedKernel.board();
        try (RknpuDevice device = RknpuDevice.open(kernel, new VirtualClock(), RknpuOptions.DEFAULT.withoutWarmUp());
                DeviceBuffer tasks = device.allocate(4096, Use.TASKS);
                SubmitCall call = new SubmitCall(device, tasks)) {
            assertThat(SubmitCall.isOneJob(mask)).isFalse();
            assertThatThrownBy(() -> call.severalCores(mask, 2)).hasMessageContaining("submit a job a core");
        }
    }
}
