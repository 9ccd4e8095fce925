package dev.portal.voice.audio;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.portal.base.RandomStream;
import org.junit.jupiter.api.Test;

class PreRollTest {
    @Test
    void whatIsRememberedIsTheEndOfTheStream() {
        RandomStream random = new RandomStream(7);
        for (int capacity : new int[] {1, 5, 64}) {
            PreRoll preRoll = new PreRoll(capacity);
            float[] stream = new float[400];
            for (int i = 0; i < stream.length; i++) {
                stream[i] = i;
            }
            int written = 0;
            while (written < stream.length) {
                int length = Math.min(random.nextInt(0, 90), stream.length - written);
                preRoll.write(stream, written, length);
                written += length;
                assertThat(preRoll.position()).isEqualTo(written);
                assertThat(preRoll.oldest()).isEqualTo(Math.max(0, written - capacity));
                long start = random.nextLong(0, written + 1);
                float[] got = preRoll.from(start);
                assertThat(got).hasSize((int) (written - Math.max(start, preRoll.oldest())));
                for (int i = 0; i < got.length; i++) {
                    assertThat(got[i]).isEqualTo(written - got.length + i);
                }
            }
        }
    }

    @Test
    void samplesThatAreNotWrittenYetAreRefusedAndAResetForgets() {
        PreRoll preRoll = new PreRoll(4);
        preRoll.write(new float[3], 0, 3);
        assertThatThrownBy(() -> preRoll.from(4)).hasMessageContaining("sample 4 is not written yet; 3 are");
        preRoll.reset();
        assertThat(preRoll.from(0)).isEmpty();
    }
}
