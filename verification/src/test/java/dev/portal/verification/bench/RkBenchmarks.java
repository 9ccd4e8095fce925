package dev.portal.verification.bench;

import dev.portal.emulator.rk3588.MatrixEngine;
import dev.portal.hardware.rk3588.Soc;
import dev.portal.rknpu.MatmulEncoder;
import dev.portal.rknpu.MatmulProgram;
import dev.portal.rknpu.MatmulShape;
import dev.portal.rknpu.MatmulType;
import dev.portal.rknpu.Packing;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;

/**
 * The host side of a product: encoding its program, packing its weights; and the emulated chip's arithmetic. {@link RkBench}
 * runs them beside C.
 */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 3, time = 500, timeUnit = TimeUnit.MILLISECONDS)
@Measurement(iterations = 5, time = 500, timeUnit = TimeUnit.MILLISECONDS)
@Fork(value = 1, jvmArgsAppend = "--enable-native-access=ALL-UNNAMED")
// Not final: JMH generates a subclass.
public class RkBenchmarks {
    static final int K = 4096;
    static final int N = 8192;

    private static final int SHAPES = 64;

    /** K and N of the emulated product. */
    private static final int ENGINE = 512;

    private final MatmulEncoder encoder = new MatmulEncoder(Soc.RK3588);
    private final MatmulProgram[] programs = new MatmulProgram[SHAPES];
    private final MatmulShape weights = new MatmulShape(MatmulType.INT8_INT32, 1, K, N);
    private final Arena arena = Arena.ofAuto();
    private final MemorySegment words = arena.allocate(MatmulProgram.Form.ROW_MAJOR.bytes(), 16);
    private final MemorySegment source = arena.allocate(weights.bBytes(), 64);
    private final MemorySegment packed = arena.allocate(weights.bBytes(), 64);
    private final MatrixEngine engine = MatrixEngine.fast();
    private final byte[] row = new byte[ENGINE];
    private final byte[] tiles = new byte[ENGINE * ENGINE];
    private final int[] sums = new int[ENGINE];
    private int next;

    public RkBenchmarks() {
        for (int i = 0; i < row.length; i++) {
            row[i] = (byte) (i * 7);
        }
        for (int i = 0; i < tiles.length; i++) {
            tiles[i] = (byte) (i * 13 + (i >> 5));
        }
        for (int i = 0; i < SHAPES; i++) {
            programs[i] = MatmulProgram.rowMajor(new MatmulShape(MatmulType.INT8_INT32, 1 + i, 512, 32 + 32 * (i & 7)));
        }
        source.fill((byte) 1);
    }

    /** One program of another shape each time, at another address. */
    @Benchmark
    public MemorySegment encode() {
        int i = next++;
        encoder.encode(programs[i & (SHAPES - 1)], 0x1000000 + 64L * (i & 0xfff), 0x2000000, 0x3000000, 0, words, 0);
        return words;
    }

    /** As {@link #encode}, and the shape is checked as well. */
    @Benchmark
    public MemorySegment checkAndEncode() {
        int i = next++;
        MatmulShape shape = programs[i & (SHAPES - 1)].shape();
        MatmulProgram program = MatmulProgram.rowMajor(shape);
        encoder.encode(program, 0x1000000 + 64L * (i & 0xfff), 0x2000000, 0x3000000, 0, words, 0);
        return words;
    }

    @Benchmark
    public MemorySegment packB() {
        Packing.b(weights, source, K, K, N, packed);
        return packed;
    }

    /** The same bytes without reordering. */
    @Benchmark
    public MemorySegment copyB() {
        return packed.copyFrom(source);
    }

    /** The emulated MAC array: one row of int8, K = N = 512. */
    @Benchmark
    public int[] engineRow() {
        engine.int8(row, tiles, 0, 1, ENGINE, ENGINE, sums);
        return sums;
    }
}
