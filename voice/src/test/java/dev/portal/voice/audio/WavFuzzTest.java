package dev.portal.voice.audio;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.fail;

import dev.portal.base.RandomStream;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Whatever the bytes: sound within -1 to 1, or a {@link WavException}; never more memory than the file is worth. */
class WavFuzzTest {
    private static final long SEED = Long.getLong("portal.seed", 1);
    private static final int ROUNDS = 20_000;

    private static final List<byte[]> CORPUS = List.of(
            WavBytes.of(1, 1, 16000, 16).data(new byte[64]).bytes(),
            WavBytes.of(1, 2, 44100, 24).data(new byte[60]).bytes(),
            WavBytes.of(3, 1, 48000, 64).data(new byte[64]).bytes(),
            new WavBytes().extensible(1, 6, 48000, 32, 24).data(new byte[96]).bytes(),
            new WavBytes()
                    .chunk("LIST", new byte[5])
                    .chunk("ds64", new byte[28])
                    .format(3, 1, 8000, 32)
                    .chunk("fact", new byte[4])
                    .data(0xffff_ffffL, new byte[40])
                    .bytes());

    @Test
    void noFileBreaksTheReader() {
        RandomStream random = new RandomStream(SEED);
        int played = 0;
        for (int round = 0; round < ROUNDS; round++) {
            byte[] file = mutated(CORPUS.get(random.nextInt(CORPUS.size())), random);
            try (WavReader reader = new WavReader(new ByteArrayInputStream(file))) {
                played += read(reader, file.length);
            } catch (WavException expected) {
                assertThat(expected.byteOffset()).isBetween(0L, (long) file.length);
            } catch (IOException | RuntimeException e) {
                fail(
                        "seed " + SEED + ", round " + round + ", file " + Arrays.toString(file)
                                + "; again: ./portal test -Dtest=WavFuzzTest -Dportal.seed=" + SEED,
                        e);
            }
        }
        assertThat(played).as("files that were played in spite of it").isBetween(ROUNDS / 10, ROUNDS);
    }

    private static int read(WavReader reader, int fileBytes) throws IOException {
        float[] samples = new float[64];
        int total = 0;
        int read;
        while ((read = reader.read(samples, 0, samples.length)) >= 0) {
            for (int i = 0; i < read; i++) {
                if (!(samples[i] >= -1 && samples[i] <= 1)) {
                    throw new IllegalStateException("a sample of " + samples[i]);
                }
            }
            total += read;
        }
        assertThat(total).isLessThanOrEqualTo(fileBytes);
        assertThat(reader.warnings()).hasSizeLessThan(4);
        return 1;
    }

    private static byte[] mutated(byte[] original, RandomStream random) {
        byte[] file = original.clone();
        if (random.nextInt(4) == 0) {
            file[1] = 'F';
            file[2] = '6';
            file[3] = '4';
        }
        for (int edits = random.nextInt(1, 4); edits > 0; edits--) {
            int at = random.nextInt(file.length);
            switch (random.nextInt(5)) {
                case 0 -> file[at] = (byte) random.nextInt();
                case 1 -> file[at] ^= (byte) (1 << random.nextInt(8));
                case 2 -> file[at] = (byte) -1;
                case 3 -> file = Arrays.copyOf(file, Math.max(1, at));
                default -> Arrays.fill(file, at, Math.min(file.length, at + 4), (byte) random.nextInt(-1, 2));
            }
        }
        return file;
    }
}
