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
import dev.portal.scheduler.CoreLoans;
import dev.portal.scheduler.NpuJobResult;
import dev.portal.scheduler.NpuPriority;
import dev.portal.scheduler.NpuWorkload;
import dev.portal.scheduler.Preemption;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Matrices with the same activations as one compiled chain for a single token, and one for a batch; the rest of their
 * rows is the processor's, which begins before the chain is handed in.
 *
 * <pre>
 *   outputs    0 ............. the NPU's ............. all, counted over the matrices
 *   core 0     [a third of the tiles]
 *   core 1     [a third of the tiles]      helpers: the rest, from the start on
 *   core 2     [a third of the tiles]      caller: hands in, then works along, then waits for the doorbells
 * </pre>
 *
 * <p>A program takes at most {@link #MOST_DEPTH} inputs and {@link #MOST_COLUMNS} outputs (spec 6.3); deeper matrices are
 * cut, and the partial sums added here. Of several matrices the first ones go to the NPU whole, so that it runs few
 * programs.
 */
final class NpuGroup implements LinearGroup, AutoCloseable {
    private static final int MOST_DEPTH = 2048;
    private static final int MOST_COLUMNS = 8192;
    private static final int LINE_BYTES = 64;
    private static final long UNSEEN = -1;

    private final RknpuDevice device;
    private final NpuBackend.NpuOptions options;
    private final int cores;
    private final int outputs;
    private final CpuScratch scratch;
    private final NpuBackend.NpuWork work;
    private final int number;
    private final List<Int8Weights> weights;
    private final Rest rest;
    /** Outputs of each matrix that the NPU computes. */
    private final int[] npuOutputs;

    private final List<Tile> tiles = new ArrayList<>();
    private final int[] depthStarts;
    /** Of a matrix and a token, over the depths. */
    private final int[] sums;

    private final int[] part;
    private final DeviceBuffer packed;
    private final long macs;
    private final long npuMacs;
    private final Meanwhile meanwhile = new Meanwhile();
    private @Nullable Program single;
    private @Nullable Program several;
    private @Nullable Program running;
    private long handedInNanos;

    /** A piece of a matrix: one program. */
    private record Tile(int matrix, int firstOutput, int outputs, int padded, int slice, int depth, long bOffset) {}

    /** A compiled chain with its operands for a number of rows. */
    private record Program(
            int rows, CompiledChain chain, ChainJob job, byte[][] features, DeviceBuffer results, long[] offsets) {}

    /**
     * @param split some outputs for the NPU, none more than the matrices have
     * @param taken those of each matrix
     * @param rest the other rows
     * @param number of the group, for the listener
     */
    NpuGroup(
            RknpuDevice device,
            Split split,
            int[] taken,
            NpuBackend.NpuOptions options,
            CpuScratch scratch,
            List<Int8Weights> weights,
            Rest rest,
            NpuBackend.NpuWork work,
            int number) {
        this.device = device;
        this.options = options;
        this.scratch = scratch;
        this.weights = weights;
        this.work = work;
        this.number = number;
        this.rest = rest;
        cores = split.cores();
        npuOutputs = taken;
        outputs = split.outputs();
        int columns = weights.getFirst().columns();
        depthStarts = new int[depths(columns) + 1];
        for (int i = 0; i < depthStarts.length; i++) {
            int tilesDeep = columns / Split.COLUMN_GROUP;
            depthStarts[i] = tilesDeep * i / depths(columns) * Split.COLUMN_GROUP;
        }
        macs = (long) weights.stream().mapToInt(Int8Weights::outputs).sum() * columns;
        npuMacs = (long) split.outputs() * columns;
        packed = device.allocate(plan(), Use.DATA);
        sums = new int[Arrays.stream(npuOutputs).max().orElse(0)];
        part = new int[Math.min(sums.length, MOST_COLUMNS)];
        pack();
    }

    /** From the call until the chain was handed in, the last time; on the device's clock. */
    long handedInNanos() {
        return handedInNanos;
    }

    /** Into how many programs a column of so many inputs is cut. */
    static int depths(int columns) {
        return Math.ceilDiv(columns, MOST_DEPTH);
    }

    /**
     * Cuts the matrices into programs, core by core; returns the bytes of their weights. Matrix after matrix and depth after
     * depth, the tiles are one row, of which each core gets an equal stretch; a column's depths may be on several cores.
     */
    private long plan() {
        int deep = depthStarts.length - 1;
        int all = 0;
        for (int ours : npuOutputs) {
            all += Math.ceilDiv(ours, Split.COLUMN_GROUP) * deep;
        }
        List<List<Tile>> stretches = new ArrayList<>();
        for (int core = 0; core < Math.min(cores, all); core++) {
            int active = Math.min(cores, all);
            stretches.add(stretch((int) ((long) all * core / active), (int) ((long) all * (core + 1) / active)));
        }
        // A chain gives each core as many programs as the others.
        int most = stretches.stream().mapToInt(List::size).max().orElse(0);
        stretches.forEach(stretch -> halve(stretch, most));
        long bytes = 0;
        for (List<Tile> stretch : stretches) {
            for (Tile tile : stretch) {
                tiles.add(new Tile(
                        tile.matrix, tile.firstOutput, tile.outputs, tile.padded, tile.slice, tile.depth, bytes));
                bytes += (long) tile.depth * tile.padded;
            }
        }
        return bytes;
    }

    /** Programs for tiles {@code from} to {@code to - 1}, counted over matrices and depths. */
    private List<Tile> stretch(int from, int to) {
        List<Tile> programs = new ArrayList<>();
        int before = 0;
        for (int matrix = 0; matrix < npuOutputs.length; matrix++) {
            int wide = Math.ceilDiv(npuOutputs[matrix], Split.COLUMN_GROUP);
            for (int deep = 0; deep < depthStarts.length - 1; deep++) {
                int last = Math.min(to - before, wide);
                for (int first = Math.max(0, from - before); first < last; first += MOST_COLUMNS / Split.COLUMN_GROUP) {
                    programs.add(program(
                            matrix,
                            deep,
                            first * Split.COLUMN_GROUP,
                            Math.min(last * Split.COLUMN_GROUP, first * Split.COLUMN_GROUP + MOST_COLUMNS)));
                }
                before += wide;
            }
        }
        return programs;
    }

    private Tile program(int matrix, int deep, int first, int end) {
        int ours = Math.min(end, npuOutputs[matrix]) - first;
        int depth = depthStarts[deep + 1] - depthStarts[deep];
        return new Tile(matrix, first, ours, padded(ours), deep, depth, 0);
    }

    /** Cuts the widest programs in two until there are so many, or none is wide enough. */
    private void halve(List<Tile> programs, int wanted) {
        while (programs.size() < wanted) {
            int widest = 0;
            for (int i = 1; i < programs.size(); i++) {
                widest = programs.get(i).padded > programs.get(widest).padded ? i : widest;
            }
            Tile tile = programs.get(widest);
            int half = padded(tile.padded / 2);
            if (half == tile.padded) {
                return;
            }
            int middle = tile.firstOutput + half;
            programs.set(widest, program(tile.matrix, tile.slice, tile.firstOutput, middle));
            programs.add(widest + 1, program(tile.matrix, tile.slice, middle, tile.firstOutput + tile.padded));
        }
    }

    private static int padded(int outputs) {
        return Math.ceilDiv(outputs, Split.COLUMN_GROUP) * Split.COLUMN_GROUP;
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
        try {
            CompiledChain chain =
                    device.compile(steps, ChainOptions.DEFAULT.withCores(cores).withOneSubmit(true));
            return new Program(rows, chain, job(chain), features, results, offsets);
        } catch (RuntimeException e) {
            results.close();
            throw e;
        }
    }

    private ChainJob job(CompiledChain chain) {
        return new ChainJob(chain, NpuWorkload.LLM, NpuPriority.LOW, options.strategy(), ChainJob.CHUNK_STEPS);
    }

    @Override
    public boolean apply(float[] x, float[][] y, int tokens, Preemption preemption) {
        Program program = running;
        boolean fresh = program == null;
        if (program == null) {
            program = program(tokens);
            scratch.activations().perToken(x, weights.getFirst().inputs(), tokens);
            stage(program, tokens);
            running = program;
        }
        NpuJobResult result;
        try {
            result = run(program, x, y, tokens, fresh, preemption);
        } catch (DeviceException e) {
            // What is in flight is parked with the device; the next request compiles new chains.
            running = null;
            discard(single);
            discard(several);
            single = null;
            several = null;
            throw e;
        }
        if (result instanceof NpuJobResult.Yielded) {
            return false;
        }
        running = null;
        collect(program, y, tokens);
        work.add(npuMacs * tokens, macs * tokens);
        if (fresh) {
            meanwhile.report(tokens);
        }
        return true;
    }

    /** The helpers are never left alone with their rows, whatever becomes of the chain. */
    private NpuJobResult run(
            Program program, float[] x, float[][] y, int tokens, boolean fresh, Preemption preemption) {
        meanwhile.start(program.chain, preemption, fresh);
        try {
            if (fresh) {
                rest.begin(x, y, tokens);
            }
            return program.job.execute(meanwhile);
        } finally {
            meanwhile.compute();
        }
    }

    /**
     * Compiles the chain for batches at once.
     *
     * @throws DeviceException when the device has no room for it
     */
    void prepareBatch() {
        var _ = program(scratch.activations().tokenScales().length);
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
            Arrays.fill(to, tokens * depth, to.length, (byte) 0);
        }
    }

    /** Sums to floats, as the processor's kernels make them; what is cut in depth is added up first. */
    private void collect(Program program, float[][] y, int tokens) {
        float[] tokenScales = scratch.activations().tokenScales();
        for (int matrix = 0; matrix < npuOutputs.length && npuOutputs[matrix] > 0; matrix++) {
            Int8Weights given = weights.get(matrix);
            for (int token = 0; token < tokens; token++) {
                for (int deep = 0; deep < depthStarts.length - 1; deep++) {
                    add(program, matrix, deep, token);
                }
                scale(given.scales(), tokenScales[token], y[matrix], token * given.outputs(), npuOutputs[matrix]);
            }
        }
    }

    /** The sums of one depth; those of the first one are where the others are added to. */
    private void add(Program program, int matrix, int deep, int token) {
        MemorySegment results = program.results.memory();
        for (int i = 0; i < program.offsets.length; i++) {
            Tile tile = tiles.get(i);
            if (tile.matrix == matrix && tile.slice == deep) {
                long at = program.offsets[i] + 4L * token * tile.padded;
                int first = tile.firstOutput;
                if (deep == 0) {
                    MemorySegment.copy(results, ValueLayout.JAVA_INT, at, sums, first, tile.outputs);
                } else {
                    MemorySegment.copy(results, ValueLayout.JAVA_INT, at, part, 0, tile.outputs);
                    for (int n = 0; n < tile.outputs; n++) {
                        sums[first + n] += part[n];
                    }
                }
            }
        }
    }

    /** A loop over arrays is one that HotSpot vectorises. */
    private void scale(float[] scales, float tokenScale, float[] out, int row, int count) {
        int[] from = sums;
        for (int n = 0; n < count; n++) {
            out[row + n] = from[n] * (scales[n] * tokenScale);
        }
    }

    /** The chain was stopped when the work was; nothing of it is in flight. Another job begins it anew. */
    @Override
    public void abandon() {
        running = null;
        single = renewed(single);
        several = renewed(several);
    }

    private @Nullable Program renewed(@Nullable Program old) {
        return old == null
                ? null
                : new Program(old.rows, old.chain, job(old.chain), old.features, old.results, old.offsets);
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

    /** The flag, as the chain looks at it between doorbells: at the first look the caller joins the processor's part. */
    private final class Meanwhile implements Preemption {
        private final Runnable look = this::look;
        private Preemption preemption = Preemption.NEVER;
        private @Nullable CompiledChain chain;
        private boolean due;
        private long start;
        private long npuEnd;

        void start(CompiledChain flying, Preemption flag, boolean fresh) {
            chain = flying;
            preemption = flag;
            due = fresh;
            start = options.time().now();
            npuEnd = UNSEEN;
        }

        @Override
        public boolean requested() {
            compute();
            return preemption.requested();
        }

        @Override
        public CoreLoans loans() {
            return preemption.loans();
        }

        @Override
        public void enter(Phase phase) {
            preemption.enter(phase);
            if (phase == Phase.COPY_OUT) {
                landed();
            }
        }

        void compute() {
            if (due) {
                due = false;
                handedInNanos = options.time().now() - start;
                rest.finish(look);
            }
        }

        /** Sees the last doorbell ring while the processor's part goes on. */
        private void look() {
            if (npuEnd == UNSEEN && chain != null && chain.remaining() == 0) {
                landed();
            }
        }

        private void landed() {
            if (npuEnd == UNSEEN) {
                npuEnd = options.time().now();
            }
        }

        void report(int tokens) {
            options.listener()
                    .group(
                            number,
                            tokens,
                            outputs,
                            outputs + rest.rows(),
                            start,
                            npuEnd,
                            rest.startNanos(),
                            rest.endNanos(),
                            options.time().now());
        }
    }
}
