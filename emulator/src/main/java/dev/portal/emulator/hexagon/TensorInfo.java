package dev.portal.emulator.hexagon;

import java.util.Arrays;

/**
 * A tensor of a graph. Shapes are fixed: a graph of the DSP has no open extents.
 *
 * @param name as the graph names it
 * @param type of each element
 * @param shape extents, outermost first, each 0 or more; empty for a scalar
 * @param atMost for outputs: the shape is the room that there is, and depends on the data; the graph then has one more
 *     output, INT32[rank], with the extents of the last run
 */
public record TensorInfo(String name, ElementType type, int[] shape, boolean atMost) {
    public TensorInfo {
        shape = shape.clone();
        long count = 1;
        for (int extent : shape) {
            if (extent < 0) {
                throw new IllegalArgumentException("extent " + extent + " of '" + name + "'; a graph has no open ones");
            }
            count = Math.multiplyExact(count, (long) extent);
        }
        if (Math.multiplyExact(count, (long) type.bytes()) > Integer.MAX_VALUE) {
            throw new IllegalArgumentException("'" + name + "' " + Arrays.toString(shape) + " is above 2 GiB");
        }
    }

    /** A tensor of exactly this shape. */
    public static TensorInfo of(String name, ElementType type, int... shape) {
        return new TensorInfo(name, type, shape, false);
    }

    @Override
    public int[] shape() {
        return shape.clone();
    }

    /** Number of elements. */
    public int elements() {
        int count = 1;
        for (int extent : shape) {
            count *= extent;
        }
        return count;
    }

    /** What set_input and get_output must be given exactly. */
    public int sizeBytes() {
        return elements() * type.bytes();
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof TensorInfo info
                && name.equals(info.name)
                && type == info.type
                && atMost == info.atMost
                && Arrays.equals(shape, info.shape);
    }

    @Override
    public int hashCode() {
        return 31 * name.hashCode() + Arrays.hashCode(shape);
    }

    @Override
    public String toString() {
        return name + " " + type + (atMost ? " at most " : "") + Arrays.toString(shape);
    }
}
