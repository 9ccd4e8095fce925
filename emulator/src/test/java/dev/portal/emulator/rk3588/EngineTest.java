package dev.portal.emulator.rk3588;

import static org.assertj.core.api.Assertions.assertThat;

import dev.portal.base.RandomStream;
import java.util.Arrays;
import java.util.stream.LongStream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The fast engine against the scalar one: every bit. */
class EngineTest {
    static LongStream seeds() {
        Long given = Long.getLong("portal.seed");
        return given == null ? LongStream.rangeClosed(1, 12) : LongStream.of(given);
    }

    @ParameterizedTest
    @MethodSource("seeds")
    void bothEnginesGiveTheSameInt8Sums(long seed) {
        RandomStream random = new RandomStream(seed).derive("int8");
        int rows = seed % 3 == 0 ? 1 : 1 + random.nextInt(9);
        int channels = 32 * (1 + random.nextInt(40));
        int kernels = 32 * (1 + random.nextInt(5));
        byte[] features = new byte[rows * channels];
        byte[] weights = new byte[7 + kernels * channels];
        random.nextBytes(features);
        random.nextBytes(weights);
        if (seed % 4 == 0) {
            Arrays.fill(features, (byte) -128);
            Arrays.fill(weights, (byte) -128);
        }
        int[] scalar = new int[rows * kernels];
        int[] fast = new int[rows * kernels];
        new ScalarEngine().int8(features, weights, 7, rows, channels, kernels, scalar);
        new FastEngine().int8(features, weights, 7, rows, channels, kernels, fast);
        assertThat(fast).as("rerun with -Dportal.seed=%d", seed).isEqualTo(scalar);
    }

    @ParameterizedTest
    @MethodSource("seeds")
    void bothEnginesGiveTheSameFp16Sums(long seed) {
        RandomStream random = new RandomStream(seed).derive("fp16");
        int rows = 1 + random.nextInt(5);
        int channels = 32 * (1 + random.nextInt(20));
        int kernels = 16 * (1 + random.nextInt(7));
        byte[] features = new byte[2 * rows * channels];
        byte[] weights = new byte[4 + 2 * kernels * channels];
        if (seed % 4 == 0) {
            random.nextBytes(features);
            random.nextBytes(weights);
        } else {
            halves(random, features);
            halves(random, weights);
        }
        int[] scalar = new int[rows * kernels];
        int[] fast = new int[rows * kernels];
        new ScalarEngine().fp16(features, weights, 4, rows, channels, kernels, scalar);
        new FastEngine().fp16(features, weights, 4, rows, channels, kernels, fast);
        for (int i = 0; i < scalar.length; i++) {
            boolean bothNan =
                    Float.isNaN(Float.intBitsToFloat(scalar[i])) && Float.isNaN(Float.intBitsToFloat(fast[i]));
            if (!bothNan) {
                assertThat(fast[i])
                        .as("sum %d; rerun with -Dportal.seed=%d", i, seed)
                        .isEqualTo(scalar[i]);
            }
        }
    }

    private static void halves(RandomStream random, byte[] into) {
        for (int i = 0; i + 1 < into.length; i += 2) {
            short bits = Float.floatToFloat16((float) random.nextGaussian());
            into[i] = (byte) bits;
            into[i + 1] = (byte) (bits >> 8);
        }
    }
}
