package dev.portal.voice.turn;

/** The last samples of a stream, addressed by their place in it. */
final class SampleRing {
    private final float[] samples;
    private long end;

    SampleRing(int capacity) {
        samples = new float[capacity];
    }

    void append(float[] from, int count) {
        for (int i = 0; i < count; i++) {
            samples[(int) ((end + i) % samples.length)] = from[i];
        }
        end += count;
    }

    /** One past the last sample. */
    long end() {
        return end;
    }

    /** The first sample that is still here. */
    long start() {
        return Math.max(0, end - samples.length);
    }

    /** A copy of the samples from {@code from} to {@code to}, exclusive; both within what is here. */
    float[] copy(long from, long to) {
        if (from < start() || to > end || from > to) {
            throw new IllegalArgumentException(
                    "samples " + from + " to " + to + " of a ring that holds " + start() + " to " + end);
        }
        float[] copy = new float[(int) (to - from)];
        for (int i = 0; i < copy.length; i++) {
            copy[i] = samples[(int) ((from + i) % samples.length)];
        }
        return copy;
    }
}
