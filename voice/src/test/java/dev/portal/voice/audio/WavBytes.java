package dev.portal.voice.audio;

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;

/** Builds WAV files byte by byte, right and wrong ones, independently of the writer under test. */
final class WavBytes {
    private final ByteArrayOutputStream out = new ByteArrayOutputStream();

    WavBytes() {
        ascii("RIFF");
        u32(0xffff_ffffL);
        ascii("WAVE");
    }

    static WavBytes of(int tag, int channels, int rate, int bits) {
        return new WavBytes().format(tag, channels, rate, bits);
    }

    WavBytes ascii(String text) {
        return raw(text.getBytes(StandardCharsets.ISO_8859_1));
    }

    WavBytes raw(byte[] bytes) {
        out.writeBytes(bytes);
        return this;
    }

    WavBytes u16(int value) {
        out.write(value);
        out.write(value >> 8);
        return this;
    }

    WavBytes u32(long value) {
        return u16((int) value & 0xffff).u16((int) (value >> 16) & 0xffff);
    }

    WavBytes format(int tag, int channels, int rate, int bits) {
        int frame = channels * ((bits + 7) / 8);
        ascii("fmt ").u32(16);
        return u16(tag).u16(channels)
                .u32(rate)
                .u32((long) rate * frame)
                .u16(frame)
                .u16(bits);
    }

    WavBytes extensible(int subTag, int channels, int rate, int containerBits, int validBits) {
        int frame = channels * containerBits / 8;
        ascii("fmt ").u32(40);
        u16(0xfffe).u16(channels).u32(rate).u32((long) rate * frame).u16(frame).u16(containerBits);
        u16(22).u16(validBits).u32(0).u16(subTag);
        return u16(0).raw(new byte[] {0, 0, 16, 0, (byte) 0x80, 0, 0, (byte) 0xaa, 0, 0x38, (byte) 0x9b, 0x71});
    }

    WavBytes chunk(String id, byte[] body) {
        ascii(id).u32(body.length).raw(body);
        return body.length % 2 == 1 ? raw(new byte[1]) : this;
    }

    WavBytes data(byte[] samples) {
        return data(samples.length, samples);
    }

    WavBytes data(long announcedBytes, byte[] samples) {
        return ascii("data").u32(announcedBytes).raw(samples);
    }

    byte[] bytes() {
        return out.toByteArray();
    }

    static byte[] s16(int... values) {
        ByteBuffer bytes = ByteBuffer.allocate(2 * values.length).order(ByteOrder.LITTLE_ENDIAN);
        for (int value : values) {
            bytes.putShort((short) value);
        }
        return bytes.array();
    }
}
