package dev.portal.hexagon;

import dev.portal.hardware.fastrpc.Fastrpc;
import java.util.List;
import java.util.function.Predicate;

/**
 * What can be set about the transport.
 *
 * @param heaps names below {@code /dev/dma_heap} to allocate from, in order, before the session's own allocator
 * @param hangNanos an invoke that takes longer is given up
 * @param watchPeriodNanos how often running calls are looked at: the precision of {@code hangNanos}, and how late an abort
 *     may reach the DSP
 * @param restartWaitNanos how long a new session waits for the nodes to come back after a restart of the DSP
 * @param dspAddressBytes addresses that one process on the DSP may map; a 32-bit process has about 3 GiB
 * @param listener whether a thread serves calls from the DSP to the host, which loading a module from files needs
 * @param skeletonUri what {@code remotectl} is asked to load
 * @param processAttributes attributes of the process on the DSP; unsigned by default
 * @param ownThreads which calling threads become invoke threads themselves: platform threads that the program dedicates
 *     to a lane, since their asynchronous signals are blocked for good. Calls of the others go through threads of the
 *     transport's own
 */
public record HexagonOptions(
        List<String> heaps,
        long hangNanos,
        long watchPeriodNanos,
        long restartWaitNanos,
        long dspAddressBytes,
        boolean listener,
        String skeletonUri,
        int processAttributes,
        Predicate<Thread> ownThreads) {
    /** Prefix of the names of the arbiter's lane threads. */
    private static final String LANE_THREAD = "npu-core-";

    private static final long MILLISECOND = 1_000_000L;
    private static final long GIB = 1L << 30;

    public HexagonOptions {
        heaps = List.copyOf(heaps);
        require(hangNanos > 0, "hangNanos", hangNanos);
        require(watchPeriodNanos > 0, "watchPeriodNanos", watchPeriodNanos);
        require(restartWaitNanos >= 0, "restartWaitNanos", restartWaitNanos);
        require(dspAddressBytes > 0 && dspAddressBytes <= 4 * GIB, "dspAddressBytes", dspAddressBytes);
    }

    private static void require(boolean holds, String name, long value) {
        if (!holds) {
            throw new IllegalArgumentException(name + " is " + value + ", which is out of its range");
        }
    }

    /** The system heap; two seconds for a call; ten for a restart; 3 GiB of addresses; lane threads invoke themselves. */
    public static HexagonOptions defaults() {
        return new HexagonOptions(
                List.of("system"),
                2_000 * MILLISECOND,
                2 * MILLISECOND,
                10_000 * MILLISECOND,
                3 * GIB,
                true,
                dev.portal.hardware.fastrpc.QnnWire.SKELETON_URI,
                Fastrpc.MODE_UNSIGNED_MODULE,
                thread -> thread.getName().startsWith(LANE_THREAD));
    }

    public HexagonOptions withHeaps(List<String> names) {
        return new HexagonOptions(
                names,
                hangNanos,
                watchPeriodNanos,
                restartWaitNanos,
                dspAddressBytes,
                listener,
                skeletonUri,
                processAttributes,
                ownThreads);
    }

    public HexagonOptions withHang(long nanos, long periodNanos) {
        return new HexagonOptions(
                heaps,
                nanos,
                periodNanos,
                restartWaitNanos,
                dspAddressBytes,
                listener,
                skeletonUri,
                processAttributes,
                ownThreads);
    }

    public HexagonOptions withRestartWait(long nanos) {
        return new HexagonOptions(
                heaps,
                hangNanos,
                watchPeriodNanos,
                nanos,
                dspAddressBytes,
                listener,
                skeletonUri,
                processAttributes,
                ownThreads);
    }

    public HexagonOptions withDspAddressBytes(long bytes) {
        return new HexagonOptions(
                heaps,
                hangNanos,
                watchPeriodNanos,
                restartWaitNanos,
                bytes,
                listener,
                skeletonUri,
                processAttributes,
                ownThreads);
    }

    public HexagonOptions withListener(boolean on) {
        return new HexagonOptions(
                heaps,
                hangNanos,
                watchPeriodNanos,
                restartWaitNanos,
                dspAddressBytes,
                on,
                skeletonUri,
                processAttributes,
                ownThreads);
    }

    public HexagonOptions withOwnThreads(Predicate<Thread> threads) {
        return new HexagonOptions(
                heaps,
                hangNanos,
                watchPeriodNanos,
                restartWaitNanos,
                dspAddressBytes,
                listener,
                skeletonUri,
                processAttributes,
                threads);
    }
}
