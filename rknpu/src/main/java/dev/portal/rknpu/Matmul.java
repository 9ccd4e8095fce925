package dev.portal.rknpu;

import dev.portal.rknpu.DeviceBuffer.Use;
import dev.portal.rknpu.MatmulProgram.Form;
import dev.portal.rknpu.TilePlan.Slice;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Matrix products of any shape on the NPU: pads, cuts into programs, runs them on one to three cores, adds partial sums,
 * and hands back a dense result. int8 results are exact; fp16 results are sums in fp32 whose order the chip decides.
 *
 * <p>A product blocks until it is done. One product at a time: the methods are not synchronised. Closing gives the
 * scratch memory back; the device stays open.
 */
public final class Matmul implements AutoCloseable {
    /** Programs of one job: scratch for their results must fit, and a job must end within the timeout. */
    private static final int MAX_PROGRAMS = 64;

    private static final long MAX_SCRATCH_BYTES = 32L << 20;

    private final RknpuDevice device;
    private final CoreRunner runner;
    private final List<Submission> submissions = new ArrayList<>();
    private final Scratch features;
    private final List<Scratch> results = new ArrayList<>();

    /**
     * @param cores how many cores share a product, 1 to the chip's number
     * @param runner how their shares run
     */
    public Matmul(RknpuDevice device, int cores, CoreRunner runner) {
        if (cores < 1 || cores > device.soc().cores()) {
            throw new IllegalArgumentException(cores + " cores; " + device.soc().name() + " has 1 to "
                    + device.soc().cores());
        }
        this.device = device;
        this.runner = runner;
        features = new Scratch(device);
        for (int i = 0; i < cores; i++) {
            submissions.add(new Submission(device, i, MAX_PROGRAMS));
            results.add(new Scratch(device));
        }
    }

    /**
     * Brings B into the NPU's memory.
     *
     * @param output the product's type, with multiplier and shift when it requantises
     * @param k rows of B
     * @param n columns of B
     * @param b by columns, dense: the k of one column side by side
     * @return owned by the caller
     */
    public Weights prepare(OutputSpec output, int k, int n, MemorySegment b) {
        return new Weights(device, output, k, n, submissions.size(), b);
    }

    /**
     * Computes C = A x B.
     *
     * @param weights B
     * @param m rows of A
     * @param a dense and row-major, {@code m x k} elements
     * @return C, dense, row-major and little-endian, {@code m x n} elements on the heap
     */
    public MemorySegment multiply(Weights weights, int m, MemorySegment a) {
        MatmulShape shape = new MatmulShape(weights.output().type(), m, weights.k(), weights.n());
        if (a.byteSize() != shape.aBytes()) {
            throw new IllegalArgumentException("A has " + a.byteSize() + " bytes; " + m + " rows of " + weights.k()
                    + " " + shape.type().inputName() + " elements are " + shape.aBytes());
        }
        MemorySegment c = MemorySegment.ofArray(new byte[Math.toIntExact(shape.cBytes())]);
        TilePlan plan = weights.plan().withRows(shape.type(), m);
        PartialSums sums = new PartialSums(weights.output(), shape, plan.depth().size(), c);
        for (int d = 0; d < plan.depth().size(); d++) {
            multiplySlice(weights, plan, d, a, sums);
        }
        sums.finish();
        return c;
    }

    /** Prepares, multiplies and gives the weights back. */
    public MemorySegment multiply(OutputSpec output, MatmulShape shape, MemorySegment a, MemorySegment b) {
        try (Weights weights = prepare(output, shape.k(), shape.n(), b)) {
            return multiply(weights, shape.m(), a);
        }
    }

    /** One slice of the depth: all tiles of C, in jobs that fit, each core its share. */
    private void multiplySlice(Weights weights, TilePlan plan, int d, MemorySegment a, PartialSums sums) {
        Slice deep = plan.depth().get(d);
        MatmulType type = weights.deviceType();
        List<Tile> tiles = new ArrayList<>();
        long aBytes = 0;
        for (Slice rows : plan.rows()) {
            MatmulShape tile = new MatmulShape(type, rows.size(), deep.padded(), type.kernelGroup());
            for (int column = 0; column < plan.columns().size(); column++) {
                tiles.add(new Tile(rows, column, aBytes));
            }
            aBytes += tile.aBytes();
        }
        DeviceBuffer packed = features.atLeast(aBytes);
        packFeatures(plan, deep, type, a, packed);
        packed.toDevice(SyncPoint.FEATURES_TO_DEVICE, 0, aBytes);
        int cores = submissions.size();
        List<Runnable> shares = new ArrayList<>();
        for (int core = 0; core < cores; core++) {
            List<Tile> own = share(tiles, core, cores);
            if (!own.isEmpty()) {
                int index = core;
                shares.add(() -> run(index, own, new Slab(weights, plan, d, packed, sums)));
            }
        }
        runner.run(shares);
    }

    private static List<Tile> share(List<Tile> tiles, int core, int cores) {
        return tiles.subList(tiles.size() * core / cores, tiles.size() * (core + 1) / cores);
    }

    private static void packFeatures(TilePlan plan, Slice deep, MatmulType type, MemorySegment a, DeviceBuffer packed) {
        int bytes = type.inputBytes();
        long pitch = plan.depth().stream().mapToLong(Slice::size).sum() * bytes;
        long to = 0;
        for (Slice rows : plan.rows()) {
            MatmulShape shape = new MatmulShape(type, rows.size(), deep.padded(), type.kernelGroup());
            MemorySegment from = a.asSlice(rows.start() * pitch + (long) deep.start() * bytes);
            Packing.a(
                    shape,
                    Form.ROW_MAJOR,
                    from,
                    pitch,
                    rows.size(),
                    deep.size(),
                    packed.memory().asSlice(to, shape.aBytes()));
            to += shape.aBytes();
        }
    }

    /** A core's share, in as many jobs as its scratch needs. */
    private void run(int core, List<Tile> tiles, Slab slab) {
        int next = 0;
        while (next < tiles.size()) {
            int first = next;
            long bytes = 0;
            while (next < tiles.size() && next - first < MAX_PROGRAMS) {
                long more = slab.program(tiles.get(next)).shape().cBytes();
                if (next > first && bytes + more > MAX_SCRATCH_BYTES) {
                    break;
                }
                bytes += more;
                next++;
            }
            runJob(core, tiles.subList(first, next), slab, bytes);
        }
    }

    private void runJob(int core, List<Tile> tiles, Slab slab, long bytes) {
        Submission submission = submissions.get(core);
        DeviceBuffer c = results.get(core).atLeast(bytes);
        submission.clear();
        long at = 0;
        for (Tile tile : tiles) {
            MatmulProgram program = slab.program(tile);
            submission.encode(program, slab.a(tile), slab.b(tile), c.iova() + at);
            at += program.shape().cBytes();
        }
        c.toDevice(SyncPoint.RESULT_TO_DEVICE, 0, bytes);
        submission.run(List.of(slab.features(), slab.weights().buffer(), c));
        c.fromDevice(SyncPoint.RESULT_FROM_DEVICE, 0, bytes);
        at = 0;
        for (Tile tile : tiles) {
            MatmulShape shape = slab.program(tile).shape();
            slab.sums().add(c.memory().asSlice(at, shape.cBytes()), shape, tile.rows(), slab.columns(tile));
            at += shape.cBytes();
        }
    }

    /** A tile of C: its rows, which tile of columns, and where its features begin. */
    private record Tile(Slice rows, int column, long aOffset) {}

    /** What the tiles of one slice of the depth have in common. */
    private record Slab(Weights weights, TilePlan plan, int depth, DeviceBuffer features, PartialSums sums) {
        MatmulProgram program(Tile tile) {
            MatmulType type = weights.deviceType();
            MatmulShape shape = new MatmulShape(
                    type,
                    tile.rows().size(),
                    plan.depth().get(depth).padded(),
                    columns(tile).padded());
            int multiplier = type.requantises() ? weights.output().multiplier() : 0;
            int shift = type.requantises() ? weights.output().shift() : 0;
            return new MatmulProgram(shape, Form.ROW_MAJOR, true, shape.n(), multiplier, shift);
        }

        Slice columns(Tile tile) {
            return plan.columns().get(tile.column());
        }

        long a(Tile tile) {
            return features.iova() + tile.aOffset();
        }

        long b(Tile tile) {
            return weights.iova(depth, tile.column());
        }
    }

    /** Device memory that is kept from product to product and grows. */
    private static final class Scratch {
        private final RknpuDevice device;
        private @Nullable DeviceBuffer buffer;

        Scratch(RknpuDevice device) {
            this.device = device;
        }

        DeviceBuffer atLeast(long bytes) {
            DeviceBuffer present = buffer;
            if (present == null || present.sizeBytes() < bytes) {
                close();
                present = device.allocate(bytes, Use.DATA);
                buffer = present;
            }
            return present;
        }

        void close() {
            DeviceBuffer present = buffer;
            buffer = null;
            if (present != null) {
                present.close();
            }
        }
    }

    @Override
    public void close() {
        submissions.forEach(Submission::close);
        results.forEach(Scratch::close);
        features.close();
    }

    /** Where the tiles of C go: straight into C, or into sums of the accumulating type that become C at the end. */
    private static final class PartialSums {
        private final OutputSpec output;
        private final MatmulShape shape;
        private final MemorySegment c;
        private final boolean partial;
        private final boolean converts;
        private final MemorySegment sums;

        PartialSums(OutputSpec output, MatmulShape shape, int slices, MemorySegment c) {
            this.output = output;
            this.shape = shape;
            this.c = c;
            partial = slices > 1;
            converts = partial && output.type() != output.type().accumulating();
            sums = converts ? MemorySegment.ofArray(new byte[Math.multiplyExact(shape.m(), shape.n() * 4)]) : c;
        }

        /** Tiles of different cores touch different elements, so that their threads need no lock. */
        void add(MemorySegment tile, MatmulShape tileShape, Slice rows, Slice columns) {
            int bytes = tileShape.type().outputBytes();
            long pitch = (long) shape.n() * bytes;
            MemorySegment to = sums.asSlice(rows.start() * pitch + (long) columns.start() * bytes);
            if (!partial) {
                Packing.c(tileShape, Form.ROW_MAJOR, tile, to, pitch, rows.size(), columns.size());
                return;
            }
            boolean integers = tileShape.type() == MatmulType.INT8_INT32;
            for (int m = 0; m < rows.size(); m++) {
                for (int n = 0; n < columns.size(); n++) {
                    int part = tile.get(ValueLayout.JAVA_INT, ((long) m * tileShape.n() + n) * 4);
                    long at = m * pitch + n * 4L;
                    int sum = to.get(ValueLayout.JAVA_INT_UNALIGNED, at);
                    int next = integers
                            ? sum + part
                            : Float.floatToRawIntBits(Float.intBitsToFloat(sum) + Float.intBitsToFloat(part));
                    to.set(ValueLayout.JAVA_INT_UNALIGNED, at, next);
                }
            }
        }

        /** Converts the sums, where they are not the result itself. */
        void finish() {
            if (!converts) {
                return;
            }
            long elements = (long) shape.m() * shape.n();
            for (long i = 0; i < elements; i++) {
                int sum = sums.get(ValueLayout.JAVA_INT_UNALIGNED, i * 4);
                if (output.type().accumulating() == MatmulType.INT8_INT32) {
                    CpuReference.store(output, c, i, sum);
                } else {
                    CpuReference.store(output, c, i, Float.intBitsToFloat(sum));
                }
            }
        }
    }
}
