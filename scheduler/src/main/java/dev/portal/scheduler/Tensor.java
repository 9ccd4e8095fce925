package dev.portal.scheduler;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;

/**
 * A named block of numbers, row-major, little-endian.
 *
 * <p>The memory belongs to whoever made the tensor until it is handed over as a job's input or output; then to the
 * receiver. Nothing here copies.
 *
 * @param name as the model names it
 * @param type of each element
 * @param shape extents, outermost first; empty for a scalar
 * @param data exactly {@code elements() * type.bytes()} bytes
 */
public record Tensor(String name, Type type, long[] shape, MemorySegment data) {
    /** Element types that the stages use. */
    public enum Type {
        INT8(1),
        INT32(4),
        INT64(8),
        FLOAT16(2),
        FLOAT32(4);

        private final int bytes;

        Type(int bytes) {
            this.bytes = bytes;
        }

        public int bytes() {
            return bytes;
        }
    }

    public Tensor {
        long expected = elements(shape) * type.bytes();
        if (data.byteSize() != expected) {
            throw new IllegalArgumentException("tensor '" + name + "' " + type + Arrays.toString(shape) + " needs "
                    + expected + " bytes and was given " + data.byteSize());
        }
    }

    /** A float tensor over {@code values}, not copied. */
    public static Tensor ofFloats(String name, float[] values, long... shape) {
        return new Tensor(name, Type.FLOAT32, shape, MemorySegment.ofArray(values));
    }

    /** A long tensor over {@code values}, not copied. */
    public static Tensor ofLongs(String name, long[] values, long... shape) {
        return new Tensor(name, Type.INT64, shape, MemorySegment.ofArray(values));
    }

    /** The number of elements of {@code shape}; 1 for a scalar. */
    public static long elements(long[] shape) {
        long count = 1;
        for (long extent : shape) {
            if (extent < 0) {
                throw new IllegalArgumentException("negative extent in shape " + Arrays.toString(shape));
            }
            count = Math.multiplyExact(count, extent);
        }
        return count;
    }

    public long elements() {
        return elements(shape);
    }

    /** A copy of the elements of a FLOAT32 tensor. */
    public float[] toFloats() {
        require(Type.FLOAT32);
        return data.toArray(ValueLayout.JAVA_FLOAT_UNALIGNED);
    }

    /** A copy of the elements of an INT64 tensor. */
    public long[] toLongs() {
        require(Type.INT64);
        return data.toArray(ValueLayout.JAVA_LONG_UNALIGNED);
    }

    private void require(Type wanted) {
        if (type != wanted) {
            throw new IllegalStateException("tensor '" + name + "' is " + type + ", not " + wanted);
        }
    }

    @Override
    public String toString() {
        return name + " " + type + Arrays.toString(shape);
    }
}
