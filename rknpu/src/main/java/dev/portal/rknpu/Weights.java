package dev.portal.rknpu;

import dev.portal.rknpu.DeviceBuffer.Use;
import dev.portal.rknpu.TilePlan.Slice;
import java.lang.foreign.MemorySegment;

/**
 * A matrix B in the NPU's memory, cut into tiles and packed, ready for any number of products. Made by {@link
 * Matmul#prepare}; its owner closes it.
 */
public final class Weights implements AutoCloseable {
    private final OutputSpec output;
    private final MatmulType deviceType;
    private final int k;
    private final int n;
    private final TilePlan plan;
    private final DeviceBuffer buffer;
    private final long[][] offsets;

    Weights(RknpuDevice device, OutputSpec output, int k, int n, int cores, MemorySegment b) {
        this.output = output;
        this.k = k;
        this.n = n;
        plan = TilePlan.weights(output.type(), k, n, cores);
        deviceType = plan.depth().size() == 1 ? output.type() : output.type().accumulating();
        long need = (long) k * n * output.type().inputBytes();
        if (b.byteSize() != need) {
            throw new IllegalArgumentException("B has " + b.byteSize() + " bytes; " + n + " columns of " + k + " "
                    + output.type().inputName() + " elements are " + need);
        }
        offsets = new long[plan.depth().size()][plan.columns().size()];
        long bytes = 0;
        for (int d = 0; d < offsets.length; d++) {
            for (int c = 0; c < offsets[d].length; c++) {
                offsets[d][c] = bytes;
                bytes += tile(d, c).bBytes();
            }
        }
        buffer = device.allocate(bytes, Use.DATA);
        pack(b);
        buffer.toDevice(SyncPoint.WEIGHTS_TO_DEVICE, 0, bytes);
    }

    private void pack(MemorySegment b) {
        long pitch = (long) k * output.type().inputBytes();
        for (int d = 0; d < offsets.length; d++) {
            Slice deep = plan.depth().get(d);
            for (int c = 0; c < offsets[d].length; c++) {
                Slice wide = plan.columns().get(c);
                MatmulShape tile = tile(d, c);
                MemorySegment from = b.asSlice(wide.start() * pitch
                        + (long) deep.start() * output.type().inputBytes());
                MemorySegment to = buffer.memory().asSlice(offsets[d][c], tile.bBytes());
                Packing.b(tile, from, pitch, deep.size(), wide.size(), to);
            }
        }
    }

    /** The shape of a tile, for one row. */
    private MatmulShape tile(int depth, int column) {
        return new MatmulShape(
                deviceType,
                1,
                plan.depth().get(depth).padded(),
                plan.columns().get(column).padded());
    }

    OutputSpec output() {
        return output;
    }

    /** What the chip computes: the product's own type, or the accumulating one where partial sums are added. */
    MatmulType deviceType() {
        return deviceType;
    }

    public int k() {
        return k;
    }

    public int n() {
        return n;
    }

    TilePlan plan() {
        return plan;
    }

    DeviceBuffer buffer() {
        return buffer;
    }

    long iova(int depth, int column) {
        return buffer.iova() + offsets[depth][column];
    }

    @Override
    public void close() {
        buffer.close();
    }
}
