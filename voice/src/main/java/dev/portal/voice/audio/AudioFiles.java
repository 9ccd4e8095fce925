package dev.portal.voice.audio;

import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;

/** Opens sound by name. */
public final class AudioFiles {
    /** The rate of a headerless file. */
    public static final int RAW_RATE_HZ = 16000;

    /** The name that stands for standard input. */
    public static final String STDIN = "-";

    private AudioFiles() {}

    /**
     * Opens a file: headerless sound where it ends in {@code .raw}, else WAV.
     *
     * @throws WavException when the header cannot be read; the message begins with the byte offset
     * @throws java.nio.file.NoSuchFileException when there is no such file
     */
    public static SampleSource open(Path file) throws IOException {
        boolean raw = file.toString().toLowerCase(Locale.ROOT).endsWith(".raw");
        return open(Files.newInputStream(file), raw);
    }

    /**
     * Opens a file, or standard input for "-".
     *
     * @param name as on a command line
     * @param stdin left open when the source is closed
     * @param raw whether the sound has no header, whatever its name
     */
    public static SampleSource open(String name, InputStream stdin, boolean raw) throws IOException {
        if (name.equals(STDIN)) {
            return open(new KeepOpen(stdin), raw);
        }
        return raw ? open(Files.newInputStream(Path.of(name)), true) : open(Path.of(name));
    }

    private static SampleSource open(InputStream in, boolean raw) throws IOException {
        if (raw) {
            return new RawReader(in, RAW_RATE_HZ);
        }
        try {
            return new WavReader(in);
        } catch (IOException | RuntimeException e) {
            in.close();
            throw e;
        }
    }

    private static final class KeepOpen extends FilterInputStream {
        KeepOpen(InputStream in) {
            super(in);
        }

        @Override
        public void close() {}
    }
}
