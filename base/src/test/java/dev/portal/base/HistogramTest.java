package dev.portal.base;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Arrays;
import org.junit.jupiter.api.Test;

class HistogramTest {
    @Test
    void quantilesAreNeverTooLowAndAtMostASixteenthTooHigh() {
        RandomStream random = new RandomStream(7);
        for (int round = 0; round < 50; round++) {
            Histogram histogram = new Histogram();
            long[] values = new long[random.nextInt(1, 300)];
            for (int i = 0; i < values.length; i++) {
                values[i] = random.nextLong() >>> random.nextInt(20, 64);
                histogram.record(values[i]);
            }
            Arrays.sort(values);
            for (double share : new double[] {0.01, 0.5, 0.9, 0.99, 1}) {
                long exact = values[(int) Math.ceil(share * values.length) - 1];
                assertThat(histogram.quantile(share)).isBetween(exact, exact + exact / 16);
            }
            assertThat(histogram.max()).isEqualTo(values[values.length - 1]);
            assertThat(histogram.sum()).isEqualTo(Arrays.stream(values).sum());
        }
    }

    @Test
    void hugeAndNegativeValuesAreCounted() {
        Histogram histogram = new Histogram();
        histogram.record(-5);
        histogram.record(Long.MAX_VALUE);
        assertThat(histogram.count()).isEqualTo(2);
        assertThat(histogram.quantile(0.5)).isZero();
        assertThat(histogram.quantile(1)).isEqualTo(Long.MAX_VALUE);
    }

    @Test
    void addingAndCopyingKeepTheOriginals() {
        Histogram a = new Histogram();
        a.record(10);
        Histogram b = a.copy();
        b.record(1000);
        a.add(b);
        assertThat(a.count()).isEqualTo(3);
        assertThat(a.max()).isEqualTo(1000);
        assertThat(b.count()).isEqualTo(2);
        assertThat(new Histogram().quantile(0.99)).isZero();
        assertThatThrownBy(() -> a.quantile(0)).hasMessageContaining("share 0.0");
    }
}
