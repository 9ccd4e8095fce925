package dev.portal.llm.decoder;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import dev.portal.base.VirtualClock;
import dev.portal.llm.decoder.NpuBackend.Meter;
import dev.portal.llm.decoder.NpuBackend.Times;
import org.junit.jupiter.api.Test;

/** How the NPU's share follows from what both sides take. */
class NpuShareTest {
    @Test
    void bothPartsEndTogether() {
        Times times = new Times(7_000, 3_000);
        double share = times.share();
        assertThat(share * times.npuNanos()).isCloseTo((1 - share) * times.cpuNanos(), within(1e-6));
        assertThat(share).isCloseTo(0.3, within(1e-9));
    }

    @Test
    void eachSideIsMeasuredOnItsOwnClockAndTheFirstRunDoesNotCount() {
        VirtualClock npu = new VirtualClock();
        VirtualClock cpu = new VirtualClock();
        int[] runs = new int[2];
        Times times = Meter.of(npu, "model", cpu)
                .measure(() -> npu.advance(runs[0]++ == 0 ? 9 : 400), () -> cpu.advance(runs[1]++ == 0 ? 9 : 600));
        assertThat(times).isEqualTo(new Times(400, 600));
    }

    @Test
    void aTimeOfNothingIsRefused() {
        assertThatThrownBy(() -> new Times(0, 5))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("0 and 5 ns");
    }
}
