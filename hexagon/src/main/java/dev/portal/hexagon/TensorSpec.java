package dev.portal.hexagon;

import dev.portal.scheduler.Tensor;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;

/**
 * What a graph declares of one tensor. {@code portal_qnn} has no call that asks for it, so it comes with the model.
 *
 * @param name as the model names it
 * @param type of each element
 * @param shape extents, outermost first; all known
 */
public record TensorSpec(String name, Tensor.Type type, long[] shape) {
    public TensorSpec {
        shape = shape.clone();
        if (Tensor.elements(shape) == 0) {
            throw new IllegalArgumentException("tensor '" + name + "' has no elements: " + Arrays.toString(shape));
        }
    }

    /** A tensor's declared size. */
    public long bytes() {
        return Tensor.elements(shape) * type.bytes();
    }

    /** A new tensor of this kind, zeroed, in memory of the garbage collector. */
    Tensor newTensor() {
        int elements = Math.toIntExact(Tensor.elements(shape));
        MemorySegment memory = switch (type) {
            case INT8 -> MemorySegment.ofArray(new byte[elements]);
            case INT32 -> MemorySegment.ofArray(new int[elements]);
            case INT64 -> MemorySegment.ofArray(new long[elements]);
            case FLOAT16 -> MemorySegment.ofArray(new short[elements]);
            case FLOAT32 -> MemorySegment.ofArray(new float[elements]);
        };
        return new Tensor(name, type, shape, memory);
    }

    @Override
    public long[] shape() {
        return shape.clone();
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof TensorSpec that
                && name.equals(that.name)
                && type == that.type
                && Arrays.equals(shape, that.shape);
    }

    @Override
    public int hashCode() {
        return name.hashCode();
    }

    @Override
    public String toString() {
        return name + " " + type + Arrays.toString(shape);
    }
}
