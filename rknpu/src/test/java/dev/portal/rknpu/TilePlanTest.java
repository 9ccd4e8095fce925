package dev.portal.rknpu;

import static org.assertj.core.api.Assertions.assertThat;

import dev.portal.base.RandomStream;
import dev.portal.rknpu.TilePlan.Slice;
import java.util.List;
import org.junit.jupiter.api.Test;

class TilePlanTest {
    private static void covers(List<Slice> slices, int length, int granule) {
        int next = 0;
        for (Slice slice : slices) {
            assertThat(slice.start()).isEqualTo(next);
            assertThat(slice.size()).isPositive();
            assertThat(slice.padded()).isGreaterThanOrEqualTo(slice.size()).isLessThan(slice.size() + granule);
            assertThat(slice.padded() % granule).isZero();
            next += slice.size();
        }
        assertThat(next).isEqualTo(length);
    }

    @Test
    void everyShapeIsCutIntoProgramsThatTheChipTakes() {
        long seed = Long.getLong("portal.seed", 11);
        RandomStream random = new RandomStream(seed);
        for (int round = 0; round < 300; round++) {
            MatmulType type = MatmulType.values()[random.nextInt(MatmulType.values().length)];
            int m = 1 + (int) Math.pow(2, random.nextDouble() * 12);
            int k = 1 + (int) Math.pow(2, random.nextDouble() * 14);
            int n = 1 + (int) Math.pow(2, random.nextDouble() * 15);
            int cores = 1 + random.nextInt(3);
            TilePlan plan = TilePlan.weights(type, k, n, cores).withRows(type, m);
            covers(plan.rows(), m, 1);
            covers(plan.depth(), k, 32);
            covers(plan.columns(), n, type.kernelGroup());
            for (Slice rows : plan.rows()) {
                for (Slice depth : plan.depth()) {
                    for (Slice columns : plan.columns()) {
                        MatmulShape shape = new MatmulShape(type, rows.size(), depth.padded(), columns.padded());
                        assertThat(MatmulProgram.rowMajor(shape).featureBanks())
                                .as("-Dportal.seed=%d, round %d: %s", seed, round, shape)
                                .isBetween(MatmulProgram.banksNeeded(shape), 11);
                    }
                }
            }
        }
    }

    @Test
    void rowsFillTheFeatureBanksInStepsOf64AsThePeerDoes() {
        assertThat(TilePlan.maxRows(MatmulType.INT8_INT32, 512)).isEqualTo(704);
        assertThat(TilePlan.maxRows(MatmulType.INT8_INT32, 1024)).isEqualTo(320);
        assertThat(TilePlan.maxRows(MatmulType.INT8_INT32, 2048)).isEqualTo(128);
        assertThat(TilePlan.maxRows(MatmulType.FP16_FP32, 256)).isEqualTo(704);
        assertThat(TilePlan.maxRows(MatmulType.FP16_FP32, 1024)).isEqualTo(128);
        assertThat(TilePlan.maxRows(MatmulType.FP16_FP32, 2048)).isEqualTo(64);
    }

    @Test
    void coresShareTheColumnsAndNoProgramIsWiderThanTheChipTakes() {
        assertThat(TilePlan.weights(MatmulType.INT8_INT32, 64, 96, 3).columns()).hasSize(3);
        assertThat(TilePlan.weights(MatmulType.INT8_INT32, 64, 32, 3).columns()).hasSize(1);
        assertThat(TilePlan.weights(MatmulType.INT8_INT32, 64, 9000, 1).columns())
                .extracting(Slice::padded)
                .containsExactly(8192, 832);
    }
}
