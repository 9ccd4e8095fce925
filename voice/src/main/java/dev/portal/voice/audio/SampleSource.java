package dev.portal.voice.audio;

import java.io.Closeable;
import java.io.IOException;
import java.util.List;

/** Sound that comes in piece by piece. One thread at a time. */
public interface SampleSource extends Closeable {
    /** What {@link #read} returns at the end. */
    int END = -1;

    int sampleRateHz();

    /**
     * Reads samples, and waits until there is at least one.
     *
     * @param into takes them: mono, -1 to 1
     * @param length how many at most, 1 or more
     * @return how many were read, or {@link #END}
     */
    int read(float[] into, int offset, int length) throws IOException;

    /** What was odd about the sound so far, though it can be played; complete once {@link #END} was returned. */
    default List<String> warnings() {
        return List.of();
    }
}
