package dev.portal.rknpu;

import static org.assertj.core.api.Assertions.assertThat;

import dev.portal.base.RandomStream;
import dev.portal.rknpu.MatmulProgram.Form;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;

class PackingTest {
    private final Arena arena = Arena.ofAuto();

    private MemorySegment device(long bytes) {
        MemorySegment memory = arena.allocate(bytes, 16);
        memory.fill((byte) 0xAA);
        return memory;
    }

    /** Element i holds i, so that the packed image tells where each went. */
    private static MemorySegment counting(int elements, int bytes) {
        MemorySegment source = MemorySegment.ofArray(new byte[elements * bytes]);
        for (int i = 0; i < elements; i++) {
            put(source, i, i, bytes);
        }
        return source;
    }

    private static void put(MemorySegment to, long index, int value, int bytes) {
        if (bytes == 1) {
            to.set(ValueLayout.JAVA_BYTE, index, (byte) value);
        } else {
            to.set(ValueLayout.JAVA_SHORT_UNALIGNED, 2 * index, (short) value);
        }
    }

    private static int get(MemorySegment from, long index, int bytes) {
        return bytes == 1
                ? from.get(ValueLayout.JAVA_BYTE, index) & 0xff
                : from.get(ValueLayout.JAVA_SHORT_UNALIGNED, 2 * index) & 0xffff;
    }

    private static Map<String, Integer> parameters(String text) {
        Map<String, Integer> values = new HashMap<>();
        for (String pair : text.split(",", -1)) {
            String[] parts = pair.split("=", 2);
            values.put(parts[0], Integer.parseInt(parts[1]));
        }
        return values;
    }

    @Test
    void featuresAndWeightsLieWhereTheLayoutTablesSay() {
        int[] seen = new int[2];
        GoldenPrograms.rows("layout_mtx512.tsv").forEach(row -> {
            Map<String, Integer> p = parameters(row[1]);
            int[] offsets =
                    Arrays.stream(row[2].split(" ")).mapToInt(Integer::parseInt).toArray();
            boolean weights = row[0].startsWith("weight");
            boolean int8 = weights ? row[0].endsWith("int8") : p.getOrDefault("C2", 0) == 16;
            if (!weights && p.getOrDefault("C2", 0) == 4) {
                resultCube(p, offsets);
                return;
            }
            MatmulType type = int8 ? MatmulType.INT8_INT32 : MatmulType.FP16_FP32;
            int bytes = type.inputBytes();
            int rows = weights ? p.getOrDefault("N", 0) : p.getOrDefault("H", 0);
            int columns = weights ? p.getOrDefault("K", 0) : p.getOrDefault("C", 0);
            MatmulShape shape = new MatmulShape(type, weights ? 1 : rows, columns, weights ? rows : 32);
            MemorySegment packed = device((long) rows * columns * bytes);
            MemorySegment source = counting(rows * columns, bytes);
            if (weights) {
                Packing.b(shape, source, (long) columns * bytes, columns, rows, packed);
            } else {
                Packing.a(shape, Form.NATIVE, source, (long) columns * bytes, rows, columns, packed);
            }
            for (int i = 0; i < offsets.length; i++) {
                assertThat(get(packed, offsets[i], bytes))
                        .as("%s %s element %d", row[0], row[1], i)
                        .isEqualTo(get(source, i, bytes));
            }
            seen[weights ? 1 : 0]++;
        });
        assertThat(seen[0]).isGreaterThan(3);
        assertThat(seen[1]).isGreaterThan(1);
    }

    /** Cubes of 4-byte elements are how results lie. */
    private void resultCube(Map<String, Integer> p, int[] offsets) {
        MatmulShape shape = new MatmulShape(MatmulType.INT8_INT32, p.getOrDefault("H", 0), 32, p.getOrDefault("C", 0));
        MemorySegment packed = device(shape.cBytes());
        for (int i = 0; i < offsets.length; i++) {
            packed.set(ValueLayout.JAVA_INT, 4L * offsets[i], i);
        }
        MemorySegment dense = MemorySegment.ofArray(new byte[(int) shape.cBytes()]);
        Packing.c(shape, Form.NATIVE, packed, dense, shape.n() * 4L, shape.m(), shape.n());
        for (int i = 0; i < offsets.length; i++) {
            assertThat(dense.get(ValueLayout.JAVA_INT_UNALIGNED, 4L * i)).isEqualTo(i);
        }
    }

    @Test
    void aTileOfALargerMatrixIsPackedWithZerosAround() {
        long seed = Long.getLong("portal.seed", 7);
        RandomStream random = new RandomStream(seed);
        for (MatmulType type : new MatmulType[] {MatmulType.INT8_INT32, MatmulType.FP16_FP32}) {
            int bytes = type.inputBytes();
            for (int round = 0; round < 40; round++) {
                int rows = 1 + random.nextInt(8);
                int columns = 1 + random.nextInt(70);
                int pitch = columns + random.nextInt(5);
                MatmulShape shape = new MatmulShape(type, 8, (columns + 31) / 32 * 32, type.kernelGroup());
                MemorySegment source = counting(pitch * rows, bytes);
                MemorySegment rowMajor = device(shape.aBytes());
                MemorySegment cubes = device(shape.aBytes());
                MemorySegment weights = device(shape.bBytes());
                Packing.a(shape, Form.ROW_MAJOR, source, (long) pitch * bytes, rows, columns, rowMajor);
                Packing.a(shape, Form.NATIVE, source, (long) pitch * bytes, rows, columns, cubes);
                Packing.b(shape, source, (long) pitch * bytes, columns, rows, weights);
                int atom = 16 / bytes;
                for (int m = 0; m < 8; m++) {
                    for (int k = 0; k < shape.k(); k++) {
                        int expected = m < rows && k < columns ? get(source, (long) m * pitch + k, bytes) : 0;
                        String where = "%s, -Dportal.seed=%d, round %d: %d, %d".formatted(type, seed, round, m, k);
                        assertThat(get(rowMajor, (long) m * shape.k() + k, bytes))
                                .as(where)
                                .isEqualTo(expected);
                        assertThat(get(cubes, (k / atom * 8L + m) * atom + k % atom, bytes))
                                .as(where)
                                .isEqualTo(expected);
                        assertThat(get(weights, (k / 32 * (long) type.kernelGroup() + m) * 32 + k % 32, bytes))
                                .as(where)
                                .isEqualTo(expected);
                    }
                }
            }
        }
    }

    @Test
    void resultsAreTakenWithoutTheirPadding() {
        MatmulShape shape = new MatmulShape(MatmulType.FP16_FP16, 4, 32, 32);
        for (Form form : Form.values()) {
            MemorySegment packed = device(shape.cBytes());
            for (int m = 0; m < 4; m++) {
                for (int n = 0; n < 32; n++) {
                    long at = form == Form.ROW_MAJOR ? m * 32L + n : (n / 8 * 4L + m) * 8 + n % 8;
                    packed.set(ValueLayout.JAVA_SHORT, 2 * at, (short) (100 * m + n));
                }
            }
            short[] out = new short[3 * 40];
            Packing.c(shape, form, packed, MemorySegment.ofArray(out), 80, 3, 21);
            assertThat(out[2 * 40 + 20]).isEqualTo((short) 220);
            assertThat(out[21]).isZero();
            assertThat(out[40]).isEqualTo((short) 100);
        }
    }
}
