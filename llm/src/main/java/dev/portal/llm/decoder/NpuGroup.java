package dev.portal.llm.decoder;

import dev.portal.kernel.DeviceException;
import dev.portal.rknpu.ChainJob;
import dev.portal.rknpu.ChainOptions;
import dev.portal.rknpu.ChainStep;
import dev.portal.rknpu.CompiledChain;
import dev.portal.rknpu.DeviceBuffer;
import dev.portal.rknpu.DeviceBuffer.Use;
import dev.portal.rknpu.MatmulShape;
import dev.portal.rknpu.MatmulType;
import dev.portal.rknpu.Packing;
import dev.portal.rknpu.RknpuDevice;
import dev.portal.rknpu.SyncPoint;
import dev.portal.scheduler.NpuJobResult;
import dev.portal.scheduler.NpuPriority;
import dev.portal.scheduler.NpuWorkload;
import dev.portal.scheduler.Preemption;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Matrices with the same activations as one compiled chain for a single token, and one for a batch.
 *
 * <pre>
 *   outputs    0 ............. share of the NPU ............. all
 *   core 0     [slice 0 of each matrix]
 *   core 1     [slice 1 of each matrix]      processor: the rest, between two looks at the doorbells
 *   core 2     [slice 2 of each matrix]
 * </pre>
 *
 * <p>A program takes at most {@link #MOST_DEPTH} inputs and {@link #MOST_COLUMNS} outputs (spec 6.3); deeper matrices are
 * cut, and the partial sums added here.
 */
final class NpuGroup implements LinearGroup, AutoCloseable {
    private static final int MOST_DEPTH = 2048;
    private static final int MOST_COLUMNS = 8192;
    /** Columns that the chip's weight tiles hold together. */
    private static final int COLUMN_GROUP = 32;

    private static final int LINE_BYTES = 64;

    private final RknpuDevice device;
    private final NpuBackend.NpuOptions options;
    private final CpuScratch scratch;
    private final NpuBackend.NpuWork work;
    private final List<Int8Weights> weights;
    private final List<Int8Linear> rest = new ArrayList<>();
    /** Outputs of each matrix that the NPU computes. */
    private final int[] npuOutputs;

    private final List<Tile> tiles = new ArrayList<>();
    private final int[] depthStarts;
    private final DeviceBuffer packed;
    private final long macs;
    private final long npuMacs;
    private @Nullable Program single;
    private @Nullable Program several;
    private @Nullable ChainJob job;
    private @Nullable Program running;

    /** A piece of a matrix: one program. */
    private record Tile(int matrix, int firstOutput, int outputs, int padded, int slice, int depth, long bOffset) {}

    /** A compiled chain with its operands for a number of rows. */
    private record Program(int rows, CompiledChain chain, byte[][] features, DeviceBuffer results, long[] offsets) {}

    NpuGroup(
            RknpuDevice device,
            NpuBackend.NpuOptions options,
            CpuScratch scratch,
            List<Int8Weights> weights,
            NpuBackend.NpuWork work) {
        this.device = device;
        this.options = options;
        this.scratch = scratch;
        this.weights = weights;
        this.work = work;
        npuOutputs = new int[weights.size()];
        int columns = weights.getFirst().columns();
        depthStarts = new int[Math.ceilDiv(columns, MOST_DEPTH) + 1];
        for (int i = 0; i < depthStarts.length; i++) {
            depthStarts[i] = Math.min(columns, i * MOST_DEPTH);
        }
        long all = 0;
        long ours = 0;
        for (int i = 0; i < npuOutputs.length; i++) {
            Int8Weights matrix = weights.get(i);
            npuOutputs[i] = share(matrix.outputs());
            all += (long) matrix.outputs() * matrix.columns();
            ours += (long) npuOutputs[i] * matrix.columns();
            rest.add(new Int8Linear(matrix, scratch));
        }
        macs = all;
        npuMacs = ours;
        packed = device.allocate(plan(), Use.DATA);
        pack();
    }

    /** Multiply-adds of one token. */
    long macs() {
        return macs;
    }

    /** Those of them that the NPU does. */
    long npuMacs() {
        return npuMacs;
    }

    private int share(int outputs) {
        if (options.share() == 1) {
            return outputs;
        }
        int whole = (int) Math.round(outputs * options.share() / COLUMN_GROUP) * COLUMN_GROUP;
        return Math.clamp(whole, Math.min(COLUMN_GROUP, outputs), outputs);
    }

    /** Cuts the matrices into programs, core by core; returns the bytes of their weights. */
    private long plan() {
        long bytes = 0;
        int slices = 1;
        for (int outputs : npuOutputs) {
            slices = Math.max(slices, Math.ceilDiv(outputs, MOST_COLUMNS));
        }
        // As many slices as cores, or a multiple, so that each core gets its part of every matrix.
        slices = Math.ceilDiv(slices, options.cores()) * options.cores();
        for (int slice = 0; slice < slices; slice++) {
            for (int matrix = 0; matrix < npuOutputs.length; matrix++) {
                int width = padded(Math.ceilDiv(npuOutputs[matrix], slices));
                int from = Math.min(npuOutputs[matrix], slice * width);
                int outputs = Math.min(width, npuOutputs[matrix] - from);
                for (int deep = 0; outputs > 0 && deep < depthStarts.length - 1; deep++) {
                    int depth = depthStarts[deep + 1] - depthStarts[deep];
                    tiles.add(new Tile(matrix, from, outputs, padded(outputs), deep, depth, bytes));
                    bytes += (long) depth * padded(outputs);
                }
            }
        }
        return bytes;
    }

    private static int padded(int outputs) {
        return Math.ceilDiv(outputs, COLUMN_GROUP) * COLUMN_GROUP;
    }

    private void pack() {
        for (Tile tile : tiles) {
            Int8Weights matrix = weights.get(tile.matrix);
            MatmulShape shape = new MatmulShape(MatmulType.INT8_INT32, 1, tile.depth, tile.padded);
            long from = (long) tile.firstOutput * matrix.columns() + depthStarts[tile.slice];
            MemorySegment to = packed.memory().asSlice(tile.bOffset, shape.bBytes());
            Packing.b(shape, matrix.values().asSlice(from), matrix.columns(), tile.depth, tile.outputs, to);
        }
        packed.toDevice(SyncPoint.WEIGHTS_TO_DEVICE, 0, packed.sizeBytes());
    }

    private Program compile(int rows) {
        byte[][] features = new byte[depthStarts.length - 1][];
        MemorySegment[] segments = new MemorySegment[features.length];
        for (int i = 0; i < features.length; i++) {
            features[i] = new byte[rows * (depthStarts[i + 1] - depthStarts[i])];
            segments[i] = MemorySegment.ofArray(features[i]);
        }
        long bytes = 0;
        long[] offsets = new long[tiles.size()];
        for (int i = 0; i < offsets.length; i++) {
            offsets[i] = bytes;
            bytes += Math.ceilDiv(4L * rows * tiles.get(i).padded, LINE_BYTES) * LINE_BYTES;
        }
        DeviceBuffer results = device.allocate(bytes, Use.DATA);
        List<ChainStep> steps = new ArrayList<>();
        for (int i = 0; i < offsets.length; i++) {
            Tile tile = tiles.get(i);
            MatmulShape shape = new MatmulShape(MatmulType.INT8_INT32, rows, tile.depth, tile.padded);
            steps.add(new ChainStep(shape, segments[tile.slice], packed, tile.bOffset, results, offsets[i]));
        }
        CompiledChain chain = device.compile(steps, ChainOptions.DEFAULT.withCores(options.cores()));
        return new Program(rows, chain, features, results, offsets);
    }

    @Override
    public boolean apply(float[] x, float[][] y, int tokens, Preemption preemption) {
        ChainJob present = job;
        Program program = running;
        Meanwhile meanwhile;
        if (present == null || program == null) {
            program = program(tokens);
            scratch.activations().perToken(x, weights.getFirst().inputs(), tokens);
            stage(program, tokens);
            present = new ChainJob(
                    program.chain, NpuWorkload.LLM, NpuPriority.LOW, options.strategy(), ChainJob.CHUNK_STEPS);
            job = present;
            running = program;
            meanwhile = new Meanwhile(preemption, y, tokens, true);
        } else {
            meanwhile = new Meanwhile(preemption, y, tokens, false);
        }
        try {
            NpuJobResult result = present.execute(meanwhile);
            meanwhile.compute();
            if (result instanceof NpuJobResult.Yielded) {
                return false;
            }
        } catch (DeviceException e) {
            // What is in flight is parked with the device; the next request compiles new chains.
            job = null;
            running = null;
            discard(single);
            discard(several);
            single = null;
            several = null;
            throw e;
        }
        job = null;
        running = null;
        collect(program, y, tokens);
        work.add(npuMacs * tokens, macs * tokens);
        return true;
    }

    private Program program(int tokens) {
        Program known = tokens == 1 ? single : several;
        if (known != null && known.chain.isValid() && tokens <= known.rows) {
            return known;
        }
        Program fresh = compile(tokens == 1 ? 1 : scratch.activations().tokenScales().length);
        if (tokens == 1) {
            single = fresh;
        } else {
            several = fresh;
        }
        return fresh;
    }

    /** Brings the activations to where the chain takes them from; rows that are not used become zero. */
    private void stage(Program program, int tokens) {
        short[] values = scratch.activations().values();
        int columns = weights.getFirst().columns();
        for (int slice = 0; slice < program.features.length; slice++) {
            byte[] to = program.features[slice];
            int start = depthStarts[slice];
            int depth = depthStarts[slice + 1] - start;
            for (int token = 0; token < tokens; token++) {
                for (int i = 0; i < depth; i++) {
                    to[token * depth + i] = (byte) values[token * columns + start + i];
                }
            }
            java.util.Arrays.fill(to, tokens * depth, to.length, (byte) 0);
        }
    }

    /** Sums to floats, as the processor's kernels make them; outputs that are cut in depth are added up first. */
    private void collect(Program program, float[][] y, int tokens) {
        MemorySegment results = program.results.memory();
        float[] tokenScales = scratch.activations().tokenScales();
        int deep = depthStarts.length - 1;
        for (int i = 0; i < tiles.size(); i += deep) {
            Tile tile = tiles.get(i);
            Int8Weights matrix = weights.get(tile.matrix);
            float[] out = y[tile.matrix];
            for (int token = 0; token < tokens; token++) {
                long row = 4L * token * tile.padded;
                int to = token * matrix.outputs() + tile.firstOutput;
                for (int n = 0; n < tile.outputs; n++) {
                    int sum = 0;
                    for (int part = 0; part < deep; part++) {
                        sum += results.get(ValueLayout.JAVA_INT, program.offsets[i + part] + row + 4L * n);
                    }
                    out[to + n] = sum * (matrix.scales()[tile.firstOutput + n] * tokenScales[token]);
                }
            }
        }
    }

    @Override
    public void abandon() {
        // The chain was stopped when the work was; nothing of it is in flight.
        job = null;
        running = null;
    }

    @Override
    public void close() {
        close(single);
        close(several);
        packed.close();
    }

    private static void discard(@Nullable Program program) {
        try {
            close(program);
        } catch (DeviceException | IllegalStateException e) {
            // In flight: it goes with the device.
        }
    }

    private static void close(@Nullable Program program) {
        if (program != null) {
            program.chain.close();
            program.results.close();
        }
    }

    /** The flag, as the chain looks at it between doorbells: at the first look the processor does its own part. */
    private final class Meanwhile implements Preemption {
        private final Preemption preemption;
        private final float[][] y;
        private final int tokens;
        private boolean due;

        Meanwhile(Preemption preemption, float[][] y, int tokens, boolean due) {
            this.preemption = preemption;
            this.y = y;
            this.tokens = tokens;
            this.due = due;
        }

        @Override
        public boolean requested() {
            compute();
            return preemption.requested();
        }

        @Override
        public void enter(Phase phase) {
            preemption.enter(phase);
        }

        void compute() {
            if (due) {
                due = false;
                for (int i = 0; i < npuOutputs.length; i++) {
                    rest.get(i).multiply(y[i], tokens, npuOutputs[i]);
                }
            }
        }
    }
}
