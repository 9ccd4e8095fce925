package dev.portal.voice.audio;

/**
 * The last seconds of a stream, addressed by sample number, so that speech can be taken from before it was noticed.
 *
 * <p>One thread at a time.
 */
public final class PreRoll {
    private final float[] ring;
    private long written;

    /** @param capacitySamples how many samples it remembers, 1 or more */
    public PreRoll(int capacitySamples) {
        if (capacitySamples < 1) {
            throw new IllegalArgumentException("a pre-roll of " + capacitySamples + " samples");
        }
        this.ring = new float[capacitySamples];
    }

    /** Takes the next samples of the stream. */
    public void write(float[] samples, int offset, int length) {
        int skipped = Math.max(0, length - ring.length);
        written += skipped;
        int left = length - skipped;
        int from = offset + skipped;
        while (left > 0) {
            int at = (int) (written % ring.length);
            int count = Math.min(left, ring.length - at);
            System.arraycopy(samples, from, ring, at, count);
            written += count;
            from += count;
            left -= count;
        }
    }

    /** The number of the next sample, and so how many were written. */
    public long position() {
        return written;
    }

    /** The number of the oldest sample that it remembers. */
    public long oldest() {
        return Math.max(0, written - ring.length);
    }

    /**
     * A copy of the samples from number {@code start} up to {@link #position()}; from {@link #oldest()} where that is
     * later, so that speech dated back too far loses its start and nothing else.
     */
    public float[] from(long start) {
        if (start > written) {
            throw new IllegalArgumentException("sample " + start + " is not written yet; " + written + " are");
        }
        long first = Math.max(start, oldest());
        float[] copy = new float[(int) (written - first)];
        int done = 0;
        while (done < copy.length) {
            int at = (int) ((first + done) % ring.length);
            int count = Math.min(copy.length - done, ring.length - at);
            System.arraycopy(ring, at, copy, done, count);
            done += count;
        }
        return copy;
    }

    /** Forgets all; the next sample is number 0. */
    public void reset() {
        written = 0;
    }
}
