package dev.portal.voice.audio;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import java.io.ByteArrayInputStream;
import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

class WavReaderTest {
    private static final byte[] FOUR = WavBytes.s16(0, 16384, -32768, 32767);
    private static final float[] FOUR_FLOATS = {0, 0.5f, -1, 32767 / 32768f};

    @ParameterizedTest
    @CsvSource({"1, 8", "1, 16", "1, 24", "1, 32", "3, 32", "3, 64"})
    void everyDepthIsReadPlainAndExtensible(int tag, int bits) throws IOException {
        ByteBuffer half = ByteBuffer.allocate(3 * bits / 8).order(ByteOrder.LITTLE_ENDIAN);
        for (double value : new double[] {0.5, -0.5, -1}) {
            switch (bits) {
                case 8 -> half.put((byte) (value * 128 + 128));
                case 16 -> half.putShort((short) (value * 32768));
                case 24 -> half.putShort((short) 0).put((byte) (value * 128));
                case 32 -> half.putInt(tag == 3 ? Float.floatToIntBits((float) value) : (int) (value * 0x1p31));
                default -> half.putDouble(value);
            }
        }
        float[] expected = {0.5f, -0.5f, -1};
        assertThat(read(WavBytes.of(tag, 1, 16000, bits).data(half.array()))).isEqualTo(expected);
        assertThat(read(new WavBytes().extensible(tag, 1, 16000, bits, bits).data(half.array())))
                .isEqualTo(expected);
    }

    @Test
    void channelsAreMixedToTheirMean() throws IOException {
        assertThat(read(WavBytes.of(1, 2, 44100, 16).data(WavBytes.s16(16384, 0, -16384, 16384))))
                .containsExactly(0.25f, 0);
        assertThat(read(WavBytes.of(1, 3, 44100, 16).data(WavBytes.s16(3072, 6144, 9216))))
                .containsExactly(6144 / 32768f);
    }

    @Test
    void theFormatIsReported() throws IOException {
        var reader = open(WavBytes.of(1, 2, 44100, 24).data(new byte[0]));
        assertThat(reader.format()).isEqualTo(new WavFormat(WavFormat.Encoding.PCM, 2, 44100, 3));
        assertThat(reader.format()).hasToString("24-bit PCM, 2 channels, 44100 Hz");
    }

    @Test
    void oddChunksArePaddedAndWhatFollowsTheSoundIsIgnored() throws IOException {
        WavBytes wav = new WavBytes()
                .chunk("LIST", new byte[7])
                .format(1, 1, 8000, 8)
                .chunk("junk", new byte[1])
                .data(new byte[] {(byte) 192})
                .raw(new byte[1])
                .chunk("LIST", new byte[26]);
        var reader = open(wav);
        assertThat(Samples.readAll(reader).values()).containsExactly(0.5f);
        assertThat(reader.warnings()).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(longs = {0, 0xffff_ffffL, 0x7fff_f000L})
    void anUnknownLengthIsReadToTheEndWithoutAWarning(long announced) throws IOException {
        var reader = open(WavBytes.of(1, 1, 16000, 16).data(announced, FOUR));
        assertThat(Samples.readAll(reader).values()).isEqualTo(FOUR_FLOATS);
        assertThat(reader.warnings()).isEmpty();
    }

    @Test
    void aLongFileTakesItsLengthFromRf64() throws IOException {
        byte[] ds64 = new byte[28];
        ds64[8] = 4;
        byte[] wav = new WavBytes()
                .chunk("ds64", ds64)
                .format(1, 1, 16000, 16)
                .data(0xffff_ffffL, FOUR)
                .bytes();
        wav[1] = 'F';
        wav[2] = '6';
        wav[3] = '4';
        assertThat(read(wav)).containsExactly(0, 0.5f);
    }

    @Test
    void shortSoundIsPlayedWithAWarning() throws IOException {
        var reader = open(WavBytes.of(1, 1, 16000, 16).data(1000, FOUR));
        assertThat(Samples.readAll(reader).values()).isEqualTo(FOUR_FLOATS);
        assertThat(reader.warnings()).singleElement().asString().contains("byte 52: the file ends 992 bytes before");
        assertThat(reader.read(new float[1], 0, 1)).isEqualTo(SampleSource.END);
        assertThat(reader.warnings()).hasSize(1);
    }

    @Test
    void aPartOfAFrameAtTheEndIsLeftOutWithAWarning() throws IOException {
        var reader = open(WavBytes.of(1, 2, 16000, 16).data(7, Arrays.copyOf(FOUR, 7)));
        assertThat(Samples.readAll(reader).values()).containsExactly(0.25f);
        assertThat(reader.warnings()).singleElement().asString().contains("the last 3 bytes are no whole frame of 4");
    }

    @Test
    void floatsOutsideTheRangeAreLimitedWithOneWarning() throws IOException {
        ByteBuffer floats = ByteBuffer.allocate(16).order(ByteOrder.LITTLE_ENDIAN);
        floats.putFloat(0.5f).putFloat(-2).putFloat(Float.NaN).putFloat(Float.POSITIVE_INFINITY);
        var reader = open(WavBytes.of(3, 1, 16000, 32).data(floats.array()));
        assertThat(Samples.readAll(reader).values()).containsExactly(0.5f, -1, 0, 0);
        assertThat(reader.warnings()).singleElement().asString().contains("byte 48: a sample of -2.0");
    }

    @Test
    void aStreamThatGivesOneByteAtATimeIsReadAlike() throws IOException {
        byte[] wav = WavBytes.of(1, 1, 16000, 16).data(FOUR).bytes();
        InputStream slow = new FilterInputStream(new ByteArrayInputStream(wav)) {
            @Override
            public int read(byte[] into, int offset, int length) throws IOException {
                return super.read(into, offset, Math.min(length, 1));
            }
        };
        assertThat(Samples.readAll(new WavReader(slow)).values()).isEqualTo(FOUR_FLOATS);
    }

    record Broken(String file, long byteOffset, String message) {}

    static Stream<Broken> brokenHeaders() {
        return Stream.of(
                new Broken("", 0, "the file is empty"),
                new Broken("hello, world\n", 0, "not a WAV file: it begins with 'hell'"),
                new Broken("OggS\0\2\0\0\0\0\0\0\0", 0, "'OggS' (Ogg)"),
                new Broken("ID3\4\0\0\0\0\0\0\0\0", 0, "(MP3)"),
                new Broken("\1\2\3\4", 0, "name a headerless file NAME.raw"),
                new Broken("RI", 0, "it begins with 'RI'"),
                new Broken("RIFF\0", 5, "ends within its first 12 bytes"),
                new Broken("RIFF\0\0\0\0AVI ", 8, "of kind 'AVI ', not 'WAVE'"),
                new Broken("RIFF\0\0\0\0WAVE", 12, "ends before its format"),
                new Broken("RIFF\0\0\0\0WAVEfmt", 15, "ends before its format"),
                new Broken("RIFF\0\0\0\0WAVEdata\0\0\0\0", 12, "comes before its format"),
                new Broken("RIFF\0\0\0\0WAVEfmt \20\0\0\0\1", 21, "ends within chunk 'fmt ' of 16 bytes"),
                new Broken("RIFF\0\0\0\0WAVEfmt \2\0\0\0\1\0", 16, "has 2 bytes; 16 or a few more were expected"),
                new Broken("RIFF\0\0\0\0WAVEjunk\377\377\377\377ab", 22, "within chunk 'junk' of 4294967295"),
                new Broken(
                        new String(WavBytes.of(1, 1, 16000, 16).bytes(), StandardCharsets.ISO_8859_1),
                        36,
                        "ends before its sound"));
    }

    @ParameterizedTest
    @MethodSource("brokenHeaders")
    void aBrokenHeaderIsRefusedWithItsOffset(Broken broken) {
        byte[] file = broken.file().getBytes(StandardCharsets.ISO_8859_1);
        WavException thrown = catchThrowableOfType(WavException.class, () -> read(file));
        assertThat(thrown)
                .hasMessageContaining(broken.message())
                .hasMessageStartingWith("byte " + broken.byteOffset() + ":");
        assertThat(thrown.byteOffset()).isEqualTo(broken.byteOffset());
    }

    @Test
    void anUnknownCodecIsNamedByNumber() {
        assertRefused(WavBytes.of(7, 1, 8000, 8), "byte 20: codec 7 (0x0007, mu-law) is not supported");
        assertRefused(WavBytes.of(0x1234, 1, 8000, 16), "codec 4660 (0x1234) is not supported");
        assertRefused(new WavBytes().extensible(6, 1, 8000, 8, 8), "byte 44: codec 6 (0x0006, A-law)");
        assertRefused(WavBytes.of(1, 1, 8000, 64), "PCM samples of 8 bytes are not supported");
        assertRefused(WavBytes.of(3, 1, 8000, 16), "float samples of 2 bytes are not supported");
    }

    @Test
    void aFormatThatCannotBeIsRefused() {
        assertRefused(WavBytes.of(1, 0, 8000, 16), "byte 22: the file has 0 channels");
        assertRefused(WavBytes.of(1, 1, 0, 16), "byte 24: a sample rate of 0 Hz");
        assertRefused(WavBytes.of(1, 1, -1, 16), "a sample rate of 4294967295 Hz");
        assertRefused(WavBytes.of(1, 1, 8000, 0), "byte 32: frames of 0 bytes cannot hold 1 channels of 0 bits");
    }

    private static void assertRefused(WavBytes wav, String message) {
        assertThatThrownBy(() -> read(wav.data(FOUR)))
                .isInstanceOf(WavException.class)
                .hasMessageContaining(message);
    }

    private static WavReader open(WavBytes wav) throws IOException {
        return new WavReader(new ByteArrayInputStream(wav.bytes()));
    }

    private static float[] read(WavBytes wav) throws IOException {
        return read(wav.bytes());
    }

    private static float[] read(byte[] wav) throws IOException {
        return Samples.readAll(new WavReader(new ByteArrayInputStream(wav))).values();
    }
}
