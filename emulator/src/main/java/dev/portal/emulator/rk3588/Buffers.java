package dev.portal.emulator.rk3588;

import dev.portal.emulator.Diagnostic.Severity;
import dev.portal.hardware.rk3588.RknpuAbi;
import java.util.HashMap;
import java.util.Map;
import java.util.Map.Entry;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** All buffers of the driver: by kernel pointer, by fake mmap offset, by the processor's address (spec 2.6). */
final class Buffers {
    private static final long PAGE = IovaAllocator.PAGE;
    private static final long FIRST_OBJECT = 0xffff_ff81_0000_0000L;
    private static final long OBJECT_STEP = 0x400;
    private static final long FIRST_OFFSET = 0x1_0000_0000L;

    private final Chip chip;
    private final Domains domains;
    private final Map<Long, GemObject> byPointer = new HashMap<>();
    private final TreeMap<Long, GemObject> byOffset = new TreeMap<>();
    private final TreeMap<Long, GemObject> byAddress = new TreeMap<>();
    private long nextPointer = FIRST_OBJECT;

    Buffers(Chip chip, Domains domains) {
        this.chip = chip;
        this.domains = domains;
    }

    /** Makes a buffer in the live domain; null when no window of addresses fits. */
    @Nullable
    GemObject create(long bytes, int flags, int domain, long born) {
        long rounded = (bytes + PAGE - 1) / PAGE * PAGE;
        IommuDomain space = domains.of(domain);
        OptionalLong iova = space.window.allocate(rounded, (flags & RknpuAbi.MEM_IOMMU_LIMIT_IOVA_ALIGNMENT) != 0);
        if (iova.isEmpty()) {
            return null;
        }
        GemObject object = new GemObject(nextPointer, flags, rounded, domain, iova.getAsLong(), born);
        nextPointer += OBJECT_STEP;
        byPointer.put(object.objAddr, object);
        space.map(object);
        return object;
    }

    /** The buffer behind a kernel pointer. An unknown one oopses a real kernel; here it is reported. */
    @Nullable
    GemObject byPointer(long pointer) {
        GemObject object = byPointer.get(pointer);
        if (object == null) {
            chip.report.add(
                    Severity.FATAL,
                    "bad-pointer",
                    "0x" + Long.toHexString(pointer)
                            + " is not an object that MEM_CREATE gave out, or it is gone; a real kernel oopses");
        }
        return object;
    }

    /** The fake offset of a buffer, given out at the first question. */
    long mapOffset(GemObject object) {
        if (object.mapOffset == 0) {
            long at = FIRST_OFFSET;
            for (Entry<Long, GemObject> entry : byOffset.entrySet()) {
                if (entry.getKey() - at >= object.size) {
                    break;
                }
                at = entry.getKey() + entry.getValue().size;
            }
            object.mapOffset = at;
            byOffset.put(at, object);
        }
        return object.mapOffset;
    }

    @Nullable
    GemObject byOffset(long offset) {
        return byOffset.get(offset);
    }

    /** A mapping of the buffer exists from now on. */
    void mapped(GemObject object) {
        object.references++;
        byAddress.put(object.memory().cpu().address(), object);
    }

    /** The buffer whose processor view holds {@code address}. */
    Optional<GemObject> byAddress(long address) {
        Entry<Long, GemObject> below = byAddress.floorEntry(address);
        return below != null && address < below.getKey() + below.getValue().size
                ? Optional.of(below.getValue())
                : Optional.empty();
    }

    /** Gives up a reference; with the last one memory and address go, at once, whatever still uses them. */
    void release(GemObject object) {
        object.references--;
        if (object.references > 0) {
            return;
        }
        byPointer.remove(object.objAddr);
        if (object.mapOffset != 0) {
            byOffset.remove(object.mapOffset);
        }
        if (object.touched()) {
            byAddress.remove(object.memory().cpu().address());
        }
        IommuDomain space = domains.of(object.domain);
        space.unmap(object);
        space.window.free(object.iova, object.size, object.has(RknpuAbi.MEM_IOMMU_LIMIT_IOVA_ALIGNMENT));
        object.release();
    }

    int count() {
        return byPointer.size();
    }
}
