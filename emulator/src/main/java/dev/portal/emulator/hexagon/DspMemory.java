package dev.portal.emulator.hexagon;

import dev.portal.base.RandomStream;
import dev.portal.hardware.fastrpc.AeeError;
import dev.portal.hardware.fastrpc.Fastrpc;
import java.lang.foreign.MemorySegment;
import java.util.Map.Entry;
import java.util.OptionalLong;
import java.util.TreeMap;

/**
 * A process's 32-bit address space (spec 8). Code of the DSP reaches memory only through {@link #view}: the whole range in
 * one mapping, or nothing.
 */
final class DspMemory {
    private static final long BOTTOM = 0x1000_0000L;
    private static final long TOP = 0xC000_0000L;
    private static final int RANDOM_TOPS = 4096;
    private static final long RANDOM_STEP = 0x1_0000;

    private static final class Mapping {
        final BufferMap map;
        final long offset;
        final long length;
        int count = 1;

        Mapping(BufferMap map, long offset, long length) {
            this.map = map;
            this.offset = offset;
            this.length = length;
        }
    }

    private final AddressSpace space;
    private final TreeMap<Long, Mapping> mappings = new TreeMap<>();
    private final TreeMap<Long, Long> heap = new TreeMap<>();

    DspMemory(RandomStream random) {
        space = new AddressSpace(BOTTOM, TOP - random.nextInt(RANDOM_TOPS) * RANDOM_STEP);
    }

    /** What {@link #map} gives: an address, or the error. */
    record Mapped(int result, long address) {}

    /** Maps part of a DMA-BUF. The same part again has the same address, but as STATIC it is refused. */
    Mapped map(BufferMap map, long offset, long length, int flags) {
        boolean known = switch (flags) {
            case Fastrpc.MAP_STATIC,
                    Fastrpc.MAP_RESERVED,
                    Fastrpc.MAP_FD,
                    Fastrpc.MAP_FD_DELAYED,
                    Fastrpc.MAP_FD_NOMAP -> true;
            default -> false;
        };
        if (!known || offset < 0 || offset % AddressSpace.PAGE != 0) {
            return new Mapped(AeeError.EBADPARM.onDsp(), 0);
        }
        if (length <= 0) {
            return new Mapped(AeeError.EBADSIZE.onDsp(), 0);
        }
        for (Entry<Long, Mapping> entry : mappings.entrySet()) {
            Mapping mapping = entry.getValue();
            if (mapping.map.buffer == map.buffer && mapping.offset == offset) {
                if (flags == Fastrpc.MAP_STATIC || mapping.length != length) {
                    return new Mapped(AeeError.EMAPALREADYPRESENT.onDsp(), 0);
                }
                mapping.count++;
                return new Mapped(0, entry.getKey());
            }
        }
        OptionalLong address = space.allocate(length);
        if (address.isEmpty()) {
            return new Mapped(AeeError.ENOMEMORY.onDsp(), 0);
        }
        mappings.put(address.getAsLong(), new Mapping(map, offset, length));
        return new Mapped(0, address.getAsLong());
    }

    /** Ends what {@link #map} began. */
    int unmap(long address) {
        Mapping mapping = mappings.get(address);
        if (mapping == null) {
            return AeeError.ENOSUCHMAP.onDsp();
        }
        mapping.count--;
        if (mapping.count == 0) {
            mappings.remove(address);
            space.free(address);
        }
        return 0;
    }

    Mapped growHeap(long bytes) {
        OptionalLong address = space.allocate(bytes);
        if (address.isEmpty()) {
            return new Mapped(AeeError.ENOMEMORY.onDsp(), 0);
        }
        heap.put(address.getAsLong(), bytes);
        return new Mapped(0, address.getAsLong());
    }

    int shrinkHeap(long address, long bytes) {
        if (!heap.remove(address, bytes)) {
            return AeeError.ENOSUCHMAP.onDsp();
        }
        space.free(address);
        return 0;
    }

    /** 0, or the error that a look at the range would end in. */
    int check(long address, long length) {
        Entry<Long, Mapping> entry = mappings.floorEntry(address);
        if (address < 0 || entry == null || address >= entry.getKey() + entry.getValue().length) {
            return AeeError.ENOSUCHMAP.onDsp();
        }
        Mapping mapping = entry.getValue();
        long from = address - entry.getKey();
        boolean fits = length >= 0
                && length <= mapping.length - from
                && mapping.offset + from + length <= mapping.map.buffer.size;
        return fits ? 0 : AeeError.EBADSIZE.onDsp();
    }

    /** The DSP's view of a range that {@link #check} found good. */
    MemorySegment view(long address, long length) {
        Entry<Long, Mapping> entry = mappings.floorEntry(address);
        if (entry == null) {
            throw new AssertionError("0x" + Long.toHexString(address) + " was not checked");
        }
        Mapping mapping = entry.getValue();
        return mapping.map.buffer.device().asSlice(mapping.offset + address - entry.getKey(), length);
    }

    int mappings() {
        return mappings.size();
    }

    int heapBlocks() {
        return heap.size();
    }

    long bytes() {
        return space.bytes();
    }
}
