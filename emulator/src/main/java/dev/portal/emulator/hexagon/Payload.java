package dev.portal.emulator.hexagon;

import dev.portal.hardware.fastrpc.Fastrpc;
import dev.portal.hardware.fastrpc.Scalars;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;
import java.util.Comparator;

/**
 * What the kernel lays out in memory for one call (spec 1.7), byte by byte; N arguments:
 *
 * <pre>
 *   0        N x {pv u64, len u64}, for handles {fd s32, offset u32, len u32}
 *   16 N     N x {num u32, pgidx u32}
 *   24 N     N x {page address u64, bytes of whole pages u64}
 *   40 N     16 x u64 descriptors whose maps the kernel drops on return, 0 ends the list
 *   + 128    64 x u32 CRC
 *   + 256    inline data, each block aligned to 128
 * </pre>
 *
 * Inline buffers that overlap in the process's memory overlap here: each byte is copied once.
 */
final class Payload {
    private static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG_UNALIGNED;
    private static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT_UNALIGNED;
    private static final long PAGE_MASK = -AddressSpace.PAGE;

    /** By start, the longer first. */
    private static final Comparator<CallArgument> BY_START = (one, other) -> one.ptr != other.ptr
            ? Long.compareUnsigned(one.ptr, other.ptr)
            : Long.compareUnsigned(other.length, one.length);

    final CallArgument[] arguments;
    final int buffers;
    private final CallArgument[] ordered;

    Payload(CallArgument[] arguments, int scalars) {
        this.arguments = arguments;
        this.buffers = Scalars.buffers(scalars);
        this.ordered = Arrays.copyOf(arguments, buffers);
    }

    /** Finds overlaps, and says how many bytes the payload has; more than a long holds is the largest long. */
    long measure() {
        if (ordered.length > 1) {
            Arrays.sort(ordered, BY_START);
        }
        long reached = 0;
        long size = align(Fastrpc.payloadMetadataBytes(arguments.length));
        for (CallArgument argument : ordered) {
            long end = argument.ptr + argument.length;
            if (Long.compareUnsigned(argument.ptr, reached) < 0) {
                argument.overlap = reached - argument.ptr;
                argument.fresh = Long.compareUnsigned(end, reached) > 0 ? end - reached : 0;
                reached = Long.compareUnsigned(end, reached) > 0 ? end : reached;
            } else {
                argument.overlap = 0;
                argument.fresh = argument.length;
                reached = end;
            }
            if (argument.inline()) {
                if (argument.overlap == 0) {
                    size = align(size);
                }
                size += argument.fresh;
                if (size < 0 || argument.fresh < 0) {
                    return Long.MAX_VALUE;
                }
            }
        }
        return size;
    }

    private static long align(long size) {
        return (size + Fastrpc.ALIGN - 1) / Fastrpc.ALIGN * Fastrpc.ALIGN;
    }

    /**
     * Fills in everything but the inline data itself.
     *
     * @param memory as many bytes as {@link #measure} said, zero
     * @param address where the DSP finds it, on a page
     * @param areaOffset for an argument by descriptor: how far it lies behind the start of the memory area it is in
     */
    void layOut(MemorySegment memory, long address, AreaOffset areaOffset) {
        int count = arguments.length;
        long at = Fastrpc.payloadMetadataBytes(count);
        for (CallArgument argument : ordered) {
            if (argument.length != 0 && argument.inline()) {
                if (argument.overlap == 0) {
                    at = align(at);
                }
                int index = indexOf(argument);
                describe(memory, index, address + at - argument.overlap, argument.length);
                page(memory, index, address + at - argument.overlap & PAGE_MASK, address + at - argument.overlap);
                at += argument.fresh;
            }
        }
        for (int i = 0; i < count; i++) {
            CallArgument argument = arguments[i];
            BufferMap map = argument.map;
            memory.set(INT, 16L * count + 8L * i, argument.length == 0 ? 0 : 1);
            memory.set(INT, 16L * count + 8L * i + 4, i);
            if (i >= buffers) {
                memory.set(INT, 16L * i, argument.fd);
                memory.set(INT, 16L * i + 4, (int) argument.ptr);
                memory.set(INT, 16L * i + 8, (int) argument.length);
                if (map != null) {
                    memory.set(LONG, 24L * count + 16L * i, map.iova);
                    memory.set(LONG, 24L * count + 16L * i + 8, map.size);
                }
            } else if (argument.length == 0) {
                describe(memory, i, 0, 0);
            } else if (map != null) {
                describe(memory, i, argument.ptr, argument.length);
                page(memory, i, map.iova + (areaOffset.of(argument) & PAGE_MASK), argument.ptr);
            }
        }
    }

    /** How far a pointer lies behind the start of its memory area. */
    @FunctionalInterface
    interface AreaOffset {
        long of(CallArgument argument);
    }

    private int indexOf(CallArgument argument) {
        for (int i = 0; i < buffers; i++) {
            if (arguments[i] == argument) {
                return i;
            }
        }
        throw new AssertionError("an argument of another call");
    }

    private static void describe(MemorySegment memory, int index, long pv, long length) {
        memory.set(LONG, 16L * index, pv);
        memory.set(LONG, 16L * index + 8, length);
    }

    private void page(MemorySegment memory, int index, long pageAddress, long pointer) {
        long last = pointer + arguments[index].length - 1 & PAGE_MASK;
        memory.set(LONG, 24L * arguments.length + 16L * index, pageAddress);
        memory.set(LONG, 24L * arguments.length + 16L * index + 8, last - (pointer & PAGE_MASK) + AddressSpace.PAGE);
    }

    /** Where in the payload an inline argument's bytes are. */
    static long offsetOf(MemorySegment memory, long address, int index) {
        return memory.get(LONG, 16L * index) - address;
    }
}
