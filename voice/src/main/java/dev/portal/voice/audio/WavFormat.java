package dev.portal.voice.audio;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * How the samples of a WAV file are stored.
 *
 * @param encoding integers or floats
 * @param channels 1 or more, interleaved
 * @param sampleRateHz frames a second
 * @param sampleBytes bytes that one sample of one channel takes; 8 bits are unsigned, all else is signed
 */
public record WavFormat(Encoding encoding, int channels, int sampleRateHz, int sampleBytes) {
    private static final int PCM = 1;
    private static final int FLOAT = 3;
    private static final int EXTENSIBLE = 0xfffe;
    private static final int MAX_RATE_HZ = 768_000;

    /** The two that are read. */
    public enum Encoding {
        PCM,
        FLOAT
    }

    /** Bytes of one sample of every channel. */
    public int frameBytes() {
        return channels * sampleBytes;
    }

    /**
     * Parses the body of a {@code fmt} chunk.
     *
     * @param at the body's byte offset in the file, for errors
     */
    static WavFormat parse(byte[] body, long at) throws WavException {
        ByteBuffer chunk = ByteBuffer.wrap(body).order(ByteOrder.LITTLE_ENDIAN);
        int tag = Short.toUnsignedInt(chunk.getShort(0));
        int channels = Short.toUnsignedInt(chunk.getShort(2));
        long rate = Integer.toUnsignedLong(chunk.getInt(4));
        int frameBytes = Short.toUnsignedInt(chunk.getShort(12));
        int bits = Short.toUnsignedInt(chunk.getShort(14));
        long tagAt = at;
        if (tag == EXTENSIBLE) {
            if (body.length < 40) {
                throw new WavException(
                        at, "WAVE_FORMAT_EXTENSIBLE needs 40 bytes of format, and there are " + body.length);
            }
            tagAt = at + 24;
            tag = subFormat(chunk, tagAt);
        }
        if (channels == 0) {
            throw new WavException(at + 2, "the file has 0 channels");
        }
        if (rate < 1 || rate > MAX_RATE_HZ) {
            throw new WavException(at + 4, "a sample rate of " + rate + " Hz; it must be 1 to " + MAX_RATE_HZ);
        }
        int sampleBytes = frameBytes / channels;
        if (frameBytes % channels != 0 || bits == 0 || bits > 8 * sampleBytes) {
            throw new WavException(
                    at + 12,
                    "frames of " + frameBytes + " bytes cannot hold " + channels + " channels of " + bits + " bits");
        }
        return new WavFormat(encoding(tag, sampleBytes, tagAt), channels, (int) rate, sampleBytes);
    }

    /** The first two bytes of a GUID whose other fourteen are the same for all registered formats. */
    private static int subFormat(ByteBuffer chunk, long at) throws WavException {
        if (chunk.getShort(26) != 0 || chunk.getInt(28) != 0x0010_0000 || chunk.getLong(32) != 0x719b_3800_aa00_0080L) {
            throw new WavException(at, "an unknown sub-format (its GUID is not of the registered kind)");
        }
        return Short.toUnsignedInt(chunk.getShort(24));
    }

    private static Encoding encoding(int tag, int sampleBytes, long at) throws WavException {
        if (tag == PCM && sampleBytes <= 4) {
            return Encoding.PCM;
        }
        if (tag == FLOAT && (sampleBytes == 4 || sampleBytes == 8)) {
            return Encoding.FLOAT;
        }
        String what = tag == PCM || tag == FLOAT
                ? (tag == PCM ? "PCM" : "float") + " samples of " + sampleBytes + " bytes are"
                : "codec %d (0x%04x%s) is".formatted(tag, tag, codecName(tag));
        throw new WavException(
                at,
                what + " not supported; PCM of 8, 16, 24 or 32 bits and float of 32 or 64 bits are. Convert it with"
                        + " 'sox IN -b 16 -e signed OUT.wav'");
    }

    private static String codecName(int tag) {
        return switch (tag) {
            case 0x0002 -> ", MS ADPCM";
            case 0x0006 -> ", A-law";
            case 0x0007 -> ", mu-law";
            case 0x0011 -> ", IMA ADPCM";
            case 0x0031 -> ", GSM 6.10";
            case 0x0050 -> ", MPEG";
            case 0x0055 -> ", MP3";
            case 0x00ff -> ", AAC";
            case 0x0161 -> ", WMA";
            default -> "";
        };
    }

    /** Mixes the frame at {@code at} down to one channel: the mean, or NaN where a float is not finite. */
    float mono(byte[] frames, int at, ByteBuffer view) {
        double sum = 0;
        for (int channel = 0; channel < channels; channel++) {
            int i = at + channel * sampleBytes;
            sum += encoding == Encoding.FLOAT
                    ? (sampleBytes == 4 ? view.getFloat(i) : view.getDouble(i))
                    : switch (sampleBytes) {
                        case 1 -> ((frames[i] & 0xff) - 128) / 128.0;
                        case 2 -> view.getShort(i) / 32768.0;
                        case 3 ->
                            ((frames[i] & 0xff) << 8 | (frames[i + 1] & 0xff) << 16 | frames[i + 2] << 24)
                                    / 2147483648.0;
                        default -> view.getInt(i) / 2147483648.0;
                    };
        }
        double mean = sum / channels;
        return Double.isInfinite(mean) ? Float.NaN : (float) mean;
    }

    @Override
    public String toString() {
        return 8 * sampleBytes + "-bit " + encoding + ", " + channels + (channels == 1 ? " channel, " : " channels, ")
                + sampleRateHz + " Hz";
    }
}
