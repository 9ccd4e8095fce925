package dev.portal.llm.decoder;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.portal.base.VirtualClock;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** How the processor's part takes up an emulated device's time. */
class ProcessorTimeTest {
    private final VirtualClock device = new VirtualClock();
    private final List<Long> looks = new ArrayList<>();

    private void look() {
        looks.add(device.nanos());
    }

    @Test
    void theDevicesEventsHappenWhileThePartPasses() {
        List<Long> events = new ArrayList<>();
        device.at(400, () -> events.add(device.nanos()));
        device.at(1_600, () -> events.add(device.nanos()));
        ProcessorTime time = ProcessorTime.measured(device, device);
        assertThat(time.pass(0, 1, 1_000, this::look)).isEqualTo(1_000);
        assertThat(device.nanos()).isEqualTo(1_000);
        assertThat(events).containsExactly(400L);
        assertThat(looks).containsExactly(400L, 1_000L);
    }

    @Test
    void whatTheHelpersDidBeforeTheCallerJoinedIsDone() {
        ProcessorTime time = ProcessorTime.measured(device, device);
        device.advance(200);
        // 1000 ns of three threads' work: two did 400 meanwhile, three do the other 600 in 200.
        assertThat(time.pass(0, 3, 1_000, this::look)).isEqualTo(400);
        assertThat(device.nanos()).isEqualTo(400);
    }

    @Test
    void aPartThatTheHelpersHaveDoneEndedBeforeTheCallerCame() {
        ProcessorTime time = ProcessorTime.measured(device, device);
        device.advance(900);
        assertThat(time.pass(100, 2, 300, this::look)).isEqualTo(400);
        assertThat(device.nanos()).isEqualTo(900);
        assertThat(looks).isEmpty();
    }

    @Test
    void atAGivenRateTheTimeFollowsFromTheWeightsAndElseFromTheMeasurement() {
        assertThat(ProcessorTime.atRate(device, 4).threadNanos(7, 1_000, 2)).isEqualTo(500);
        assertThat(ProcessorTime.measured(device, device).threadNanos(7, 1_000, 2))
                .isEqualTo(7);
        assertThatThrownBy(() -> ProcessorTime.atRate(device, 0))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("reads 0.0 bytes");
    }

    @Test
    void aBoardsTimePassesByItself() {
        device.advance(50);
        assertThat(ProcessorTime.byItself(device).pass(0, 1, 1_000, this::look)).isEqualTo(50);
        assertThat(ProcessorTime.NONE.now()).isZero();
        assertThat(looks).isEmpty();
    }
}
