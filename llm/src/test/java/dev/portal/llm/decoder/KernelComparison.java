package dev.portal.llm.decoder;

import static org.assertj.core.api.Assertions.assertThat;

import dev.portal.base.RandomStream;
import dev.portal.llm.gguf.TensorType;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;

/** Compares two sets of loops on random inputs, bit by bit. */
final class KernelComparison {
    private final Kernels plain;
    private final Kernels fast;
    private final long seed;

    KernelComparison(Kernels plain, Kernels fast, long seed) {
        this.plain = plain;
        this.fast = fast;
        this.seed = seed;
    }

    private String rerun(String what) {
        return what + ": ./portal test -pl llm -Dtest=KernelsTest -Dportal.seed=" + seed;
    }

    /** Some rounds of everything, each with other sizes. */
    void run(int rounds) {
        for (int round = 0; round < rounds; round++) {
            RandomStream random = new RandomStream(seed).derive("kernels-" + round);
            for (TensorType type : TensorType.values()) {
                matrix(type, random.derive(type.name()), 1);
                matrix(type, random.derive(type.name() + "s"), 2 + random.nextInt(9));
            }
            i8(random.derive("i8"), 1);
            i8(random.derive("i8s"), 2 + random.nextInt(9));
            attention(random.derive("attention"));
        }
    }

    private static float[] floats(RandomStream random, int count, float size) {
        float[] floats = new float[count];
        for (int i = 0; i < count; i++) {
            floats[i] = (random.nextFloat() - 0.5f) * 2 * size;
        }
        return floats;
    }

    private static MemorySegment weights(TensorType type, RandomStream random, long count) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try {
            RandomModels.contents(bytes, type, new RandomModels.Draws("w" + random.nextInt(1 << 30)), count);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return Arena.ofAuto().allocate(bytes.size()).copyFrom(MemorySegment.ofArray(bytes.toByteArray()));
    }

    private void matrix(TensorType type, RandomStream random, int tokens) {
        boolean floats = type == TensorType.F32 || type == TensorType.F16;
        int columns = floats
                ? 1 + random.nextInt(300)
                : type.blockWeights() * (1 + random.nextInt(512 / type.blockWeights()));
        int rows = 1 + random.nextInt(11);
        float[] x = floats(random, tokens * columns, 2);
        MemorySegment weights = weights(type, random, (long) rows * columns);
        float[] expected = new float[tokens * rows];
        float[] actual = new float[tokens * rows];
        float[] room = new float[Kernels.room(columns)];
        int from = random.nextInt(rows);
        if (floats) {
            plain.floats(type, weights, from, rows, columns, x, tokens, expected, rows, room);
            fast.floats(type, weights, from, rows, columns, x, tokens, actual, rows, room);
        } else {
            Activations activations = new Activations(tokens, columns);
            activations.perBlock(type, x, columns, tokens);
            plain.blocks(type, weights, from, rows, columns, activations, tokens, expected, rows, room);
            fast.blocks(type, weights, from, rows, columns, activations, tokens, actual, rows, room);
        }
        assertThat(actual)
                .as(rerun(type + ", " + columns + " columns, " + tokens + " tokens"))
                .isEqualTo(expected);
    }

    private void i8(RandomStream random, int tokens) {
        int columns = 32 * (1 + random.nextInt(40));
        int rows = 1 + random.nextInt(11);
        Activations activations = new Activations(tokens, columns);
        activations.perToken(floats(random, tokens * columns, 2), columns, tokens);
        MemorySegment weights = Arena.ofAuto().allocate((long) rows * columns);
        for (long i = 0; i < weights.byteSize(); i++) {
            weights.set(WeightRows.BYTE, i, (byte) random.nextInt(256));
        }
        float[] scales = floats(random, rows, 1);
        float[] expected = new float[tokens * rows];
        float[] actual = new float[tokens * rows];
        float[] room = new float[Kernels.room(columns)];
        plain.i8(weights, scales, 0, rows, columns, activations, tokens, expected, rows, room);
        fast.i8(weights, scales, 0, rows, columns, activations, tokens, actual, rows, room);
        assertThat(actual)
                .as(rerun("i8, " + columns + " columns, " + tokens + " tokens"))
                .isEqualTo(expected);
    }

    private void attention(RandomStream random) {
        int width = 1 + random.nextInt(140);
        int positions = 1 + random.nextInt(140);
        float[] query = floats(random, width, 3);
        float[] cache = floats(random, width * positions, 3);
        float[] expected = new float[positions + Kernels.ROOM_FOR_SUMS];
        float[] actual = new float[positions + Kernels.ROOM_FOR_SUMS];
        float most = plain.scores(query, 0, cache, 0, positions, width, 0.25f, expected, 0);
        assertThat(fast.scores(query, 0, cache, 0, positions, width, 0.25f, actual, 0))
                .isEqualTo(most);
        assertThat(Arrays.copyOf(actual, positions)).as(rerun("scores")).isEqualTo(Arrays.copyOf(expected, positions));
        double sum = plain.exponentials(expected, 0, positions, most);
        assertThat(fast.exponentials(actual, 0, positions, most))
                .as(rerun("sum"))
                .isEqualTo(sum);
        assertThat(Arrays.copyOf(actual, positions))
                .as(rerun("exponentials"))
                .isEqualTo(Arrays.copyOf(expected, positions));
        float[] mixed = new float[width];
        float[] other = new float[width];
        float factor = (float) (1 / sum);
        plain.mix(expected, 0, factor, cache, 0, positions, width, mixed, 0);
        fast.mix(actual, 0, factor, cache, 0, positions, width, other, 0);
        assertThat(other).as(rerun("mix of " + positions)).isEqualTo(mixed);
        float[] gate = floats(random, width, 100);
        float[] same = gate.clone();
        plain.gated(gate, query, width, expected);
        fast.gated(same, query, width, actual);
        assertThat(same).as(rerun("gated")).isEqualTo(gate);
    }
}
