package dev.portal.llm.gguf;

import java.io.BufferedOutputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** Writes GGUF files of version 3: vocabularies and models of a given shape, for tests and benchmarks. One thread. */
public final class GgufWriter {
    private static final int ALIGNMENT = 32;

    private final ByteArrayOutputStream keyBytes = new ByteArrayOutputStream();
    private final DataOutputStream keys = new DataOutputStream(keyBytes);
    private final List<Tensor> tensors = new ArrayList<>();
    private int keyCount;

    /** Makes the bytes of a tensor when they are written, so that a large model need not fit into memory. */
    @FunctionalInterface
    public interface Contents {
        /** Writes exactly the tensor's bytes. */
        void writeTo(OutputStream out) throws IOException;
    }

    private record Tensor(String name, TensorType type, long[] sizes, Contents contents) {
        long bytes() {
            long bytes = type.rowBytes(sizes[0]);
            for (int i = 1; i < sizes.length; i++) {
                bytes = Math.multiplyExact(bytes, sizes[i]);
            }
            return bytes;
        }
    }

    public GgufWriter text(String key, String value) {
        return put(key, GgufFile.TEXT, out -> writeText(out, value.getBytes(StandardCharsets.UTF_8)));
    }

    /** An unsigned 32-bit integer. */
    public GgufWriter whole(String key, int value) {
        return put(key, GgufFile.UINT32, out -> writeInt(out, value));
    }

    /** A 32-bit float. */
    public GgufWriter real(String key, float value) {
        return put(key, GgufFile.FLOAT32, out -> writeInt(out, Float.floatToRawIntBits(value)));
    }

    public GgufWriter flag(String key, boolean value) {
        return put(key, GgufFile.BOOL, out -> out.writeByte(value ? 1 : 0));
    }

    public GgufWriter texts(String key, List<String> values) {
        return put(key, GgufFile.ARRAY, out -> {
            writeInt(out, GgufFile.TEXT);
            writeLong(out, values.size());
            for (String value : values) {
                writeText(out, value.getBytes(StandardCharsets.UTF_8));
            }
        });
    }

    public GgufWriter reals(String key, float... values) {
        return put(key, GgufFile.ARRAY, out -> {
            writeInt(out, GgufFile.FLOAT32);
            writeLong(out, values.length);
            for (float value : values) {
                writeInt(out, Float.floatToRawIntBits(value));
            }
        });
    }

    /** An array of signed 32-bit integers. */
    public GgufWriter wholes(String key, int... values) {
        return put(key, GgufFile.ARRAY, out -> {
            writeInt(out, GgufFile.INT32);
            writeLong(out, values.length);
            for (int value : values) {
                writeInt(out, value);
            }
        });
    }

    /** A tensor; sizes fastest first. */
    public GgufWriter tensor(String name, TensorType type, Contents contents, long... sizes) {
        tensors.add(new Tensor(name, type, sizes.clone(), contents));
        return this;
    }

    /** Writes the file. */
    public void write(Path file) throws IOException {
        try (OutputStream out = new BufferedOutputStream(Files.newOutputStream(file), 1 << 16)) {
            write(out);
        }
    }

    private void write(OutputStream to) throws IOException {
        ByteArrayOutputStream headerBytes = new ByteArrayOutputStream();
        DataOutputStream header = new DataOutputStream(headerBytes);
        header.writeBytes("GGUF");
        writeInt(header, 3);
        writeLong(header, tensors.size());
        writeLong(header, keyCount);
        keyBytes.writeTo(header);
        long offset = 0;
        for (Tensor tensor : tensors) {
            writeText(header, tensor.name.getBytes(StandardCharsets.UTF_8));
            writeInt(header, tensor.sizes.length);
            for (long size : tensor.sizes) {
                writeLong(header, size);
            }
            writeInt(header, tensor.type.code());
            writeLong(header, offset);
            offset += padded(tensor.bytes());
        }
        headerBytes.writeTo(to);
        to.write(new byte[(int) (padded(headerBytes.size()) - headerBytes.size())]);
        for (Tensor tensor : tensors) {
            Counted counted = new Counted(to);
            tensor.contents.writeTo(counted);
            if (counted.bytes != tensor.bytes()) {
                throw new IllegalArgumentException("tensor '" + tensor.name + "' has " + tensor.bytes() + " bytes, and "
                        + counted.bytes + " were written");
            }
            to.write(new byte[(int) (padded(counted.bytes) - counted.bytes)]);
        }
    }

    private static long padded(long bytes) {
        return (bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    }

    @FunctionalInterface
    private interface Value {
        void writeTo(DataOutputStream out) throws IOException;
    }

    private GgufWriter put(String key, int type, Value value) {
        try {
            writeText(keys, key.getBytes(StandardCharsets.UTF_8));
            writeInt(keys, type);
            value.writeTo(keys);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        keyCount++;
        return this;
    }

    private static void writeText(DataOutputStream out, byte[] text) throws IOException {
        writeLong(out, text.length);
        out.write(text);
    }

    private static void writeInt(DataOutputStream out, int value) throws IOException {
        out.writeInt(Integer.reverseBytes(value));
    }

    private static void writeLong(DataOutputStream out, long value) throws IOException {
        out.writeLong(Long.reverseBytes(value));
    }

    /** Counts what goes through. */
    private static final class Counted extends OutputStream {
        private final OutputStream out;
        private long bytes;

        Counted(OutputStream out) {
            this.out = out;
        }

        @Override
        public void write(int b) throws IOException {
            out.write(b);
            bytes++;
        }

        @Override
        public void write(byte[] buffer, int from, int count) throws IOException {
            out.write(buffer, from, count);
            bytes += count;
        }
    }
}
