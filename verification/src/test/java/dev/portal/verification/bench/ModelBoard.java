package dev.portal.verification.bench;

import dev.portal.base.VirtualClock;
import dev.portal.emulator.EmulatedKernel;
import dev.portal.emulator.KernelLog;
import dev.portal.emulator.ModelReport;
import dev.portal.emulator.rk3588.Rk3588Options;
import dev.portal.emulator.rk3588.RknpuDriver;
import dev.portal.rknpu.Chain;
import dev.portal.rknpu.ChainOptions;
import dev.portal.rknpu.ChainStep;
import dev.portal.rknpu.CompiledChain;
import dev.portal.rknpu.DeviceBuffer;
import dev.portal.rknpu.DeviceBuffer.Use;
import dev.portal.rknpu.MatmulProgram;
import dev.portal.rknpu.MatmulShape;
import dev.portal.rknpu.MatmulType;
import dev.portal.rknpu.RknpuDevice;
import dev.portal.rknpu.RknpuOptions;
import dev.portal.rknpu.Submission;
import dev.portal.rknpu.SubmissionQueue;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;

/** The seed's tables on the emulated board: times are the model's, the host's work is not in them. */
final class ModelBoard implements AutoCloseable {
    /** The seed's shape: 262,144 bytes of weights a program. */
    private static final MatmulShape SHAPE = new MatmulShape(MatmulType.INT8_INT32, 1, 512, 512);

    private static final int CORES = 3;

    /** The model commits a blocking job 20 us after its call. */
    private static final long COMMITTED_NANOS = 21_000;

    private final VirtualClock clock = new VirtualClock();
    private final RknpuDevice device;
    private final DeviceBuffer weights;
    private final DeviceBuffer results;
    private final List<ChainStep> steps = new ArrayList<>();

    ModelBoard(int count) {
        RknpuDriver driver = new RknpuDriver(clock, Rk3588Options.standard(), new KernelLog(), new ModelReport());
        device = RknpuDevice.open(new EmulatedKernel(List.of(driver)), clock, RknpuOptions.DEFAULT);
        weights = device.allocate(SHAPE.bBytes(), Use.DATA);
        results = device.allocate(count * SHAPE.cBytes(), Use.DATA);
        for (int i = 0; i < count; i++) {
            MemorySegment a = MemorySegment.ofArray(new byte[SHAPE.k()]);
            steps.add(new ChainStep(SHAPE, a, weights, 0, results, i * SHAPE.cBytes()));
        }
    }

    private long took(Runnable work) {
        work.run();
        long start = clock.nanos();
        work.run();
        return clock.nanos() - start;
    }

    /** All steps through a queue of one chunk. */
    long queue(int cores) {
        return queue(ChainOptions.DEFAULT.withCores(cores));
    }

    /** All steps through a queue of one chunk, on three cores that get it with one submit. */
    long queueWithOneSubmit() {
        return queue(ChainOptions.DEFAULT.withCores(CORES).withOneSubmit(true));
    }

    private long queue(ChainOptions options) {
        return took(() -> {
            try (SubmissionQueue queue =
                    new SubmissionQueue(device, steps.size(), options, SubmissionQueue.LINGER_NANOS)) {
                steps.forEach(queue::push);
                queue.drain();
            }
        });
    }

    /** One chain, begun and ended. */
    long chain(int cores) {
        return took(() -> {
            try (Chain chain = device.begin(steps, cores)) {
                chain.end();
            }
        });
    }

    /** One run of it, compiled. */
    long compiled(int cores) {
        return compiled(ChainOptions.DEFAULT.withCores(cores));
    }

    /** One run of it, compiled for three cores that get it with one submit. */
    long compiledWithOneSubmit() {
        return compiled(ChainOptions.DEFAULT.withCores(CORES).withOneSubmit(true));
    }

    private long compiled(ChainOptions options) {
        try (CompiledChain chain = device.compile(steps, options)) {
            return took(chain::run);
        }
    }

    /**
     * Three blocking jobs side by side, each in a thread of its own on a board. Here one thread has all three: each begins
     * once the one before it is committed, and waits inside its wait.
     */
    long blockingStream() {
        List<Submission> jobs = new ArrayList<>();
        MatmulProgram program = MatmulProgram.rowMajor(SHAPE);
        for (int core = 0; core < CORES; core++) {
            Submission job = new Submission(device, core, steps.size());
            int to = steps.size() * (core + 1) / CORES;
            for (int i = steps.size() * core / CORES; i < to; i++) {
                job.encode(program, results.iova(), weights.iova(), results.iova() + i * SHAPE.cBytes());
            }
            jobs.add(job);
        }
        long took = took(() -> {
            List<DeviceBuffer> operands = List.of(weights, results);
            for (int core = 1; core < CORES; core++) {
                Submission job = jobs.get(core);
                clock.at(clock.nanos() + core * COMMITTED_NANOS, () -> job.run(operands));
            }
            jobs.getFirst().run(operands);
        });
        jobs.forEach(Submission::close);
        return took;
    }

    @Override
    public void close() {
        results.close();
        weights.close();
        device.close();
    }
}
