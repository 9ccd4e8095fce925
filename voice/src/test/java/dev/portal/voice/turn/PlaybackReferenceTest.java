package dev.portal.voice.turn;

import static org.assertj.core.api.Assertions.assertThat;

import dev.portal.base.RandomStream;
import java.util.Arrays;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class PlaybackReferenceTest {
    private static final int SAMPLES = 3 * TurnOptions.SAMPLE_RATE_HZ;

    private static final float[] REPLY = SpokenSound.voice(1, 190, SAMPLES);
    private static final float[] USER = SpokenSound.voice(2, 120, SAMPLES);

    /** The share of windows with sound in the microphone that playback explains. */
    private static double explained(float[] microphone, float[] playback) {
        PlaybackReference reference = new PlaybackReference();
        int windows = 0;
        int explained = 0;
        for (int at = 0; at + 512 <= microphone.length; at += 512) {
            float[] mic = Arrays.copyOfRange(microphone, at, at + 512);
            reference.append(mic, Arrays.copyOfRange(playback, at, at + 512));
            double energy = 0;
            for (float sample : mic) {
                energy += sample * sample;
            }
            if (energy > 512 * 1e-6) {
                windows++;
                explained += reference.explains() ? 1 : 0;
            }
        }
        assertThat(windows).isGreaterThan(20);
        return (double) explained / windows;
    }

    private static float[] withNoise(float[] sound, double level) {
        RandomStream random = new RandomStream(3);
        float[] noisy = sound.clone();
        for (int i = 0; i < noisy.length; i++) {
            noisy[i] += (float) (level * (random.nextDouble() - 0.5));
        }
        return noisy;
    }

    @ParameterizedTest
    @CsvSource({"1.0,0", "1.0,37", "0.5,512", "0.3,1601", "0.3,4000", "2.0,5000", "-0.7,800", "0.05,250"})
    void aLeakedReplyIsExplainedAtAnyGainAndDelay(double gain, int delay) {
        float[] microphone = new float[SAMPLES];
        SpokenSound.mix(microphone, SpokenSound.coloured(REPLY), delay, gain);
        assertThat(explained(withNoise(microphone, 0.001), REPLY)).isGreaterThan(0.95);
    }

    @ParameterizedTest
    @ValueSource(doubles = {0.1, 0.5, 1.0, 2.0})
    void aSecondVoiceOverTheLeakedReplyIsNotExplained(double leak) {
        float[] microphone = USER.clone();
        SpokenSound.mix(microphone, SpokenSound.coloured(REPLY), 700, leak);
        // The louder the leak, the more windows fall into the user's pauses and dips.
        assertThat(explained(microphone, REPLY)).isLessThan(leak > 1 ? 0.7 : 0.35);
    }

    @Test
    void aVoiceWithoutALeakIsNotExplained() {
        assertThat(explained(USER, REPLY)).isLessThan(0.02);
    }

    @Test
    void nothingIsExplainedWhileNothingPlays() {
        assertThat(explained(USER, new float[SAMPLES])).isZero();
    }

    @Test
    void theTailOfAReplyThatWasPausedIsStillExplained() {
        float[] paused = REPLY.clone();
        Arrays.fill(paused, SAMPLES / 2, SAMPLES, 0);
        float[] microphone = new float[SAMPLES];
        SpokenSound.mix(microphone, paused, 4_000, 0.5);
        assertThat(explained(microphone, paused)).isGreaterThan(0.95);
    }

    @Test
    void aReplyHeardLaterThanTheSearchReachesIsNotExplained() {
        float[] microphone = new float[SAMPLES];
        SpokenSound.mix(microphone, REPLY, PlaybackReference.MAX_DELAY_SAMPLES + 3_000, 0.5);
        assertThat(explained(microphone, REPLY)).isLessThan(0.2);
    }
}
