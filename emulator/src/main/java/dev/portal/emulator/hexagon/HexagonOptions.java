package dev.portal.emulator.hexagon;

import dev.portal.emulator.FaultPlan;
import java.util.List;
import java.util.function.Consumer;

/**
 * What kind of board is emulated.
 *
 * @param seed of everything that is random: DSP addresses, handles, faults
 * @param profile the kernel
 * @param sessions context banks of the channel, 1 to 14: how many opens succeed at once (8 on an SM8550)
 * @param secureChannel whether the plain node may create unsigned processes only
 * @param coherent one view of every buffer: a missing sync goes unnoticed. Off, a cached buffer has two views
 * @param heaps names below {@code /dev/dma_heap}; empty where the kernel has none
 * @param firmwareBuild build id that a shell must carry as text, or INIT_CREATE times out
 * @param requireListener whether a module is found only while a thread is parked in the listener
 * @param unsignedSupport what capability 1 says; unsigned processes are possible either way (spec 1.6)
 * @param parallelGraphs how many graphs compute at once, 1 or more
 * @param invokeNanos how long a call travels there and back, of the model; 0 in real time
 * @param faults what goes wrong
 */
public record HexagonOptions(
        long seed,
        DriverProfile profile,
        int sessions,
        boolean secureChannel,
        boolean coherent,
        List<String> heaps,
        String firmwareBuild,
        boolean requireListener,
        boolean unsignedSupport,
        int parallelGraphs,
        long invokeNanos,
        FaultPlan faults) {
    /** The firmware of {@link #standard()}. */
    public static final String STANDARD_BUILD = "CDSP.HT.2.5.c3-00001-PORTAL-1";

    private static final long INVOKE_NANOS = 60_000;

    public HexagonOptions {
        heaps = List.copyOf(heaps);
        if (sessions < 1 || sessions > 14) {
            throw new IllegalArgumentException(sessions + " sessions; the driver has 1 to 14 by channel");
        }
        if (parallelGraphs < 1) {
            throw new IllegalArgumentException(parallelGraphs + " graphs at once; 1 is the least");
        }
    }

    /** A board with a secure channel, a system heap and a new kernel, on which nothing goes wrong. */
    public static HexagonOptions standard() {
        return new HexagonOptions(
                1,
                DriverProfile.V7,
                8,
                true,
                false,
                List.of("system"),
                STANDARD_BUILD,
                false,
                true,
                3,
                INVOKE_NANOS,
                FaultPlan.NONE);
    }

    public HexagonOptions withSeed(long value) {
        return with(draft -> draft.seed = value);
    }

    public HexagonOptions withProfile(DriverProfile value) {
        return with(draft -> draft.profile = value);
    }

    public HexagonOptions withSessions(int value) {
        return with(draft -> draft.sessions = value);
    }

    public HexagonOptions withCoherent(boolean value) {
        return with(draft -> draft.coherent = value);
    }

    public HexagonOptions withHeaps(List<String> value) {
        return with(draft -> draft.heaps = value);
    }

    public HexagonOptions withFirmwareBuild(String value) {
        return with(draft -> draft.firmwareBuild = value);
    }

    public HexagonOptions withRequireListener(boolean value) {
        return with(draft -> draft.requireListener = value);
    }

    public HexagonOptions withParallelGraphs(int value) {
        return with(draft -> draft.parallelGraphs = value);
    }

    public HexagonOptions withInvokeNanos(long value) {
        return with(draft -> draft.invokeNanos = value);
    }

    public HexagonOptions withFaults(FaultPlan value) {
        return with(draft -> draft.faults = value);
    }

    /** The same with one thing changed. */
    private HexagonOptions with(Consumer<Draft> change) {
        Draft draft = new Draft(this);
        change.accept(draft);
        return draft.options();
    }

    /** All of it while it changes. */
    private static final class Draft {
        private long seed;
        private DriverProfile profile;
        private int sessions;
        private boolean secureChannel;
        private boolean coherent;
        private List<String> heaps;
        private String firmwareBuild;
        private boolean requireListener;
        private boolean unsignedSupport;
        private int parallelGraphs;
        private long invokeNanos;
        private FaultPlan faults;

        Draft(HexagonOptions from) {
            seed = from.seed;
            profile = from.profile;
            sessions = from.sessions;
            secureChannel = from.secureChannel;
            coherent = from.coherent;
            heaps = from.heaps;
            firmwareBuild = from.firmwareBuild;
            requireListener = from.requireListener;
            unsignedSupport = from.unsignedSupport;
            parallelGraphs = from.parallelGraphs;
            invokeNanos = from.invokeNanos;
            faults = from.faults;
        }

        HexagonOptions options() {
            return new HexagonOptions(
                    seed,
                    profile,
                    sessions,
                    secureChannel,
                    coherent,
                    heaps,
                    firmwareBuild,
                    requireListener,
                    unsignedSupport,
                    parallelGraphs,
                    invokeNanos,
                    faults);
        }
    }
}
