package dev.portal.base;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class VirtualClockTest {
    private final VirtualClock clock = new VirtualClock();

    @Test
    void eventsRunByTimeThenByOrderOfBooking() {
        List<String> ran = new ArrayList<>();
        clock.at(20, () -> ran.add("late"));
        clock.at(10, () -> ran.add("first at 10"));
        clock.at(10, () -> ran.add("second at 10"));
        clock.advanceTo(20);
        assertThat(ran).containsExactly("first at 10", "second at 10", "late");
        assertThat(clock.nanos()).isEqualTo(20);
    }

    @Test
    void parkingStopsAtTheNextEventOrTheDeadline() {
        clock.at(5, () -> {});
        clock.parkUntil(30);
        assertThat(clock.nanos()).isEqualTo(5);
        clock.parkUntil(30);
        assertThat(clock.nanos()).isEqualTo(30);
    }

    @Test
    void pollingWithNothingBookedIsAnErrorThatNamesTheTime() {
        clock.advance(7);
        assertThatThrownBy(clock::spin).hasMessageContaining("7 ns");
        assertThatThrownBy(() -> clock.parkUntil(Clock.NEVER)).hasMessageContaining("7 ns");
    }

    @Test
    void anEventMayBookAnother() {
        List<Long> times = new ArrayList<>();
        clock.at(1, () -> clock.at(3, () -> times.add(clock.nanos())));
        clock.advance(10);
        assertThat(times).containsExactly(3L);
    }
}
