package dev.portal.llm.gguf;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;

/** Reads one value after the other, never past the end. One thread. */
final class Cursor {
    private static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
    private static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
    /** A chat template is the longest text there is, and far below this. */
    private static final long LONGEST_TEXT_BYTES = 1 << 24;

    private final MemorySegment data;
    private long position;

    Cursor(MemorySegment data) {
        this.data = data;
    }

    long position() {
        return position;
    }

    long remaining() {
        return data.byteSize() - position;
    }

    /** What is left, without taking it. */
    MemorySegment rest() {
        return data.asSlice(position);
    }

    int int8(String what) {
        return data.get(ValueLayout.JAVA_BYTE, take(1, what));
    }

    int int32(String what) {
        return data.get(INT, take(4, what));
    }

    long int64(String what) {
        return data.get(LONG, take(8, what));
    }

    /** A count of things of at least {@code bytesEach}; one that cannot fit into what is left is refused. */
    long count(String what, int bytesEach) {
        long count = int64(what);
        if (count < 0 || count > remaining() / bytesEach) {
            throw new GgufException(what + " is " + Long.toUnsignedString(count) + ", and the file has only "
                    + remaining() + " bytes left; it is cut short or no GGUF file");
        }
        return count;
    }

    String text(String what) {
        return new String(textBytes(what), StandardCharsets.UTF_8);
    }

    byte[] textBytes(String what) {
        long bytes = count("the length of " + what, 1);
        if (bytes > LONGEST_TEXT_BYTES) {
            throw new GgufException(
                    what + " has " + bytes + " bytes; no text here is longer than " + LONGEST_TEXT_BYTES);
        }
        byte[] text = new byte[(int) bytes];
        MemorySegment.copy(data, ValueLayout.JAVA_BYTE, take(bytes, what), text, 0, text.length);
        return text;
    }

    void skipText(String what) {
        skip(count("the length of " + what, 1), what);
    }

    MemorySegment skip(long bytes, String what) {
        return data.asSlice(take(bytes, what), bytes);
    }

    private long take(long bytes, String what) {
        if (bytes < 0 || bytes > remaining()) {
            throw new GgufException("the file ends at byte " + data.byteSize() + ", within " + what
                    + "; it is cut short, fetch it again");
        }
        long start = position;
        position += bytes;
        return start;
    }
}
