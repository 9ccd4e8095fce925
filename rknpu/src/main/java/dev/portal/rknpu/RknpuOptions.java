package dev.portal.rknpu;

import java.util.Optional;
import java.util.Set;

/**
 * How to open the NPU.
 *
 * @param node the node, when it is not to be searched
 * @param timeoutMs how long a blocking job may run; the driver resets the device after it (spec 8.4)
 * @param domain the IOMMU domain of the buffers, 0 to 15
 * @param lock whether to keep other processes out
 * @param warmUp whether to run a throw-away product on a core that is cold (Q5)
 * @param omittedSyncs syncs to leave out, for tests that must then see a wrong result; empty otherwise
 */
public record RknpuOptions(
        Optional<String> node, int timeoutMs, int domain, boolean lock, boolean warmUp, Set<SyncPoint> omittedSyncs) {
    /** What a program wants. */
    public static final RknpuOptions DEFAULT = new RknpuOptions(Optional.empty(), 6000, 0, true, true, Set.of());

    private static final int DOMAINS = 16;

    public RknpuOptions {
        if (timeoutMs < 1) {
            throw new IllegalArgumentException(
                    "timeout of " + timeoutMs + " ms: 0 fails at once and resets the device");
        }
        if (domain < 0 || domain >= DOMAINS) {
            throw new IllegalArgumentException("IOMMU domain " + domain + "; there are 0 to " + (DOMAINS - 1));
        }
        omittedSyncs = Set.copyOf(omittedSyncs);
    }

    public RknpuOptions withoutSync(SyncPoint point) {
        return new RknpuOptions(node, timeoutMs, domain, lock, warmUp, Set.of(point));
    }

    public RknpuOptions withTimeoutMs(int milliseconds) {
        return new RknpuOptions(node, milliseconds, domain, lock, warmUp, omittedSyncs);
    }

    public RknpuOptions withoutWarmUp() {
        return new RknpuOptions(node, timeoutMs, domain, lock, false, omittedSyncs);
    }
}
