package dev.portal.verification.bench;

import com.sun.management.ThreadMXBean;
import dev.portal.base.SystemClock;
import dev.portal.rknpu.ChainStep;
import dev.portal.rknpu.CompiledChain;
import dev.portal.rknpu.DeviceBuffer;
import dev.portal.rknpu.DeviceBuffer.Use;
import dev.portal.rknpu.MatmulShape;
import dev.portal.rknpu.MatmulType;
import dev.portal.rknpu.ProgramPool;
import dev.portal.rknpu.RknpuDevice;
import dev.portal.rknpu.RknpuOptions;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** The host's work for a chain of 16 steps, on a board that takes no time. */
final class HostCosts implements AutoCloseable {
    static final int STEPS = 16;

    private static final MatmulShape SHAPE = new MatmulShape(MatmulType.INT8_INT32, 1, 512, 512);
    private static final int BATCHES = 200;
    private static final int BATCH = 500;

    private final ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    private final NullBoard board;
    private final RknpuDevice device;
    private final DeviceBuffer weights;
    private final DeviceBuffer results;
    private final List<ChainStep> steps = new ArrayList<>();

    HostCosts(boolean cacheInstructions) {
        board = new NullBoard(cacheInstructions);
        RknpuOptions options = new RknpuOptions(
                Optional.of(NullBoard.NODE), 6000, 0, false, false, RknpuOptions.DEFAULT.omittedSyncs());
        device = RknpuDevice.open(board, new SystemClock(), options);
        weights = device.allocate(SHAPE.bBytes(), Use.DATA);
        results = device.allocate(STEPS * SHAPE.cBytes(), Use.DATA);
        for (int i = 0; i < STEPS; i++) {
            MemorySegment a = MemorySegment.ofArray(new byte[SHAPE.k()]);
            steps.add(new ChainStep(SHAPE, a, weights, 0, results, i * SHAPE.cBytes()));
        }
        MemorySegment words = results.memory();
        board.submitted = () -> {
            for (int i = 0; i < STEPS; i++) {
                words.set(ValueLayout.JAVA_INT, (i + 1) * SHAPE.cBytes() - 4, 0);
            }
        };
    }

    /** Nanoseconds of a chain that is built, run and ended, the board's time being nothing. */
    double builtEachTime() {
        return best(() -> device.begin(steps).end());
    }

    /** Nanoseconds of one run of the same chain, compiled. */
    double compiled() {
        try (CompiledChain chain = device.compile(steps)) {
            return best(chain::run);
        }
    }

    /** Nanoseconds of compiling it. */
    double compiling() {
        return best(() -> device.compile(steps).close());
    }

    /** Nanoseconds of a token that links 8 of 64 compiled experts. */
    double pool() {
        int experts = 64;
        List<ChainStep> programs = new ArrayList<>();
        MemorySegment token = MemorySegment.ofArray(new byte[SHAPE.k()]);
        try (DeviceBuffer c = device.allocate(experts * SHAPE.cBytes(), Use.DATA)) {
            for (int i = 0; i < experts; i++) {
                programs.add(new ChainStep(SHAPE, token, weights, 0, c, i * SHAPE.cBytes()));
            }
            MemorySegment words = c.memory();
            Runnable before = board.submitted;
            board.submitted = () -> {
                for (int i = 0; i < experts; i++) {
                    words.set(ValueLayout.JAVA_INT, (i + 1) * SHAPE.cBytes() - 4, 0);
                }
            };
            int[] chosen = new int[8];
            int[] at = {0};
            try (ProgramPool pool = device.pool(programs, 1)) {
                return best(() -> {
                    at[0]++;
                    for (int i = 0; i < chosen.length; i++) {
                        chosen[i] = (at[0] * 7 + i * 9) % experts;
                    }
                    pool.run(chosen);
                });
            } finally {
                board.submitted = before;
            }
        }
    }

    /** Bytes that a compiled run allocates on the heap, once it is warm. */
    double bytesOfACompiledRun() {
        try (CompiledChain chain = device.compile(steps)) {
            for (int i = 0; i < 10 * BATCH; i++) {
                chain.run();
            }
            long before = threads.getCurrentThreadAllocatedBytes();
            for (int i = 0; i < BATCH; i++) {
                chain.run();
            }
            return (threads.getCurrentThreadAllocatedBytes() - before) / (double) BATCH;
        }
    }

    /** The best of many batches, of the thread's own processor time: a busy machine only adds to it. */
    private double best(Runnable work) {
        double best = Double.MAX_VALUE;
        for (int i = 0; i < BATCHES; i++) {
            long start = threads.getCurrentThreadCpuTime();
            for (int j = 0; j < BATCH; j++) {
                work.run();
            }
            best = Math.min(best, (threads.getCurrentThreadCpuTime() - start) / (double) BATCH);
        }
        return best;
    }

    @Override
    public void close() {
        results.close();
        weights.close();
        device.close();
    }
}
