package dev.portal.llm.gguf;

import java.lang.foreign.MemorySegment;

/** The value of a key. */
public sealed interface GgufValue {
    /** An integer of any width; an unsigned 64-bit one above the signed range is refused when the file is read. */
    record Whole(long value) implements GgufValue {}

    /** A 32-bit or 64-bit float. */
    record Real(double value) implements GgufValue {}

    record Flag(boolean value) implements GgufValue {}

    record Text(String value) implements GgufValue {}

    /**
     * An array, left in the file until somebody asks for its elements.
     *
     * @param elementType the number of the type in the file
     * @param count elements
     * @param data their bytes
     */
    record Array(int elementType, long count, MemorySegment data) implements GgufValue {}
}
