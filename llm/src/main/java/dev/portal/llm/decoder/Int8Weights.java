package dev.portal.llm.decoder;

import dev.portal.llm.gguf.GgufTensor;
import java.lang.foreign.MemorySegment;

/**
 * A matrix in the format I8: signed bytes with one scale an output, the largest weight of the row being 127, halves to
 * even. The bytes lie row by row, each row padded with zeros to a multiple of 32.
 *
 * @param values {@code [outputs, columns]}
 * @param scales one an output
 * @param inputs weights of a row without the padding
 * @param columns with it
 */
record Int8Weights(MemorySegment values, float[] scales, int inputs, int columns) {
    /** Bytes of the matrix with this many outputs and inputs. */
    static long bytes(int outputs, int inputs) {
        return (long) outputs * Activations.padded(inputs);
    }

    /** Converts a tensor into memory of {@link #bytes} that holds zeros. */
    static Int8Weights of(GgufTensor tensor, MemorySegment memory) {
        int inputs = tensor.columns();
        int columns = Activations.padded(inputs);
        float[] scales = new float[tensor.rows()];
        float[] row = new float[inputs];
        byte[] bytes = new byte[columns];
        for (int i = 0; i < scales.length; i++) {
            WeightRows.read(tensor, i, row);
            scales[i] = quantise(row, bytes);
            MemorySegment.copy(bytes, 0, memory, WeightRows.BYTE, (long) i * columns, columns);
        }
        return new Int8Weights(memory, scales, inputs, columns);
    }

    /** Quantises a row; returns its scale. */
    private static float quantise(float[] row, byte[] bytes) {
        float most = 0;
        for (float weight : row) {
            most = Math.max(most, Math.abs(weight));
        }
        float inverse = most == 0 ? 0 : 127 / most;
        for (int i = 0; i < row.length; i++) {
            bytes[i] = (byte) Activations.rounded(row[i] * inverse);
        }
        return most / 127;
    }

    int outputs() {
        return scales.length;
    }
}
