package dev.portal.emulator.hexagon;

import dev.portal.emulator.Diagnostic.Severity;
import dev.portal.emulator.FaultInjector;
import dev.portal.emulator.FaultPlan.Kind;
import dev.portal.emulator.KernelLog;
import dev.portal.emulator.ModelReport;
import java.util.HashSet;
import java.util.Map.Entry;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** Every DMA-BUF that is alive, and where the process has them mapped. The device's lock guards it. */
final class DmaBufs {
    /** More than this a heap of such a board does not have. */
    private static final long LARGEST = 1L << 30;

    /** A mapping of the process: {@code mmap} gave it {@code count} times. */
    private static final class Area {
        final DmaBuf buffer;
        final long end;
        int count;

        Area(DmaBuf buffer, long end) {
            this.buffer = buffer;
            this.end = end;
        }
    }

    /** Where a pointer of the process lies: in which buffer, and how far behind the start of its mapping. */
    record Place(DmaBuf buffer, long offset) {}

    private final boolean coherent;
    private final FaultInjector faults;
    private final KernelLog log;
    private final ModelReport report;
    private final Set<DmaBuf> alive = new HashSet<>();
    private final TreeMap<Long, Area> areas = new TreeMap<>();
    private long made;

    DmaBufs(boolean coherent, FaultInjector faults, KernelLog log, ModelReport report) {
        this.coherent = coherent;
        this.faults = faults;
        this.log = log;
        this.report = report;
    }

    /** A buffer with one reference; null when there is no memory. */
    @Nullable
    DmaBuf make(long size, @Nullable FastRpcFile maker) {
        if (faults.at(Kind.MEMORY_ERRNO).isPresent() || size <= 0 || size > LARGEST) {
            return null;
        }
        DmaBuf buffer = new DmaBuf(++made, size, maker == null && !coherent, maker);
        alive.add(buffer);
        return buffer;
    }

    void release(DmaBuf buffer) {
        buffer.references--;
        if (buffer.references > 0) {
            return;
        }
        alive.remove(buffer);
        FastRpcFile maker = buffer.maker;
        if (maker != null && maker.closed()) {
            log.add("BUG: KASAN: slab-use-after-free in fastrpc_buf_free");
            report.add(
                    Severity.FATAL,
                    "buffer-outlives-session",
                    buffer + " of ALLOC_DMA_BUFF is freed after its session was closed: current kernels touch freed"
                            + " memory; unmap and close buffers first (spec 1.8)");
        }
        buffer.free();
    }

    /** The process mapped the buffer from {@code address} on. */
    void mapped(DmaBuf buffer, long address, long length) {
        buffer.references++;
        Area area = areas.computeIfAbsent(address, at -> new Area(buffer, at + AddressSpace.pages(length)));
        area.count++;
    }

    /** The process unmapped it. */
    void unmapped(DmaBuf buffer, long address) {
        Area area = areas.get(address);
        if (area != null) {
            area.count--;
            if (area.count == 0) {
                areas.remove(address);
            }
            release(buffer);
        }
    }

    /** What lies at an address of the process; null when it is none of these buffers. */
    @Nullable
    Place at(long address) {
        Entry<Long, Area> entry = areas.floorEntry(address);
        return entry == null || address >= entry.getValue().end
                ? null
                : new Place(entry.getValue().buffer, address - entry.getKey());
    }

    int count() {
        return alive.size();
    }

    int mappings() {
        return areas.values().stream().mapToInt(area -> area.count).sum();
    }
}
