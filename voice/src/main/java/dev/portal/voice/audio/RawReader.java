package dev.portal.voice.audio;

import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;

/** Reads sound without a header: mono, signed 16 bits, little-endian. One thread at a time. */
public final class RawReader implements SampleSource {
    private final InputStream in;
    private final int sampleRateHz;
    private final List<String> warnings = new ArrayList<>();
    private final byte[] buffer = new byte[1 << 13];
    private final ByteBuffer view = ByteBuffer.wrap(buffer).order(ByteOrder.LITTLE_ENDIAN);
    private int buffered;
    private int consumed;

    /** @param in closed by {@link #close()} */
    public RawReader(InputStream in, int sampleRateHz) {
        if (sampleRateHz < 1) {
            throw new IllegalArgumentException("a rate of " + sampleRateHz + " Hz");
        }
        this.in = in;
        this.sampleRateHz = sampleRateHz;
    }

    @Override
    public int sampleRateHz() {
        return sampleRateHz;
    }

    @Override
    public List<String> warnings() {
        return List.copyOf(warnings);
    }

    @Override
    public int read(float[] into, int offset, int length) throws IOException {
        while (buffered - consumed < 2) {
            int rest = buffered - consumed;
            System.arraycopy(buffer, consumed, buffer, 0, rest);
            int read = in.read(buffer, rest, buffer.length - rest);
            consumed = 0;
            buffered = rest + Math.max(read, 0);
            if (read < 0) {
                if (rest != 0) {
                    warnings.add("the last byte is half a sample and is left out");
                    buffered = 0;
                }
                return END;
            }
        }
        int count = Math.min(length, (buffered - consumed) / 2);
        for (int i = 0; i < count; i++) {
            into[offset + i] = view.getShort(consumed) / 32768f;
            consumed += 2;
        }
        return count;
    }

    @Override
    public void close() throws IOException {
        in.close();
    }
}
