package dev.portal.rknpu;

import dev.portal.rknpu.MatmulProgram.Form;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/**
 * Brings A, B and C into the layouts of spec section 5 and back, and pads on the way.
 *
 * <p>Sources may be wider than what is packed: a row pitch gives the bytes from one row to the next, so that a tile of a
 * larger matrix packs without a copy. Padding is zero. All copies into device memory are whole aligned 8-byte words: a
 * mapping of device memory raises SIGBUS on anything else (Q24).
 *
 * <p>Stateless; nothing is allocated.
 */
public final class Packing {
    private static final ValueLayout.OfLong FROM = ValueLayout.JAVA_LONG_UNALIGNED;
    private static final ValueLayout.OfLong TO = ValueLayout.JAVA_LONG;

    private static final int ATOM_BYTES = 16;

    /** A weight tile of either type (spec 5.2), and the 32 channels of one column in it. */
    private static final long TILE_BYTES = 1024;

    private static final int INT8_RUN_BYTES = 32;
    private static final int FP16_RUN_BYTES = 64;

    private Packing() {}

    /**
     * Packs A.
     *
     * @param shape rows and channels as the program has them, padding included
     * @param form of the program
     * @param a the first row, row-major
     * @param pitchBytes from one row of {@code a} to the next
     * @param rows rows that {@code a} has, at most {@code shape.m()}; the others become zero
     * @param columns elements that a row has, at most {@code shape.k()}; the others become zero
     * @param out {@code shape.aBytes()} bytes, aligned to 8
     */
    public static void a(
            MatmulShape shape, Form form, MemorySegment a, long pitchBytes, int rows, int columns, MemorySegment out) {
        long rowBytes = (long) columns * shape.type().inputBytes();
        long outRowBytes = (long) shape.k() * shape.type().inputBytes();
        for (int m = 0; m < shape.m(); m++) {
            long live = m < rows ? rowBytes : 0;
            long from = m * pitchBytes;
            if (form == Form.ROW_MAJOR) {
                run(a, from, live, out, m * outRowBytes, outRowBytes);
            } else {
                // Cubes: atom c of row m lies at (c * M + m) * 16.
                for (long at = 0; at < outRowBytes; at += ATOM_BYTES) {
                    long atom = at / ATOM_BYTES * shape.m() + m;
                    run(a, from + at, live - at, out, atom * ATOM_BYTES, ATOM_BYTES);
                }
            }
        }
    }

    /**
     * Packs B into weight tiles, the same for both forms: kernel groups of 32 int8 or 16 fp16 columns, 32 deep, k
     * fastest.
     *
     * @param shape channels and columns as the program has them, padding included
     * @param b the first column of B, the k of one column side by side
     * @param pitchBytes from one column of {@code b} to the next
     * @param depth elements that a column has, at most {@code shape.k()}; the others become zero
     * @param columns columns that {@code b} has, at most {@code shape.n()}; the others become zero
     * @param out {@code shape.bBytes()} bytes, aligned to 8
     */
    public static void b(
            MatmulShape shape, MemorySegment b, long pitchBytes, int depth, int columns, MemorySegment out) {
        int group = shape.type().kernelGroup();
        int runBytes = MatmulType.CHANNEL_GROUP * shape.type().inputBytes();
        int tiles = shape.k() / MatmulType.CHANNEL_GROUP;
        for (int n = 0; n < shape.n(); n++) {
            long from = n * pitchBytes;
            long to = (long) (n / group) * tiles * TILE_BYTES + (long) (n % group) * runBytes;
            long live = n < columns ? (long) depth * shape.type().inputBytes() : 0;
            int whole = (int) (live / runBytes);
            if (runBytes == INT8_RUN_BYTES) {
                int8Column(b, from, out, to, whole);
            } else {
                fp16Column(b, from, out, to, whole);
            }
            for (int tile = whole; tile < tiles; tile++) {
                long at = (long) tile * runBytes;
                run(b, from + at, live - at, out, to + tile * TILE_BYTES, runBytes);
            }
        }
    }

    /** Runs of one column, tile by tile. The distances are constants, so that the compiler drops the bound checks. */
    private static void int8Column(MemorySegment b, long from, MemorySegment out, long to, int tiles) {
        for (int tile = 0; tile < tiles; tile++) {
            copy32(b, from + (long) tile * INT8_RUN_BYTES, out, to + tile * TILE_BYTES);
        }
    }

    private static void fp16Column(MemorySegment b, long from, MemorySegment out, long to, int tiles) {
        for (int tile = 0; tile < tiles; tile++) {
            copy32(b, from + (long) tile * FP16_RUN_BYTES, out, to + tile * TILE_BYTES);
            copy32(b, from + (long) tile * FP16_RUN_BYTES + 32, out, to + tile * TILE_BYTES + 32);
        }
    }

    private static void copy32(MemorySegment from, long at, MemorySegment to, long toAt) {
        to.set(TO, toAt, from.get(FROM, at));
        to.set(TO, toAt + 8, from.get(FROM, at + 8));
        to.set(TO, toAt + 16, from.get(FROM, at + 16));
        to.set(TO, toAt + 24, from.get(FROM, at + 24));
    }

    /**
     * Unpacks C.
     *
     * @param shape rows and columns as the program has them, padding included
     * @param form of the program
     * @param packed what the program wrote, {@code shape.cBytes()} bytes
     * @param out the first row, row-major
     * @param pitchBytes from one row of {@code out} to the next
     * @param rows rows to take, at most {@code shape.m()}
     * @param columns elements of a row to take, at most {@code shape.n()}
     */
    public static void c(
            MatmulShape shape,
            Form form,
            MemorySegment packed,
            MemorySegment out,
            long pitchBytes,
            int rows,
            int columns) {
        long rowBytes = (long) columns * shape.type().outputBytes();
        long packedRowBytes = (long) shape.n() * shape.type().outputBytes();
        for (int m = 0; m < rows; m++) {
            if (form == Form.ROW_MAJOR) {
                MemorySegment.copy(packed, m * packedRowBytes, out, m * pitchBytes, rowBytes);
            } else {
                for (long at = 0; at < rowBytes; at += ATOM_BYTES) {
                    long atom = at / ATOM_BYTES * shape.m() + m;
                    long bytes = Math.min(ATOM_BYTES, rowBytes - at);
                    MemorySegment.copy(packed, atom * ATOM_BYTES, out, m * pitchBytes + at, bytes);
                }
            }
        }
    }

    /** Fills {@code bytes} of {@code to}, a multiple of 8: {@code live} bytes from the source, then zeros. */
    private static void run(MemorySegment from, long at, long live, MemorySegment to, long toAt, long bytes) {
        long done = 0;
        for (long last = Math.min(live, bytes) - 8; done <= last; done += 8) {
            to.set(TO, toAt + done, from.get(FROM, at + done));
        }
        if (done < live && done < bytes) {
            long word = 0;
            for (long i = Math.min(live - done, 8) - 1; i >= 0; i--) {
                word = word << 8 | (from.get(ValueLayout.JAVA_BYTE, at + done + i) & 0xff);
            }
            to.set(TO, toAt + done, word);
            done += 8;
        }
        for (; done < bytes; done += 8) {
            to.set(TO, toAt + done, 0);
        }
    }
}
