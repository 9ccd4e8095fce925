package dev.portal.voice.audio;

import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/**
 * Reads a WAV file (RIFF, or RF64 where it is longer than 4 GB) from a stream, without looking ahead: standard input
 * will do. Reads PCM of 8, 16, 24 and 32 bits and float of 32 and 64 bits, plain or WAVE_FORMAT_EXTENSIBLE, and mixes
 * several channels down to one.
 *
 * <pre>
 *  0 "RIFF"   4 size       8 "WAVE"
 * 12 chunk: id (4), size (4, little-endian), body, one byte of padding where the size is odd
 *    "fmt "  0 codec (2)  2 channels (2)  4 rate (4)  8 bytes a second (4)  12 bytes a frame (2)  14 bits (2)
 *            16 extension size (2)  18 valid bits (2)  20 speakers (4)  24 sub-format GUID (16)
 *    "data"  samples; a size of 0, 0xffffffff or nearly 0x80000000 means: as long as there are any
 * </pre>
 *
 * <p>A header that is broken is a {@link WavException}. Sound that is merely shorter than announced is played, with a
 * warning. One thread at a time.
 */
public final class WavReader implements SampleSource {
    private static final int HEADER_BYTES = 12;
    private static final int MAX_FORMAT_BYTES = 1 << 16;
    private static final int BUFFER_BYTES = 1 << 14;
    /** Where a tool that cannot seek and counts in signed integers begins to mean "unknown"; sox writes 0x7ffff000. */
    private static final long UNKNOWN_FROM = 0x7fff_f000L;

    private static final long UNKNOWN = Long.MAX_VALUE;

    private final InputStream in;
    private final WavFormat format;
    private final List<String> warnings = new ArrayList<>();
    private final byte[] buffer;
    private final ByteBuffer view;
    private final long dataBytes;
    private long position;
    private long dataLeft;
    private int buffered;
    private int consumed;
    private boolean warnedOfFloats;

    /**
     * Reads the header.
     *
     * @param in read on the caller's thread, closed by {@link #close()}; not closed when this fails
     * @throws WavException when it is not a WAV file that can be read
     */
    public WavReader(InputStream in) throws IOException {
        this.in = in;
        boolean rf64 = riffHeader();
        WavFormat found = null;
        long rf64DataBytes = UNKNOWN;
        while (true) {
            long at = position;
            byte[] header = new byte[8];
            int read = fill(header, 8);
            if (read < 8) {
                throw new WavException(
                        at + read,
                        found == null ? "the file ends before its format" : "the file ends before its sound");
            }
            String id = new String(header, 0, 4, StandardCharsets.ISO_8859_1);
            long size = Integer.toUnsignedLong(little(header).getInt(4));
            if (id.equals("data")) {
                if (found == null) {
                    throw new WavException(at, "the sound ('data') comes before its format ('fmt ')");
                }
                dataBytes = dataBytes(size, rf64DataBytes);
                break;
            }
            if (id.equals("fmt ")) {
                found = WavFormat.parse(body(id, size, 16), at + 8);
            } else if (id.equals("ds64") && rf64) {
                rf64DataBytes = little(body(id, size, 16)).getLong(8);
            } else {
                skip(id, size);
            }
            skip(id, size & 1);
        }
        format = found;
        dataLeft = dataBytes;
        int frameBytes = format.frameBytes();
        buffer = new byte[Math.max(BUFFER_BYTES / frameBytes, 1) * frameBytes];
        view = little(buffer);
    }

    private boolean riffHeader() throws IOException {
        byte[] header = new byte[HEADER_BYTES];
        int read = fill(header, HEADER_BYTES);
        if (read == 0) {
            throw new WavException(0, "the file is empty");
        }
        String magic = new String(header, 0, Math.min(read, 4), StandardCharsets.ISO_8859_1);
        if (!magic.equals("RIFF") && !magic.equals("RF64")) {
            throw new WavException(0, "not a WAV file: it begins with " + describe(header, read));
        }
        if (read < HEADER_BYTES) {
            throw new WavException(read, "the file ends within its first " + HEADER_BYTES + " bytes");
        }
        String kind = new String(header, 8, 4, StandardCharsets.ISO_8859_1);
        if (!kind.equals("WAVE")) {
            throw new WavException(8, "a RIFF file, but of kind " + describe(header, 8, 12) + ", not 'WAVE'");
        }
        return magic.equals("RF64");
    }

    private static String describe(byte[] header, int read) {
        String start = describe(header, 0, Math.min(read, 4));
        return switch (start) {
            case "'OggS'" -> start + " (Ogg)";
            case "'fLaC'" -> start + " (FLAC)";
            case "'FORM'" -> start + " (AIFF)";
            case "'RIFX'" -> start + " (big-endian RIFF)";
            case "'caff'" -> start + " (CAF)";
            default -> start.startsWith("'ID3") ? start + " (MP3)" : start + "; name a headerless file NAME.raw";
        };
    }

    private static String describe(byte[] bytes, int from, int to) {
        StringBuilder text = new StringBuilder("'");
        for (int i = from; i < to; i++) {
            int c = bytes[i] & 0xff;
            if (c >= 0x20 && c < 0x7f) {
                text.append((char) c);
            } else {
                text.append("\\x%02x".formatted(c));
            }
        }
        return text.append('\'').toString();
    }

    private static long dataBytes(long size, long rf64DataBytes) {
        if (size == 0xffff_ffffL && rf64DataBytes != UNKNOWN) {
            return rf64DataBytes <= 0 ? UNKNOWN : rf64DataBytes;
        }
        return size == 0 || size == 0xffff_ffffL || (size >= UNKNOWN_FROM && size < 0x8000_0000L) ? UNKNOWN : size;
    }

    private byte[] body(String id, long size, int atLeast) throws IOException {
        long at = position;
        if (size < atLeast || size > MAX_FORMAT_BYTES) {
            throw new WavException(
                    at - 4, "chunk '" + id + "' has " + size + " bytes; " + atLeast + " or a few more were expected");
        }
        byte[] body = new byte[(int) size];
        int read = fill(body, body.length);
        if (read < size) {
            throw new WavException(at + read, "the file ends within chunk '" + id + "' of " + size + " bytes");
        }
        return body;
    }

    private void skip(String id, long size) throws IOException {
        long left = size;
        byte[] scratch = new byte[(int) Math.min(left, BUFFER_BYTES)];
        while (left > 0) {
            int read = in.read(scratch, 0, (int) Math.min(left, scratch.length));
            if (read < 0) {
                throw new WavException(position, "the file ends within chunk '" + id + "' of " + size + " bytes");
            }
            position += read;
            left -= read;
        }
    }

    private int fill(byte[] into, int length) throws IOException {
        int read = in.readNBytes(into, 0, length);
        position += read;
        return read;
    }

    private static ByteBuffer little(byte[] bytes) {
        return ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
    }

    /** How the samples are stored. */
    public WavFormat format() {
        return format;
    }

    @Override
    public int sampleRateHz() {
        return format.sampleRateHz();
    }

    @Override
    public List<String> warnings() {
        return List.copyOf(warnings);
    }

    @Override
    public int read(float[] into, int offset, int length) throws IOException {
        int frameBytes = format.frameBytes();
        while (buffered - consumed < frameBytes) {
            if (!refill()) {
                return END;
            }
        }
        int frames = Math.min(length, (buffered - consumed) / frameBytes);
        for (int i = 0; i < frames; i++) {
            into[offset + i] = limited(format.mono(buffer, consumed, view), consumed);
            consumed += frameBytes;
        }
        return frames;
    }

    /** Reads some more; what is left of a frame moves to the front. False at the end. */
    private boolean refill() throws IOException {
        int rest = buffered - consumed;
        System.arraycopy(buffer, consumed, buffer, 0, rest);
        consumed = 0;
        buffered = rest;
        int wanted = (int) Math.min(buffer.length - rest, dataLeft);
        int read = wanted == 0 ? -1 : in.read(buffer, rest, wanted);
        if (read > 0) {
            position += read;
            buffered += read;
            if (dataLeft != UNKNOWN) {
                dataLeft -= read;
            }
            return true;
        }
        if (dataLeft != UNKNOWN && dataLeft != 0) {
            warnings.add("byte " + position + ": the file ends " + dataLeft + " bytes before the " + dataBytes
                    + " bytes of sound that it announces; what is there is played");
        }
        if (rest != 0) {
            warnings.add("byte " + position + ": the last " + rest + " bytes are no whole frame of "
                    + format.frameBytes() + " bytes and are left out");
        }
        dataLeft = 0;
        buffered = 0;
        return false;
    }

    private float limited(float value, int at) {
        if (value >= -1 && value <= 1) {
            return value;
        }
        if (!warnedOfFloats) {
            warnedOfFloats = true;
            warnings.add("byte " + (position - buffered + at) + ": a sample of " + value
                    + " is outside -1 to 1; such samples are limited");
        }
        return Float.isNaN(value) ? 0 : Math.clamp(value, -1f, 1f);
    }

    @Override
    public void close() throws IOException {
        in.close();
    }
}
