package dev.portal.hexagon;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/**
 * Packs primitives as the interface compiler's stubs do (spec 2.5): each at its natural alignment, in the order of the
 * parameters, with no padding at the end. A sequence or string contributes its element count as a u32.
 *
 * <p>Writes into memory that the caller owns, and allocates nothing. One thread.
 */
public final class ArgumentPacker {
    private MemorySegment memory = MemorySegment.NULL;
    private int position;

    /** Starts at the beginning of {@code into}, which must be aligned to 8. */
    public ArgumentPacker into(MemorySegment into) {
        memory = into;
        position = 0;
        return this;
    }

    public ArgumentPacker u32(int value) {
        int at = align(4);
        memory.set(ValueLayout.JAVA_INT, at, value);
        position = at + 4;
        return this;
    }

    public ArgumentPacker u64(long value) {
        int at = align(8);
        memory.set(ValueLayout.JAVA_LONG, at, value);
        position = at + 8;
        return this;
    }

    public ArgumentPacker u16(short value) {
        int at = align(2);
        memory.set(ValueLayout.JAVA_SHORT, at, value);
        position = at + 2;
        return this;
    }

    public ArgumentPacker u8(byte value) {
        memory.set(ValueLayout.JAVA_BYTE, position, value);
        position++;
        return this;
    }

    /** The element count of a sequence, in or out; a string counts its NUL. */
    public ArgumentPacker count(int elements) {
        return u32(elements);
    }

    /** Bytes packed so far: the size of the buffer when all is in. */
    public int size() {
        return position;
    }

    private int align(int to) {
        int at = (position + to - 1) & -to;
        if (at != position) {
            memory.asSlice(position, at - position).fill((byte) 0);
        }
        return at;
    }
}
