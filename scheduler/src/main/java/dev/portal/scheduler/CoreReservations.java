package dev.portal.scheduler;

import dev.portal.scheduler.NpuWorkload.Family;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Which family holds which core. A reservation belongs to a core and a family, and lasts as long as the process (design
 * 4.2; spec 5.3 says why the family and not the workload).
 *
 * <p>One word holds it all: bit {@code w} is set once workload {@code w} is allocated. Since every family has one core, a
 * set bit of any workload of a family means that the family has its core. Each allocation is one atomic
 * fetch-and-or, the seed's {@code swap(true)}: whoever set the bit has it, everybody after fails. No bit is ever cleared.
 */
final class CoreReservations {
    static final String VAD_REFUSAL = "VAD runs on CPU, not NPU";

    private final boolean singleCore;
    private final AtomicInteger allocated = new AtomicInteger();

    CoreReservations(boolean singleCore) {
        this.singleCore = singleCore;
    }

    /** Allocates, or says why not. */
    NpuCoreReservation allocate(NpuCore core, NpuWorkload workload, NpuPriority priority) {
        NpuCore home = workload.homeCore().orElseThrow(() -> new NpuException.CoreAllocationFailed(VAD_REFUSAL));
        if (!singleCore && !core.equals(home)) {
            throw new NpuException.CoreAllocationFailed(
                    workload + " belongs on " + home + ", not on " + core + "; allocate " + home);
        }
        int bit = 1 << workload.ordinal();
        if ((allocated.getAndUpdate(held -> held | bit) & bit) != 0) {
            throw new NpuException.CoreAllocationFailed(workload + " holds " + (singleCore ? new NpuCore(0) : home)
                    + " already, permanently; keep the first reservation");
        }
        return new NpuCoreReservation(singleCore ? new NpuCore(0) : home, workload, priority);
    }

    /** Whether a workload of {@code family} has its core. */
    boolean isReserved(Family family) {
        int held = allocated.get();
        for (NpuWorkload workload : NpuWorkload.values()) {
            if (workload.family() == family && (held & 1 << workload.ordinal()) != 0) {
                return true;
            }
        }
        return false;
    }
}
