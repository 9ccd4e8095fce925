package dev.portal.emulator.rk3588;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayDeque;
import java.util.Deque;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Spec 2.6, Q20 and experiments.tsv. */
class IovaAllocatorTest {
    private static final long MIB = 1L << 20;

    private static int fill(IovaAllocator window, long bytes, boolean limited) {
        int count = 0;
        while (window.allocate(bytes, limited).isPresent()) {
            count++;
        }
        return count;
    }

    @Test
    void addressesComeFromTheTopDown() {
        IovaAllocator window = new IovaAllocator();
        assertThat(window.allocate(4096, true)).hasValue(0xfffff000L);
        assertThat(window.allocate(4096, true)).hasValue(0xffffe000L);
        assertThat(window.allocate(0xe000, true)).hasValue(0xffff0000L);
    }

    @ParameterizedTest
    @CsvSource({"128, 31", "16, 255", "64, 63", "192, 21"})
    void aFreshWindowHoldsAsManyBuffersAsOnABoard(long mebibytes, int expected) {
        assertThat(fill(new IovaAllocator(), mebibytes * MIB, true)).isEqualTo(expected);
    }

    @ParameterizedTest
    @CsvSource({"131072, false, 27", "135168, false, 31", "131072, true, 31"})
    void smallFreedPiecesOfTheGenericRouteAreLostToOthers(long bytes, boolean limited, int left) {
        IovaAllocator window = new IovaAllocator();
        Deque<Long> taken = new ArrayDeque<>();
        for (int i = 0; i < 4400; i++) {
            taken.push(window.allocate(bytes, limited).orElseThrow());
        }
        taken.forEach(address -> window.free(address, bytes, limited));
        assertThat(fill(window, 128 * MIB, true)).isEqualTo(left);
    }

    @Test
    void aFreedRangeIsUsedAgain() {
        IovaAllocator window = new IovaAllocator();
        long first = window.allocate(8192, true).orElseThrow();
        window.allocate(4096, true);
        window.free(first, 8192, true);
        assertThat(window.allocate(8192, true)).hasValue(first);
    }
}
