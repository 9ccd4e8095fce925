package dev.portal.scheduler;

import dev.portal.base.VirtualClock;
import java.util.Map;

/** What the tests build again and again. */
final class Fixtures {
    static final long MS = 1_000_000;
    static final long SECOND = 1_000 * MS;
    static final NpuDetection MULTI_CORE =
            NpuDetection.detect("aarch64", Map.of(), path -> path.equals("/sys/class/npu"));
    static final NpuDetection SINGLE_CORE = NpuDetection.detect(
            "aarch64", Map.of("PORTAL_NPU_CORE_COUNT", "1"), path -> path.equals("/dev/fastrpc-adsp"));
    static final NpuDetection ABSENT = NpuDetection.detect("amd64", Map.of(), path -> true);

    private Fixtures() {}

    static PortalNpuScheduler stepped(VirtualClock clock, NpuDetection detection) {
        return PortalNpuScheduler.stepped(detection, SchedulerOptions.of(detection), clock, SchedulerListener.NONE);
    }

    static void runAll(PortalNpuScheduler scheduler) {
        while (scheduler.step() > 0) {}
    }
}
