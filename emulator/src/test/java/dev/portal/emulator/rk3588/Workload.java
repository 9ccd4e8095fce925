package dev.portal.emulator.rk3588;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * A matrix product with the pattern inputs of spec section 14, its operands in the layouts of the generators, and what
 * comes out of it by plain arithmetic. Written from the spec's sentences, apart from the model's own addressing.
 */
record Workload(boolean half, String out, int m, int k, int n, int mult, int shift) {
    int elementBytes() {
        return half ? 2 : 1;
    }

    int outBytes() {
        return switch (out) {
            case "int8" -> 1;
            case "fp16", "int16" -> 2;
            default -> 4;
        };
    }

    double a(int row, int channel) {
        long u = 131L * row + 71L * channel + (long) row * channel % 13;
        return half ? (u % 17 - 8) / 4.0 : u % 255 - 127;
    }

    double b(int kernel, int channel) {
        long u = 37L * kernel + 113L * channel + (long) kernel * channel % 17;
        return half ? (u % 13 - 6) / 2.0 : u % 255 - 127;
    }

    /** A row after row. */
    byte[] rowMajorFeatures() {
        byte[] image = new byte[m * k * elementBytes()];
        ByteBuffer bytes = little(image);
        for (int row = 0; row < m; row++) {
            for (int channel = 0; channel < k; channel++) {
                put(bytes, (row * k + channel) * elementBytes(), a(row, channel));
            }
        }
        return image;
    }

    /** Cubes [K/atom][M][atom]. */
    byte[] cubeFeatures() {
        int atom = 16 / elementBytes();
        byte[] image = new byte[m * k * elementBytes()];
        ByteBuffer bytes = little(image);
        for (int row = 0; row < m; row++) {
            for (int channel = 0; channel < k; channel++) {
                int index = channel / atom * m * atom + row * atom + channel % atom;
                put(bytes, index * elementBytes(), a(row, channel));
            }
        }
        return image;
    }

    /** Tiles [N/group][K/32][group][32]. */
    byte[] weights() {
        int group = half ? 16 : 32;
        byte[] image = new byte[n * k * elementBytes()];
        ByteBuffer bytes = little(image);
        for (int kernel = 0; kernel < n; kernel++) {
            for (int channel = 0; channel < k; channel++) {
                int index = kernel / group * group * k + channel / 32 * 32 * group + kernel % group * 32 + channel % 32;
                put(bytes, index * elementBytes(), b(kernel, channel));
            }
        }
        return image;
    }

    private static ByteBuffer little(byte[] image) {
        return ByteBuffer.wrap(image).order(ByteOrder.LITTLE_ENDIAN);
    }

    private void put(ByteBuffer bytes, int at, double value) {
        if (half) {
            bytes.putShort(at, Float.floatToFloat16((float) value));
        } else {
            bytes.put(at, (byte) value);
        }
    }

    /** The result by plain arithmetic, row-major, little-endian. All sums of the patterns are exact in a double. */
    byte[] expected() {
        byte[] image = new byte[m * n * outBytes()];
        ByteBuffer bytes = little(image);
        double[] row = new double[k];
        double[][] columns = new double[n][k];
        for (int kernel = 0; kernel < n; kernel++) {
            for (int channel = 0; channel < k; channel++) {
                columns[kernel][channel] = b(kernel, channel);
            }
        }
        for (int i = 0; i < m; i++) {
            for (int channel = 0; channel < k; channel++) {
                row[channel] = a(i, channel);
            }
            for (int kernel = 0; kernel < n; kernel++) {
                double sum = 0;
                for (int channel = 0; channel < k; channel++) {
                    sum += row[channel] * columns[kernel][channel];
                }
                int at = (i * n + kernel) * outBytes();
                switch (out) {
                    case "int32" -> bytes.putInt(at, (int) sum);
                    case "fp32" -> bytes.putFloat(at, (float) sum);
                    case "fp16" -> bytes.putShort(at, Float.floatToFloat16((float) sum));
                    case "int8" ->
                        bytes.put(at, (byte) Math.clamp(Math.rint(sum * mult / Math.pow(2, shift)), -128, 127));
                    default -> throw new AssertionError(out);
                }
            }
        }
        return image;
    }

    /** Row-major bytes from an image of rows that are {@code rowElements} apart. */
    byte[] fromRows(byte[] image, int rowElements) {
        byte[] dense = new byte[m * n * outBytes()];
        for (int row = 0; row < m; row++) {
            System.arraycopy(image, row * rowElements * outBytes(), dense, row * n * outBytes(), n * outBytes());
        }
        return dense;
    }

    /** Row-major bytes from cubes [N/atom][M][atom]. */
    byte[] fromCubes(byte[] image) {
        int atom = 16 / outBytes();
        byte[] dense = new byte[m * n * outBytes()];
        for (int row = 0; row < m; row++) {
            for (int kernel = 0; kernel < n; kernel++) {
                int from = (kernel / atom * m * atom + row * atom + kernel % atom) * outBytes();
                System.arraycopy(image, from, dense, (row * n + kernel) * outBytes(), outBytes());
            }
        }
        return dense;
    }

    /** FNV-1a, 64 bits, as the golden files write it. */
    static String fingerprint(byte[] bytes) {
        long hash = 0xcbf29ce484222325L;
        for (byte b : bytes) {
            hash = (hash ^ (b & 0xff)) * 0x100000001b3L;
        }
        return String.format("%016x", hash);
    }
}
