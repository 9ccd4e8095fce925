package dev.portal.app.rk;

import dev.portal.emulator.rk3588.BareChip;
import dev.portal.hardware.rk3588.Precision;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * How the operands of a given program lie in memory: each generator packs in its own way, and the words say nothing
 * about it (spec 5). Weights lie in tiles in both forms.
 */
enum OperandForm {
    /** A and C row after row, as the vendor runtime and ork have them. */
    ROW_MAJOR,
    /** A and C as cubes of 16-byte atoms, as mtx512, rocket-userspace and Mesa have them. */
    NATIVE;

    private static final int ATOM = 16;
    private static final int TILE_CHANNELS = 32;

    /** The pattern features of spec section 14, packed. */
    byte[] features(BareChip.Shape shape) {
        int element = shape.input().bytes();
        byte[] image = new byte[Math.toIntExact((long) shape.rows() * shape.channels() * element)];
        ByteBuffer bytes = ByteBuffer.wrap(image).order(ByteOrder.LITTLE_ENDIAN);
        for (int m = 0; m < shape.rows(); m++) {
            for (int k = 0; k < shape.channels(); k++) {
                int at = this == ROW_MAJOR ? (m * shape.channels() + k) * element : cube(m, k, shape.rows(), element);
                put(bytes, at, shape.input(), feature(shape.input(), m, k));
            }
        }
        return image;
    }

    /** The pattern weights of spec section 14, in tiles of 32 channels by 32 or 16 kernels. */
    static byte[] weights(BareChip.Shape shape) {
        int element = shape.input().bytes();
        int group = element == 1 ? 32 : 16;
        int groups = (shape.kernels() + group - 1) / group;
        byte[] image = new byte[Math.toIntExact((long) groups * group * shape.channels() * element)];
        ByteBuffer bytes = ByteBuffer.wrap(image).order(ByteOrder.LITTLE_ENDIAN);
        for (int n = 0; n < shape.kernels(); n++) {
            for (int k = 0; k < shape.channels(); k++) {
                int index = n / group * group * shape.channels()
                        + k / TILE_CHANNELS * TILE_CHANNELS * group
                        + n % group * TILE_CHANNELS
                        + k % TILE_CHANNELS;
                put(bytes, index * element, shape.input(), weight(shape.input(), n, k));
            }
        }
        return image;
    }

    /** Room that the results take. */
    int resultBytes(BareChip.Shape shape) {
        long row = (long) shape.kernels() * shape.output().bytes();
        long bytes = this == ROW_MAJOR
                ? (shape.rows() - 1) * Math.max(row, shape.rowBytes()) + row
                : (row + ATOM - 1) / ATOM * ATOM * shape.rows();
        return Math.toIntExact(bytes);
    }

    /** The results row after row, little-endian. */
    byte[] rowMajor(byte[] results, BareChip.Shape shape) {
        int element = shape.output().bytes();
        int row = shape.kernels() * element;
        byte[] dense = new byte[shape.rows() * row];
        for (int m = 0; m < shape.rows(); m++) {
            if (this == ROW_MAJOR) {
                System.arraycopy(results, (int) (m * Math.max(row, shape.rowBytes())), dense, m * row, row);
            } else {
                for (int n = 0; n < shape.kernels(); n++) {
                    System.arraycopy(results, cube(m, n, shape.rows(), element), dense, m * row + n * element, element);
                }
            }
        }
        return dense;
    }

    private static int cube(int row, int channel, int rows, int element) {
        int perAtom = ATOM / element;
        return channel / perAtom * rows * ATOM + row * ATOM + channel % perAtom * element;
    }

    private static double feature(Precision type, int m, int k) {
        long u = 131L * m + 71L * k + (long) m * k % 13;
        return type == Precision.INT8 ? u % 255 - 127 : (u % 17 - 8) / 4.0;
    }

    private static double weight(Precision type, int n, int k) {
        long u = 37L * n + 113L * k + (long) n * k % 17;
        return type == Precision.INT8 ? u % 255 - 127 : (u % 13 - 6) / 2.0;
    }

    private static void put(ByteBuffer bytes, int at, Precision type, double value) {
        if (type == Precision.INT8) {
            bytes.put(at, (byte) value);
        } else {
            bytes.putShort(at, Float.floatToFloat16((float) value));
        }
    }
}
