package dev.portal.voice.turn;

import dev.portal.base.RandomStream;

/**
 * Sound with the traits of speech that matter to a correlation: syllables of voiced sound with a wandering pitch and
 * changing formants, some noise, pauses between. Two voices differ in pitch, rhythm and formants.
 */
final class SpokenSound {
    private static final double RATE = TurnOptions.SAMPLE_RATE_HZ;

    private SpokenSound() {}

    /** So many samples, with a root mean square of about 0.1 while speaking. */
    static float[] voice(long seed, double pitchHz, int samples) {
        RandomStream random = new RandomStream(seed).derive("voice");
        float[] sound = new float[samples];
        double phase = 0;
        int at = 0;
        while (at < samples) {
            int syllable = (int) (RATE * (0.12 + 0.15 * random.nextDouble()));
            double pitch = pitchHz * (0.85 + 0.3 * random.nextDouble());
            double glide = 1 + 0.2 * (random.nextDouble() - 0.5);
            double first = 300 + 500 * random.nextDouble();
            double second = 900 + 1_400 * random.nextDouble();
            for (int i = 0; i < syllable && at < samples; i++, at++) {
                double progress = (double) i / syllable;
                double hz = pitch * Math.pow(glide, progress);
                phase += 2 * Math.PI * hz / RATE;
                double value = 0;
                for (int h = 1; h * hz < 3_800; h++) {
                    double f = h * hz;
                    double formants =
                            1 / (1 + Math.pow((f - first) / 120, 2)) + 0.5 / (1 + Math.pow((f - second) / 180, 2));
                    value += (formants + 0.02) * Math.sin(h * phase);
                }
                double envelope = Math.sin(Math.PI * Math.min(1, Math.max(0.05, progress)));
                sound[at] = (float) (envelope * (0.12 * value + 0.01 * (random.nextDouble() - 0.5)));
            }
            at += random.nextInt(4) == 0 ? (int) (RATE * 0.08) : 0;
        }
        return sound;
    }

    /** Adds {@code from}, delayed, at a gain. */
    static void mix(float[] into, float[] from, int delaySamples, double gain) {
        for (int i = Math.max(0, delaySamples); i < into.length && i - delaySamples < from.length; i++) {
            into[i] += (float) (gain * from[i - delaySamples]);
        }
    }

    /** What a small loudspeaker and a microphone do: a short filter with a fraction of a sample of delay. */
    static float[] coloured(float[] sound) {
        float[] taps = {0.05f, 0.55f, 0.45f, -0.2f, 0.12f, -0.08f, 0.05f, -0.02f};
        float[] out = new float[sound.length];
        for (int i = 0; i < out.length; i++) {
            for (int k = 0; k < taps.length && k <= i; k++) {
                out[i] += taps[k] * sound[i - k];
            }
        }
        return out;
    }
}
