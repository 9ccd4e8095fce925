package dev.portal.scheduler;

import static dev.portal.scheduler.Fixtures.SECOND;
import static org.assertj.core.api.Assertions.assertThat;

import dev.portal.base.VirtualClock;
import dev.portal.scheduler.NpuMonitor.Status;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class NpuMonitorTest {
    private final VirtualClock clock = new VirtualClock();
    private final List<String> changes = new ArrayList<>();
    private final NpuMonitor monitor = new NpuMonitor(
            clock,
            SchedulerOptions.defaults(),
            Status.HEALTHY,
            (from, to, failures) -> changes.add(from + ">" + to + " after " + failures));

    private void fail(int times) {
        for (int i = 0; i < times; i++) {
            monitor.recordFailure();
        }
    }

    @Test
    void theConstantsAreTheSeeds() {
        assertThat(SchedulerOptions.DEGRADE_THRESHOLD).isEqualTo(3);
        assertThat(SchedulerOptions.FALLBACK_THRESHOLD).isEqualTo(10);
        assertThat(SchedulerOptions.RECOVERY_WINDOW_SECS).isEqualTo(60);
        assertThat(SchedulerOptions.STARVATION_THRESHOLD_SECS).isEqualTo(30);
        assertThat(SchedulerOptions.CORE1_QUEUE_CAPACITY).isEqualTo(16);
        SchedulerOptions options = SchedulerOptions.defaults();
        assertThat(options.recoveryNanos()).isEqualTo(60 * SECOND);
        assertThat(options.starvationNanos()).isEqualTo(30 * SECOND);
        assertThat(options.queueCapacity()).isEqualTo(16);
        assertThat(options.memoryWarningBytes()).isEqualTo(104_857_600);
        assertThat(options.displacement()).isFalse();
    }

    @Test
    void threeFailuresInARowDegrade() {
        fail(2);
        assertThat(monitor.status()).isEqualTo(Status.HEALTHY);
        fail(1);
        assertThat(monitor.status()).isEqualTo(Status.DEGRADED);
        assertThat(monitor.consecutiveFailures()).isEqualTo(3);
    }

    @Test
    void aSuccessBetweenFailuresStartsTheCountAgain() {
        fail(2);
        monitor.recordSuccess();
        assertThat(monitor.consecutiveFailures()).isZero();
        fail(2);
        assertThat(monitor.status()).isEqualTo(Status.HEALTHY);
    }

    @Test
    void tenFailuresInARowFromHealthyAreFallback() {
        fail(9);
        assertThat(monitor.status()).isEqualTo(Status.DEGRADED);
        fail(1);
        assertThat(monitor.status()).isEqualTo(Status.FALLBACK);
        assertThat(changes).containsExactly("HEALTHY>DEGRADED after 3", "DEGRADED>FALLBACK after 10");
    }

    @Test
    void degradedIsLeftOnlyByASuccessSixtySecondsAfterTheLastFailure() {
        fail(3);
        clock.advance(60 * SECOND - 1);
        monitor.recordSuccess();
        assertThat(monitor.status()).isEqualTo(Status.DEGRADED);
        assertThat(monitor.consecutiveFailures()).isZero();
        clock.advance(1);
        assertThat(monitor.status()).isEqualTo(Status.DEGRADED);
        monitor.recordSuccess();
        assertThat(monitor.status()).isEqualTo(Status.HEALTHY);
    }

    @Test
    void aFailureWhileDegradedStartsTheSixtySecondsAgain() {
        fail(3);
        clock.advance(59 * SECOND);
        fail(1);
        clock.advance(59 * SECOND);
        monitor.recordSuccess();
        assertThat(monitor.status()).isEqualTo(Status.DEGRADED);
        clock.advance(SECOND);
        monitor.recordSuccess();
        assertThat(monitor.status()).isEqualTo(Status.HEALTHY);
    }

    @Test
    void afterAnEarlySuccessTenMoreFailuresAreNeededForFallback() {
        fail(9);
        monitor.recordSuccess();
        fail(9);
        assertThat(monitor.status()).isEqualTo(Status.DEGRADED);
        fail(1);
        assertThat(monitor.status()).isEqualTo(Status.FALLBACK);
    }

    @Test
    void fallbackIsLeftBySettingTheStatusOnly() {
        fail(10);
        clock.advance(1000 * SECOND);
        monitor.recordSuccess();
        assertThat(monitor.status()).isEqualTo(Status.FALLBACK);
        fail(1);
        assertThat(monitor.status()).isEqualTo(Status.FALLBACK);
        monitor.setStatus(Status.HEALTHY);
        assertThat(monitor.status()).isEqualTo(Status.HEALTHY);
        assertThat(monitor.consecutiveFailures()).isZero();
        fail(2);
        assertThat(monitor.status()).isEqualTo(Status.HEALTHY);
    }
}
