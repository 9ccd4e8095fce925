package dev.portal.voice.stage;

import dev.portal.scheduler.Tensor;
import java.util.Arrays;
import java.util.Locale;

/**
 * What a model says about one of its inputs or outputs.
 *
 * @param name as the model names it
 * @param type of each element
 * @param shape extents, outermost first; {@link #DYNAMIC} where each run may choose
 */
public record TensorSpec(String name, Tensor.Type type, long[] shape) {
    /** An extent that the model leaves open. */
    public static final long DYNAMIC = -1;

    /** The shape with every open extent set to {@code extent}. */
    public long[] shapeWith(long extent) {
        long[] concrete = shape.clone();
        for (int i = 0; i < concrete.length; i++) {
            if (concrete[i] < 0) {
                concrete[i] = extent;
            }
        }
        return concrete;
    }

    /** Whether {@code actual} is a shape that this input takes. */
    public boolean accepts(long[] actual) {
        if (actual.length != shape.length) {
            return false;
        }
        for (int i = 0; i < shape.length; i++) {
            if (shape[i] >= 0 && shape[i] != actual[i]) {
                return false;
            }
        }
        return true;
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof TensorSpec spec
                && name.equals(spec.name)
                && type == spec.type
                && Arrays.equals(shape, spec.shape);
    }

    @Override
    public int hashCode() {
        return 31 * name.hashCode() + Arrays.hashCode(shape);
    }

    @Override
    public String toString() {
        return name + " " + type.toString().toLowerCase(Locale.ROOT) + Arrays.toString(shape);
    }
}
