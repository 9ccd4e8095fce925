package dev.portal.voice.audio;

import java.io.Closeable;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.Channels;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import org.jspecify.annotations.Nullable;

/**
 * Writes a WAV file: 16 bits, mono. The header says "length unknown" until {@link #close()} puts the true one in, so
 * that a file cut off by a crash can still be played; to a pipe, it stays unknown.
 *
 * <p>One thread at a time.
 */
public final class WavWriter implements Closeable {
    private static final int HEADER_BYTES = 44;
    private static final long UNKNOWN = 0xffff_ffffL;

    private final OutputStream out;
    private final @Nullable FileChannel file;
    private final int sampleRateHz;
    private final byte[] bytes = new byte[1 << 13];
    private final ByteBuffer buffer = little(bytes);
    private long dataBytes;
    private boolean closed;

    private WavWriter(OutputStream out, @Nullable FileChannel file, int sampleRateHz) throws IOException {
        this.out = out;
        this.file = file;
        this.sampleRateHz = sampleRateHz;
        out.write(header(sampleRateHz, UNKNOWN));
    }

    /** Creates a file, or replaces it. */
    public static WavWriter create(Path file, int sampleRateHz) throws IOException {
        FileChannel channel = FileChannel.open(
                file, StandardOpenOption.CREATE, StandardOpenOption.TRUNCATE_EXISTING, StandardOpenOption.WRITE);
        try {
            return new WavWriter(Channels.newOutputStream(channel), channel, sampleRateHz);
        } catch (IOException | RuntimeException e) {
            channel.close();
            throw e;
        }
    }

    /** Writes to a stream, which {@link #close()} closes; the header's length stays unknown. */
    public static WavWriter to(OutputStream out, int sampleRateHz) throws IOException {
        return new WavWriter(out, null, sampleRateHz);
    }

    /** A whole file in memory, with its length. */
    public static byte[] encode(Samples samples) {
        int length = samples.values().length;
        byte[] file = new byte[Math.addExact(HEADER_BYTES, Math.multiplyExact(2, length))];
        ByteBuffer out = little(file).put(header(samples.sampleRateHz(), 2L * length));
        for (float value : samples.values()) {
            out.putShort(s16(value));
        }
        return file;
    }

    /** The nearest sample of 16 bits: {@code value} times 32768, limited to the range. */
    public static short s16(float value) {
        return (short) Math.clamp(Math.round(value * 32768), Short.MIN_VALUE, Short.MAX_VALUE);
    }

    /** Writes samples, -1 to 1; those outside are limited. */
    public void write(float[] samples, int offset, int length) throws IOException {
        for (int i = 0; i < length; i++) {
            if (!buffer.hasRemaining()) {
                drain();
            }
            buffer.putShort(s16(samples[offset + i]));
        }
    }

    private void drain() throws IOException {
        out.write(bytes, 0, buffer.position());
        dataBytes += buffer.position();
        buffer.clear();
    }

    /** Makes what was written visible to readers. */
    public void flush() throws IOException {
        drain();
        out.flush();
    }

    @Override
    public void close() throws IOException {
        if (closed) {
            return;
        }
        closed = true;
        try (out) {
            flush();
            if (file != null && dataBytes < UNKNOWN - HEADER_BYTES) {
                ByteBuffer header = ByteBuffer.wrap(header(sampleRateHz, dataBytes));
                while (header.hasRemaining()) {
                    file.write(header, header.position());
                }
            }
        }
    }

    private static byte[] header(int sampleRateHz, long dataBytes) {
        if (sampleRateHz < 1) {
            throw new IllegalArgumentException("a rate of " + sampleRateHz + " Hz");
        }
        byte[] header = new byte[HEADER_BYTES];
        little(header)
                .put("RIFF".getBytes(StandardCharsets.US_ASCII))
                .putInt((int) Math.min(UNKNOWN, dataBytes + HEADER_BYTES - 8))
                .put("WAVEfmt ".getBytes(StandardCharsets.US_ASCII))
                .putInt(16)
                .putShort((short) 1)
                .putShort((short) 1)
                .putInt(sampleRateHz)
                .putInt(2 * sampleRateHz)
                .putShort((short) 2)
                .putShort((short) 16)
                .put("data".getBytes(StandardCharsets.US_ASCII))
                .putInt((int) dataBytes);
        return header;
    }

    private static ByteBuffer little(byte[] bytes) {
        return ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
    }
}
