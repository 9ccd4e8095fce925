package dev.portal.verification.scheduler;

import dev.portal.base.Clock;
import dev.portal.base.SystemClock;
import dev.portal.scheduler.NpuDetection;
import dev.portal.scheduler.NpuException;
import dev.portal.scheduler.NpuPriority;
import dev.portal.scheduler.NpuWorkload;
import dev.portal.scheduler.PortalNpuScheduler;
import dev.portal.scheduler.SchedulerListener;
import dev.portal.scheduler.SchedulerOptions;
import java.util.Map;
import org.jetbrains.lincheck.datastructures.ModelCheckingOptions;
import org.jetbrains.lincheck.datastructures.Operation;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Of several threads that allocate one workload, exactly one gets it, whatever the interleaving. */
@Tag("slow")
public class ReservationsLincheckTest {
    private static final Clock CLOCK = new SystemClock();
    private static final NpuDetection EMULATED =
            NpuDetection.detect("any", Map.of("PORTAL_NPU_TRANSPORT", "emulated"), p -> false);

    private final PortalNpuScheduler scheduler =
            PortalNpuScheduler.stepped(EMULATED, SchedulerOptions.defaults(), CLOCK, SchedulerListener.NONE);

    private boolean allocate(NpuWorkload workload) {
        try {
            scheduler.allocateCore(workload.homeCore().orElseThrow(), workload, NpuPriority.LOW);
            return true;
        } catch (NpuException.CoreAllocationFailed taken) {
            return false;
        }
    }

    @Operation
    public boolean encoder() {
        return allocate(NpuWorkload.TTS_ENCODER);
    }

    @Operation
    public boolean decoder() {
        return allocate(NpuWorkload.TTS_DECODER);
    }

    @Test
    void exactlyOneThreadGetsAWorkload() {
        new ModelCheckingOptions()
                .iterations(3)
                .invocationsPerIteration(100)
                .threads(3)
                .actorsPerThread(2)
                .actorsBefore(0)
                .actorsAfter(0)
                .check(ReservationsLincheckTest.class);
    }
}
