package dev.portal.voice.audio;

import java.io.IOException;
import java.util.Arrays;

/**
 * A piece of sound held in memory.
 *
 * @param values mono, -1 to 1; not copied
 * @param sampleRateHz their rate
 */
public record Samples(float[] values, int sampleRateHz) {
    public Samples {
        if (sampleRateHz < 1) {
            throw new IllegalArgumentException("a rate of " + sampleRateHz + " Hz");
        }
    }

    /** All that is left of {@code source}; the caller closes it. */
    public static Samples readAll(SampleSource source) throws IOException {
        float[] values = new float[source.sampleRateHz()];
        int length = 0;
        int read;
        while ((read = source.read(values, length, values.length - length)) >= 0) {
            length += read;
            if (length == values.length) {
                values = Arrays.copyOf(values, Math.multiplyExact(length, 2));
            }
        }
        return new Samples(Arrays.copyOf(values, length), source.sampleRateHz());
    }

    /** The sound as a source, from its start. */
    public SampleSource source() {
        return new SampleSource() {
            private int position;

            @Override
            public int sampleRateHz() {
                return sampleRateHz;
            }

            @Override
            public int read(float[] into, int offset, int length) {
                if (position == values.length) {
                    return END;
                }
                int count = Math.min(length, values.length - position);
                System.arraycopy(values, position, into, offset, count);
                position += count;
                return count;
            }

            @Override
            public void close() {}
        };
    }

    /** How long it lasts. */
    public double seconds() {
        return (double) values.length / sampleRateHz;
    }

    @Override
    public String toString() {
        return values.length + " samples at " + sampleRateHz + " Hz";
    }
}
