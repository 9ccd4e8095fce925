package dev.portal.llm.gguf;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import java.util.Collections;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/** The keys of a file with their values. A value of another type than asked for is an error that names the key. */
public final class GgufMetadata {
    private static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
    private static final ValueLayout.OfFloat FLOAT =
            ValueLayout.JAVA_FLOAT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);

    private final Map<String, GgufValue> values;

    GgufMetadata(Map<String, GgufValue> values) {
        this.values = Collections.unmodifiableMap(values);
    }

    /** All of them, in the order of the file. */
    public Map<String, GgufValue> values() {
        return values;
    }

    public Optional<String> text(String key) {
        GgufValue value = values.get(key);
        if (value == null) {
            return Optional.empty();
        }
        if (value instanceof GgufValue.Text(String text)) {
            return Optional.of(text);
        }
        throw wrong(key, "a text", value);
    }

    public OptionalLong whole(String key) {
        GgufValue value = values.get(key);
        if (value == null) {
            return OptionalLong.empty();
        }
        if (value instanceof GgufValue.Whole(long whole)) {
            return OptionalLong.of(whole);
        }
        throw wrong(key, "an integer", value);
    }

    public OptionalDouble real(String key) {
        GgufValue value = values.get(key);
        if (value == null) {
            return OptionalDouble.empty();
        }
        return switch (value) {
            case GgufValue.Real(double real) -> OptionalDouble.of(real);
            case GgufValue.Whole(long whole) -> OptionalDouble.of((double) whole);
            default -> throw wrong(key, "a number", value);
        };
    }

    public Optional<Boolean> flag(String key) {
        GgufValue value = values.get(key);
        if (value == null) {
            return Optional.empty();
        }
        if (value instanceof GgufValue.Flag(boolean flag)) {
            return Optional.of(flag);
        }
        throw wrong(key, "true or false", value);
    }

    /** An integer that must be there and within the range, both ends included. */
    public int count(String key, int least, int most) {
        long value = whole(key).orElseThrow(() -> missing(key));
        if (value < least || value > most) {
            throw new GgufException("key '" + key + "' is " + value + "; " + least + " to " + most + " is possible");
        }
        return (int) value;
    }

    /** The texts of an array, as bytes since a vocabulary need not be UTF-8; null when the key is missing. */
    public byte @Nullable [][] texts(String key) {
        GgufValue.Array array = array(key);
        if (array == null) {
            return null;
        }
        expectElements(key, array, GgufFile.TEXT);
        byte[][] texts = new byte[elements(key, array)][];
        Cursor cursor = new Cursor(array.data());
        for (int i = 0; i < texts.length; i++) {
            texts[i] = cursor.textBytes("element " + i + " of key '" + key + "'");
        }
        return texts;
    }

    /** The floats of an array; null when the key is missing. */
    public float @Nullable [] floats(String key) {
        GgufValue.Array array = array(key);
        if (array == null) {
            return null;
        }
        expectElements(key, array, GgufFile.FLOAT32);
        float[] floats = new float[elements(key, array)];
        MemorySegment.copy(array.data(), FLOAT, 0, floats, 0, floats.length);
        return floats;
    }

    /** The 32-bit integers of an array, signed or not; null when the key is missing. */
    public int @Nullable [] ints(String key) {
        GgufValue.Array array = array(key);
        if (array == null) {
            return null;
        }
        if (array.elementType() != GgufFile.UINT32) {
            expectElements(key, array, GgufFile.INT32);
        }
        int[] ints = new int[elements(key, array)];
        MemorySegment.copy(array.data(), INT, 0, ints, 0, ints.length);
        return ints;
    }

    /** The error for a key that should be there. */
    public static GgufException missing(String key) {
        return new GgufException("key '" + key + "' is missing; the file is no complete language model");
    }

    private GgufValue.@Nullable Array array(String key) {
        GgufValue value = values.get(key);
        if (value == null) {
            return null;
        }
        if (value instanceof GgufValue.Array array) {
            return array;
        }
        throw wrong(key, "an array", value);
    }

    private static void expectElements(String key, GgufValue.Array array, int type) {
        if (array.elementType() != type) {
            throw new GgufException(
                    "key '" + key + "' is an array of type " + array.elementType() + "; type " + type + " is needed");
        }
    }

    private static int elements(String key, GgufValue.Array array) {
        if (array.count() > GgufFile.MOST_ELEMENTS) {
            throw new GgufException("key '" + key + "' has " + array.count() + " elements; at most "
                    + GgufFile.MOST_ELEMENTS + " are read");
        }
        return (int) array.count();
    }

    private static GgufException wrong(String key, String wanted, GgufValue value) {
        String found = switch (value) {
            case GgufValue.Text(String text) ->
                "the text '" + (text.length() > 40 ? text.substring(0, 40) + "…" : text) + "'";
            case GgufValue.Whole(long whole) -> "the integer " + whole;
            case GgufValue.Real(double real) -> "the number " + real;
            case GgufValue.Flag(boolean flag) -> String.valueOf(flag);
            case GgufValue.Array array -> "an array of " + array.count();
        };
        return new GgufException("key '" + key + "' holds " + found + "; " + wanted + " is needed");
    }
}
